// SPDX-License-Identifier: BSD-3-Clause
// ASYNC of Noronha 2004 (section 4.1): pages by messages to handlers.
//
// A process asks for a page whose home it does not know at the page's default home. The handler there makes this
// process the home, or passes the message on to the home. A process asks for a page with a known home at that home. The
// home's handler puts the page into this process's own slot, which no twin uses while the page is not here, and adds to
// a word, on which the thread waits.
//
// Messages: for a page without a home 2, and none if this process is the default home; for a page whose home is not
// known 3, and the page; for a fetch 1 for each home, and the pages. A page of which the home lacks versions waits
// there.
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

    uint64_t asked_ = 0;                    // bytes of pages that this process has asked for so far
    std::unordered_set<uint32_t> brought_;  // pages that touch() has brought and fetch() has not used yet
};

}  // namespace syncline::dsm
