// SPDX-License-Identifier: BSD-3-Clause
// Shared memory as the program of one process sees it, and the right that the program has to each page. Accesses
// without the right come back as faults (pages.h).
//
// A page whose home is here is shown as it is in the segment: the program and other processes' NICs use the same bytes.
// Any other page is a copy.
//
// Shared words: the program's threads write a copy's bytes while the page has the right to that, and the library writes
// them while the page has no right at all.
#pragma once

#include <cstdint>

namespace syncline::dsm {

constexpr uint32_t page_bytes = 4096;

enum class Right : uint8_t { kNone, kRead, kWrite };

class View {
  public:
    virtual ~View() = default;
    // Returns the library's own mapping of a copy, which has no rights. Adjacent pages lie one behind the other.
    virtual uint8_t* page(uint32_t page) = 0;
    // Prepares for the library to write whole copies.
    virtual void prepare(uint32_t first, uint32_t count) = 0;
    // Changes the right of copies that all have `from` to `to`. When it returns, no thread uses the old right any more.
    virtual void change(uint32_t first, uint32_t count, Right from, Right to) = 0;
    // Called when the kernel has refused an access that `right` allows: the kernel has taken the copy out of the page
    // table, to save memory, or another thread has got the right meanwhile.
    virtual void restore(uint32_t page, Right right) = 0;
    // These pages have their homes here from now on; none of them has a right before.
    virtual void adopt(uint32_t first, uint32_t count, Right right) = 0;
    // As change(), for adopted pages, between kRead and kWrite. Returns false if the system cannot change the right of
    // so few pages.
    virtual bool change_adopted(uint32_t first, uint32_t count, Right to) = 0;
};

}  // namespace syncline::dsm
