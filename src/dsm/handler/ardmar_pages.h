// SPDX-License-Identifier: BSD-3-Clause
// The paper's ARDMAR (Noronha 2004, section 4.2): pages without their homes' handlers. A home is found by compare&swap
// on the default home's word (core/directory.h), a page comes by get.
//
// A page must have the changes that this process has heard of, and diffs may still be on the way to its home. So a
// fetch gets the versions of such pages, again and again until they fit, and only then the pages. The paper has both
// under way at once. But nothing orders two gets, and a version that was read after its page says nothing of it: the
// home stores a version behind the changes, so changes are surely in what is read after the version was seen.
//
// Each version that is needed is a get of its own: an aligned word comes whole, one among others need not.
//
// Messages: a home that is not known 1, and 1 for those of its neighbours; a fetch 1 for each run of pages of one home,
// and before that 1 for each version that is needed, as often as it does not fit.
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
