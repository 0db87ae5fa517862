// SPDX-License-Identifier: BSD-3-Clause
// The changes of a process in a page: exactly the bytes in which the page differs from its twin. A byte beside them may
// belong to another process, so it is never sent.
#pragma once

#include <cstdint>
#include <vector>

#include "syncline.h"

namespace syncline::dsm {

// Runs of changed bytes of one or more pages; the bytes lie one behind the other.
struct Diff {
    std::vector<syncline_piece_t> pieces;
    std::vector<uint8_t> bytes;

    void clear() {
        pieces.clear();
        bytes.clear();
    }
};

// Appends the runs in which `page` differs from `twin`, with offsets that begin at `base`, and stores the runs into the
// twin. A thread may write to the page meanwhile: the byte that is appended is the byte that was compared, and the byte
// that the twin then has. Returns how many bytes have changed.
uint32_t append_changes(const uint8_t* page, uint8_t* twin, uint64_t base, Diff* diff);

}  // namespace syncline::dsm
