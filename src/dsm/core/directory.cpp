// SPDX-License-Identifier: BSD-3-Clause
#include "dsm/core/directory.h"

#include <algorithm>

#include "base/check.h"

namespace syncline::dsm {

uint32_t Directory::find(uint32_t page, bool* assigned) {
    *assigned = false;
    SYNCLINE_ASSERT(page < homes_.size(), "page %u of %zu", page, homes_.size());
    if (homes_[page] != unknown) {
        return homes_[page];
    }
    const uint64_t own = uint64_t{remote_->me()} + 1;
    const uint64_t old = remote_->compare_swap(default_home(page), layout_->home_word(page), 0, own);
    *assigned = old == 0;
    learn(page, static_cast<uint32_t>((*assigned ? own : old) - 1));
    if (!*assigned) {
        read_line(page);
    }
    return homes_[page];
}

// If one page has its home elsewhere, this process is likely to ask for its neighbours next, so it reads a line of
// words.
void Directory::read_line(uint32_t page) {
    const uint32_t first = page / line * line;
    const uint32_t count = std::min<uint32_t>(line, static_cast<uint32_t>(homes_.size()) - first);
    uint64_t words[line];
    remote_->get(default_home(page), layout_->home_word(first), words, count * sizeof(uint64_t));
    for (uint32_t i = 0; i < count; i++) {
        if (words[i] != 0) {
            learn(first + i, static_cast<uint32_t>(words[i] - 1));
        }
    }
}

}  // namespace syncline::dsm
