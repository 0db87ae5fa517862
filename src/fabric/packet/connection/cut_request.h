// SPDX-License-Identifier: BSD-3-Clause
// A request that is too long for its path, in parts that any path carries. Each part is a request by itself, which goes
// out under a sequence of its own once the previous part is answered.
#pragma once

#include <cstdint>
#include <vector>

#include "fabric/fabric.h"

namespace syncline {

class CutRequest {
  public:
    // `packet`: as it was sealed. `result`: where the bytes of a get go.
    CutRequest(const slw_header* packet, void* result);

    bool gets() const { return code_ == SLW_GET; }
    bool is_done() const { return pieces_.count == 0 && at_ == units_.size(); }
    // Writes the next part behind the header of `packet`, so that the part and its reply have at most SLW_PACKET_LEAST
    // bytes.
    void write_part(slw_header* packet);
    // Skips what the target has executed already: the first elements of an add, or units of atomics.
    void skip(uint32_t executed);
    // Return where the bytes of this part go, if it is a get, and how many there are.
    void* part_result() const { return part_result_; }
    uint32_t part_bytes() const { return part_bytes_; }

  private:
    void list_pieces(const slw_header* packet, const slw_unit& unit);
    void write_units(slw_header* packet);
    void write_pieces(slw_header* packet);

    uint32_t code_;  // the bulk operation's, without SLW_LIST
    uint32_t port_ = 0;
    syncline_address_t segment_ = 0;
    std::vector<Piece> list_;
    std::vector<uint8_t> data_;    // the data of a put or an add
    std::vector<slw_unit> units_;  // the units of atomics
    Pieces pieces_ = {};           // the pieces that are left
    size_t at_ = 0;                // index of the next unit
    void* part_result_ = nullptr;
    uint32_t part_bytes_ = 0;
};

}  // namespace syncline
