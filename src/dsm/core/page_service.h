// SPDX-License-Identifier: BSD-3-Clause
// How a protocol finds homes, fetches pages and sends diffs. Calls are made under the guard of pages.h, one at a time.
#pragma once

#include <vector>

#include "dsm/core/diff.h"
#include "dsm/core/notices.h"

namespace syncline::dsm {

class PageService {
  public:
    virtual ~PageService() = default;
    // The home of a page; this process becomes it if there is none, and *assigned says so.
    virtual uint32_t find_home(uint32_t page, bool* assigned) = 0;
    // find_home() without becoming it: Directory::unknown where the page has none, or this process has not heard of it.
    virtual uint16_t known_home(uint32_t page) const = 0;
    // Brings pages, each of which has its home at another process, into their copies, all together. They have all that
    // happened before this process's last acquire.
    virtual void fetch(const std::vector<PageRun>& runs, View* view) = 0;
    // Takes the changes of one page, if it has any, to its home, which is another process, and into the twin.
    // finish_diffs() comes between two diffs of one page. It returns when a release may go on: with everything at the
    // homes, or with homes that make a fetch wait for what is on the way.
    virtual bool send_diff(uint32_t page, const uint8_t* now, uint8_t* twin) = 0;
    virtual void finish_diffs() = 0;
    // Others have written these pages, which have their homes here: waits until their changes are here, too.
    virtual void await_changes(const std::vector<uint32_t>& pages) = 0;
};

}  // namespace syncline::dsm
