// SPDX-License-Identifier: BSD-3-Clause
// Shared memory as the program of one process sees it, and what the program may do with each page. The program's
// accesses to others come back as faults (pages.h).
//
// A page whose home is here is shown as it is in the segment: the program and other processes' NICs use the same bytes.
// Any other page is a copy.
//
// Shared words: a copy's bytes are written by the program's threads while the page has a right to that, and by the
// library while it has no right at all.
#pragma once

#include <cstdint>

namespace syncline::dsm {

constexpr uint32_t page_bytes = 4096;

enum class Right : uint8_t { kNone, kRead, kWrite };

class View {
  public:
    virtual ~View() = default;
    // The library's own mapping of a copy, which knows no rights. Adjacent pages lie one behind the other.
    virtual uint8_t* page(uint32_t page) = 0;
    // The library is about to write whole copies.
    virtual void prepare(uint32_t first, uint32_t count) = 0;
    // Takes copies that all have `from` to `to`. When it returns, no thread uses the old right any more.
    virtual void change(uint32_t first, uint32_t count, Right from, Right to) = 0;
    // The kernel has said that the program may not do what `right` lets it: it has taken the copy out of the page
    // table, to save memory, or another thread has got the right meanwhile.
    virtual void restore(uint32_t page, Right right) = 0;
    // These pages have their homes here from now on; none of them has a right yet.
    virtual void adopt(uint32_t first, uint32_t count, Right right) = 0;
    // change() for pages that were adopted, between kRead and kWrite. False: the system has no room for a change of so
    // few.
    virtual bool change_adopted(uint32_t first, uint32_t count, Right to) = 0;
};

}  // namespace syncline::dsm
