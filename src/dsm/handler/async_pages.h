// SPDX-License-Identifier: BSD-3-Clause
// The paper's ASYNC (Noronha 2004, section 4.1): pages by messages to handlers.
//
// A page whose home is not known is asked for at its default home, whose handler makes this process the home, or passes
// the message on to the home. A page with a known home is asked for there. A home's handler puts the page into this
// process's own slot, which no twin uses while the page is not here, and adds to a word, at which the thread waits.
//
// Messages: a page without a home 2, and none where this process is the default home; with a home that is not known 3,
// and the page; a fetch 1 for each home, and the pages. A page with versions that its home has not got waits there.
#pragma once

#include <unordered_set>

#include "dsm/handler/handled_pages.h"

namespace syncline::dsm {

class AsyncPages final : public HandledPages {
  public:
    using HandledPages::HandledPages;

    uint32_t find_home(uint32_t page, bool* assigned) override;
    void fetch(const std::vector<PageRun>& runs, View* view) override;

  private:
    uint32_t touch(uint32_t page, bool* assigned);
    void await_pages();

    uint64_t asked_ = 0;                    // bytes of pages, ever
    std::unordered_set<uint32_t> brought_;  // by touch(), and not yet fetched
};

}  // namespace syncline::dsm
