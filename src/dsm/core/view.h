// SPDX-License-Identifier: BSD-3-Clause
// A process's copy of shared memory, as its program sees it, and what the program may do with each page. The program's
// accesses to others come back as faults (pages.h).
//
// Shared words: a page's bytes are written by the program's threads while it has the right to, and by the library while
// it has none, or where the library knows that no thread writes these bytes (pages.h says when).
#pragma once

#include <cstdint>

namespace syncline::dsm {

constexpr uint32_t page_bytes = 4096;

enum class Right : uint8_t { kNone, kRead, kWrite };

class View {
  public:
    virtual ~View() = default;
    // The library's own mapping of the same memory, which knows no rights. Adjacent pages lie one behind the other.
    virtual uint8_t* page(uint32_t page) = 0;
    // The library is about to write whole pages.
    virtual void prepare(uint32_t first, uint32_t count) = 0;
    // Takes pages that all have `from` to `to`. When it returns, no thread uses the old right any more.
    virtual void change(uint32_t first, uint32_t count, Right from, Right to) = 0;
};

}  // namespace syncline::dsm
