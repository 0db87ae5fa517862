// SPDX-License-Identifier: BSD-3-Clause
// Which process is the home of a page (Noronha 2004, section 4.2). A page has a word at its default home: 0 until the
// page has a home, then the home's number + 1, for ever. The first process that touches the page makes itself the
// page's home by compare&swap; an allocation that places homes stores the words before any process knows its address.
//
// Default homes change every 64 pages, from process to process, so that one get brings the words of neighbours.
//
// Threads: calls are made under the guard of pages.h.
#pragma once

#include <cstdint>
#include <vector>

#include "dsm/core/remote.h"
#include "dsm/core/statistics.h"

namespace syncline::dsm {

class Directory {
  public:
    static constexpr uint16_t unknown = UINT16_MAX;

    Directory(const Remote* remote, const Layout* layout, uint32_t pages)
        : remote_(remote), layout_(layout), homes_(pages, unknown) {}

    // Returns the home that this process knows, without asking.
    uint16_t known(uint32_t page) const { return homes_[page]; }
    bool is_home(uint32_t page) const { return homes_[page] == remote_->me(); }
    void learn(uint32_t page, uint32_t home) { homes_[page] = static_cast<uint16_t>(home); }
    uint32_t default_home(uint32_t page) const { return page / line % remote_->processes(); }

    // Returns the home of a page; if there is none, this process becomes it, and *assigned says so.
    uint32_t find(uint32_t page, bool* assigned);

    // Sets the homes, `home_of(page)`, of pages that no process has touched. A collective use needs a barrier after it.
    template <typename HomeOf>
    void assign(uint32_t first, uint32_t count, HomeOf&& home_of) {
        Remote::Together puts(remote_);
        uint64_t words[line];
        for (uint32_t page = first; page < first + count;) {
            const uint32_t end = std::min(first + count, page / line * line + line);
            for (uint32_t i = page; i < end; i++) {
                words[i - page] = uint64_t{home_of(i)} + 1;
            }
            puts.put(default_home(page), layout_->home_word(page), words, (end - page) * sizeof(uint64_t));
            page = end;
        }
        puts.finish();
    }

  private:
    static constexpr uint32_t line = 64;

    void read_line(uint32_t page);

    const Remote* const remote_;
    const Layout* const layout_;
    std::vector<uint16_t> homes_;
};

}  // namespace syncline::dsm
