// SPDX-License-Identifier: BSD-3-Clause
// The changes of a process in a page: the bytes in which it differs from its twin, exactly. A byte beside them may be
// another process's, so it never travels.
#pragma once

#include <cstdint>
#include <vector>

#include "syncline.h"

namespace syncline::dsm {

// Runs of changed bytes of one or more pages, with the bytes one behind the other.
struct Diff {
    std::vector<syncline_piece_t> pieces;
    std::vector<uint8_t> bytes;

    void clear() {
        pieces.clear();
        bytes.clear();
    }
};

// Appends the runs in which `page` differs from `twin`, whose offsets are `base` and more, and stores them into the
// twin. A thread may write the page meanwhile: a byte that is appended is the one that was compared and the one that
// the twin has. Returns how many bytes have changed.
uint32_t append_changes(const uint8_t* page, uint8_t* twin, uint64_t base, Diff* diff);

}  // namespace syncline::dsm
