// SPDX-License-Identifier: BSD-3-Clause
// Pages without any handler: homes by compare&swap, pages by get, diffs by put. A release waits until its diffs are at
// the homes, so a fetch brings all changes of which its process has heard, and needs no version.
//
// Messages: 1 to find an unknown home, and 1 more for the homes of its neighbours; a fetch 1 for each run of pages of
// one home; diffs 1 for each home and 32 KiB.
#pragma once

#include <map>

#include "dsm/core/directory.h"
#include "dsm/core/page_service.h"

namespace syncline::dsm {

class OneSidedPages final : public PageService {
  public:
    OneSidedPages(const Remote* remote, const Layout* layout, Directory* directory, Statistics* statistics)
        : remote_(remote), layout_(layout), directory_(directory), statistics_(statistics) {}

    uint32_t find_home(uint32_t page, bool* assigned) override { return directory_->find(page, assigned); }
    uint16_t known_home(uint32_t page) const override { return directory_->known(page); }
    void fetch(const std::vector<PageRun>& runs, View* view) override;
    bool send_diff(uint32_t page, const uint8_t* now, uint8_t* twin) override;
    void finish_diffs() override;
    void await_changes(const std::vector<uint32_t>&) override {}  // the changes have come before the notices

  private:
    void check_sent() const;
    void send(uint32_t home, Diff* diff);

    const Remote* const remote_;
    const Layout* const layout_;
    Directory* const directory_;
    Statistics* const statistics_;
    std::map<uint32_t, Diff> diffs_;  // for each home
    std::unique_ptr<Remote::Together> puts_;
};

}  // namespace syncline::dsm
