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
    // Returns where the pages are.
    virtual uint8_t* memory() = 0;
    // Protects all pages together, before the first writes.
    virtual void protect() = 0;
    // Returns the pages that were written since they were protected, in any order, and protects them again.
    virtual std::vector<uint32_t> take() = 0;
};

// Learns of each written page by a signal: mprotect() and SIGSEGV, or userfaultfd's write protection and SIGBUS, as
// shared memory keeps its rights.
std::unique_ptr<WrittenPages> written_by_signals(uint32_t pages, bool userfault);
// The kernel itself takes the protection off and notes the page: userfaultfd's asynchronous write protection and
// PAGEMAP_SCAN (Linux 6.7). Returns NULL if this kernel lacks them.
std::unique_ptr<WrittenPages> written_by_scan(uint32_t pages);

}  // namespace syncline::page_rights
