// SPDX-License-Identifier: BSD-3-Clause
// A packet's share of many pieces: as many as fit, in ascending order, none across a block of its segment.
#pragma once

#include <cstdint>

#include "fabric/fabric.h"
#include "fabric/packet/connection/units.h"

namespace syncline {

// A position in Pieces, and the list of the packet that begins there.
class ListPacket {
  public:
    // `room`: for the list and, unless `reads`, the bytes behind it; if it reads, the list and the bytes have that much
    // room each. Pieces are cut only between elements of `width` bytes, a power of two. Moves *pieces past the pieces
    // that it has taken.
    ListPacket(Pieces* pieces, uint32_t room, bool reads, uint32_t width);

    uint32_t count() const { return count_; }
    uint32_t bytes() const { return bytes_; }
    uint64_t at(uint32_t index) const { return list_[index]; }
    const uint64_t* list() const { return list_; }
    // Returns where the bytes are at this PE.
    uint8_t* local() const { return local_; }

  private:
    uint32_t count_ = 0;
    uint32_t bytes_ = 0;
    uint8_t* const local_;
    uint64_t list_[SLW_PIECES_MAX];  // as on the wire
};

// Writes the bulk operation `code` on the pieces behind a header. A list of one piece becomes a range.
inline void fill_list(slw_header* header, uint32_t code, uint32_t port, syncline_address_t segment,
                      const ListPacket& list) {
    const bool one = list.count() == 1;
    const syncline_address_t address = one ? segment | (list.at(0) & ((1ull << SLW_PIECE_SHIFT) - 1)) : segment;
    const uint32_t listed = one ? 0 : list.count() * SLW_PIECE_BYTES;
    const uint64_t operand = one ? list.bytes() : list.count();
    fill_unit(reinterpret_cast<slw_unit*>(header + 1), code | (one ? 0 : SLW_LIST), port, address, operand);
    fill_data(header, 1, list.list(), listed, list.local(), code == SLW_GET ? 0 : list.bytes());
}

}  // namespace syncline
