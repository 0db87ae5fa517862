// SPDX-License-Identifier: BSD-3-Clause
// Three ways to learn which pages of a range a program has written since it was protected.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

namespace syncline::page_rights {

constexpr uint64_t page_bytes = 4096;

class WrittenPages {
  public:
    virtual ~WrittenPages() = default;
    virtual const char* name() const = 0;
    // Where the pages are.
    virtual uint8_t* memory() = 0;
    // Before the first writes, and all pages together.
    virtual void protect() = 0;
    // Those that were written since they were protected, in any order; protects them again.
    virtual std::vector<uint32_t> take() = 0;
};

// A signal for each page that is written: mprotect() and SIGSEGV, or userfaultfd's write protection and SIGBUS, as
// shared memory keeps its rights.
std::unique_ptr<WrittenPages> written_by_signals(uint32_t pages, bool userfault);
// The kernel takes the protection off by itself and notes the page: userfaultfd's asynchronous write protection and
// PAGEMAP_SCAN (Linux 6.7). NULL: this kernel has not got them.
std::unique_ptr<WrittenPages> written_by_scan(uint32_t pages);

}  // namespace syncline::page_rights
