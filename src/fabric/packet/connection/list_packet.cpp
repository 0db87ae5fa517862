// SPDX-License-Identifier: BSD-3-Clause
#include "fabric/packet/connection/list_packet.h"

#include <algorithm>

#include "base/check.h"
namespace syncline {

ListPacket::ListPacket(Pieces* pieces, uint32_t room, bool reads, uint32_t width) : local_(pieces->local) {
    constexpr uint64_t mask = (1ull << SLW_PIECE_SHIFT) - 1;
    uint64_t end = 0;
    while (pieces->count != 0) {
        const uint64_t left = pieces->list->bytes - pieces->done;
        if (left != 0) {
            const uint64_t offset = (pieces->base + pieces->list->offset + pieces->done) & mask;
            const uint32_t listed = count_ == 0 ? 0 : (count_ + 1) * SLW_PIECE_BYTES;  // one piece needs no list
            const uint32_t taken = reads ? std::max(listed, bytes_) : listed + bytes_;
            const uint64_t in_block = SLW_BLOCK_BYTES - (offset & (SLW_BLOCK_BYTES - 1));
            const uint64_t fits = taken > room ? 0 : (room - (reads ? bytes_ : taken)) & ~uint64_t{width - 1};
            const uint64_t bytes = std::min({left, in_block, fits});
            if (bytes == 0 || offset < end) {
                break;
            }
            SYNCLINE_ASSERT(count_ < SLW_PIECES_MAX, "%u pieces, %u bytes, room for %u", count_, bytes_, room);
            SYNCLINE_CHECK(bytes <= SLW_BULK_MAX && offset % SLW_BLOCK_BYTES + bytes <= SLW_BLOCK_BYTES,
                           "%lu bytes at %lu", bytes, offset);
            list_[count_++] = offset | bytes << SLW_PIECE_SHIFT;
            bytes_ += static_cast<uint32_t>(bytes);
            pieces->local += bytes;
            pieces->done += bytes;
            end = offset + bytes;
        }
        SYNCLINE_CHECK(pieces->done <= pieces->list->bytes, "%lu of %zu bytes", pieces->done, pieces->list->bytes);
        if (pieces->done == pieces->list->bytes) {
            pieces->list++;
            pieces->count--;
            pieces->done = 0;
        }
    }
}

}  // namespace syncline
