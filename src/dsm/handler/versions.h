// SPDX-License-Identifier: BSD-3-Clause
// The version of a page: for each writer, the last interval whose changes the home copy has. The home itself, which
// writes the home copy, has none.
//
// Guarantee: a reader that sees an interval and then reads the home copy finds the changes of that interval. Changes of
// one writer arrive in the order of its intervals.
//
// Shared words: the versions of a page at its home, one word for each writer, which the home's handler stores (release)
// after the changes. The handler, waiting threads of the home, and other processes' gets read them.
#pragma once

#include <algorithm>
#include <vector>

#include "dsm/core/remote.h"
#include "dsm/handler/needs.h"

namespace syncline::dsm {

class Versions {
  public:
    Versions(const Remote* remote, const Layout* layout) : remote_(remote), layout_(layout) {}

    // For pages that have their home here.
    void set(uint32_t page, uint32_t writer, uint64_t interval) const {
        __atomic_store_n(word(page, writer), interval, __ATOMIC_RELEASE);
    }
    bool satisfy(uint32_t page, const std::vector<Need>& needs) const {
        return std::all_of(needs.begin(), needs.end(), [&](const Need& need) {
            return need.writer == remote_->me() ||
                   __atomic_load_n(word(page, need.writer), __ATOMIC_ACQUIRE) >= need.interval;
        });
    }

  private:
    uint64_t* word(uint32_t page, uint32_t writer) const { return remote_->own_word(layout_->version(page, writer)); }

    const Remote* const remote_;
    const Layout* const layout_;
};

}  // namespace syncline::dsm
