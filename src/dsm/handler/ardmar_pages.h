// SPDX-License-Identifier: BSD-3-Clause
// ARDMAR of Noronha 2004 (section 4.2): pages without their homes' handlers. A process finds a home by compare&swap on
// the default home's word (core/directory.h), and a page by get.
//
// A page must have the changes of which this process has heard, and diffs may still be on the way to its home. So a
// fetch gets the versions of such pages, again and again until they suffice, and only then the pages. In the paper both
// are under way at once. But nothing orders two gets, and a version that was read after its page says nothing about the
// page. The home stores a version after the changes, so a page that is read after its version was seen surely has them.
//
// Each version that is needed is a get of its own, because an aligned word comes whole, and one among others need not.
//
// Messages: 1 to find an unknown home, and 1 for the homes of its neighbours. A fetch: 1 for each run of pages of one
// home, and before that 1 for each version that is needed, as often as it does not suffice.
#pragma once

#include "dsm/handler/handled_pages.h"

namespace syncline::dsm {

class ArdmarPages final : public HandledPages {
  public:
    using HandledPages::HandledPages;

    uint32_t find_home(uint32_t page, bool* assigned) override { return parts_.directory->find(page, assigned); }
    void fetch(const std::vector<PageRun>& runs, View* view) override;

  private:
    struct Wanted {
        uint32_t page;
        Need need;
        uint64_t version;
    };

    std::vector<Wanted> needs_of(const std::vector<PageRun>& runs) const;
    void await_versions(std::vector<Wanted> wanted);
};

}  // namespace syncline::dsm
