// SPDX-License-Identifier: BSD-3-Clause
// Copies of whole pages of this process, which leave untouched what holds nothing but zeros: a page that was never
// written takes no memory, and neither does its copy. These functions allocate nothing, so they may run while other
// threads stand still.
//
// A word that others write meanwhile is copied as it is at some moment. Between a program's variables are words of the
// sanitizers, which other code may not read.
#pragma once

#include <cstdint>

namespace syncline {

constexpr uint64_t page_bytes = 4096;

// `to` holds zeros. Every page is looked at.
void copy_pages(void* to, const void* from, uint64_t bytes);

// From private memory without a file: only pages that the process has touched are looked at. `page_map`:
// /proc/self/pagemap, or -1.
void copy_touched_pages(int page_map, void* to, const void* from, uint64_t bytes);

// From a memory file that is mapped at `from`, from `offset` on: the holes of the file are not looked at. Memory of
// another kind, such as a BPF array, has no holes.
void copy_file_pages(int file, uint64_t offset, void* to, const void* from, uint64_t bytes);

}  // namespace syncline
