// SPDX-License-Identifier: BSD-3-Clause
// Rows that one operation of the library can move: pieces of one segment at the other process.
#pragma once

#include <cstdint>
#include <vector>

#include "api/armci/blocks.h"
#include "api/armci/layout.h"

namespace syncline::armci {

struct Batch {
    syncline_address_t base = 0;           // address of the segment
    syncline_address_t block = 0;          // address of the block that holds the first row
    std::vector<syncline_piece_t> pieces;  // rows that adjoin at the other process are one piece
    std::vector<Row> rows;
    uint64_t total = 0;
    bool one_part = true;  // the rows adjoin at this process
    bool is_mapped = false;
    bool ascends = false;  // takes only rows behind all earlier ones at the other process; set before fill()
    const uint8_t *low = nullptr, *high = nullptr;  // at the other process

    // Takes the next rows, as many as fit; returns false if there are none. `block_of` finds a row's block.
    template <typename Rows, typename BlockOf>
    bool fill(Rows* rows_left, BlockOf block_of) {
        clear();
        for (Row row;;) {
            if (has_kept_) {
                row = kept_;
                has_kept_ = false;
            } else if (!rows_left->next(&row)) {
                break;
            }
            if (!add(row, block_of(row))) {
                kept_ = row;
                has_kept_ = true;
                break;
            }
        }
        return !rows.empty();
    }

    // Copies the bytes of all rows, in the order of the rows.
    void gather_into(std::vector<uint8_t>* bytes) const;

  private:
    void clear();
    // Returns false, and changes nothing, if the row belongs into another batch.
    bool add(const Row& row, const Block& of);

    Row kept_ = {};
    bool has_kept_ = false;
};

// The reverse of gather_into().
void scatter(const std::vector<Row>& rows, const uint8_t* bytes);

}  // namespace syncline::armci
