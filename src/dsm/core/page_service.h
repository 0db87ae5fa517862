// SPDX-License-Identifier: BSD-3-Clause
// How a protocol finds homes, fetches pages and sends diffs. Calls are made one at a time, under the guard of pages.h.
#pragma once

#include <vector>

#include "dsm/core/diff.h"
#include "dsm/core/notices.h"

namespace syncline::dsm {

class PageService {
  public:
    virtual ~PageService() = default;
    // Returns the home of a page; if there is none, this process becomes it, and *assigned says so.
    virtual uint32_t find_home(uint32_t page, bool* assigned) = 0;
    // As find_home(), but this process does not become the home: Directory::unknown if the page has none, or if this
    // process does not know it.
    virtual uint16_t known_home(uint32_t page) const = 0;
    // Brings pages, each of which has its home at another process, into their copies, all together. The copies then
    // have all changes that happened before this process's last acquire.
    virtual void fetch(const std::vector<PageRun>& runs, View* view) = 0;
    // send_diff() sends the changes of one page, if it has any, to its home, which is another process, and stores them
    // in the twin. finish_diffs() must come between two diffs of one page. It returns when a release may go on: when
    // all changes are at the homes, or when the homes make a fetch wait for changes on the way.
    virtual bool send_diff(uint32_t page, const uint8_t* now, uint8_t* twin) = 0;
    virtual void finish_diffs() = 0;
    // Other processes have written these pages, which have their homes here: waits until their changes are here, too.
    virtual void await_changes(const std::vector<uint32_t>& pages) = 0;
};

}  // namespace syncline::dsm
