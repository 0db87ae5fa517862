// SPDX-License-Identifier: BSD-3-Clause
// Copies of whole pages of this process. Pages that hold only zeros stay untouched: a page that was never written takes
// no memory, and neither does its copy. These functions allocate nothing, so they may run while other threads stand
// still.
//
// A word that other threads write meanwhile is copied as it is at some moment. Between a program's variables there are
// words of the sanitizers, which other code may not read.
#pragma once

#include <cstdint>

namespace syncline {

constexpr uint64_t page_bytes = 4096;

// `to` must hold zeros. Looks at every page.
void copy_pages(void* to, const void* from, uint64_t bytes);

// Copies from private memory without a file, and looks only at pages that the process has touched. `page_map`:
// /proc/self/pagemap, or -1.
void copy_touched_pages(int page_map, void* to, const void* from, uint64_t bytes);

// Copies from a memory file that is mapped at `from`, from `offset` on, and does not look at the file's holes. Memory
// of another kind, such as a BPF array, has no holes.
void copy_file_pages(int file, uint64_t offset, void* to, const void* from, uint64_t bytes);

}  // namespace syncline
