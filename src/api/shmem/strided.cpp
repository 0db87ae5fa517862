// SPDX-License-Identifier: BSD-3-Clause
// Strided puts and gets (1.5, section 9.6; blocks: 1.6).
//
// To and from memory that is not mapped here, strided copies travel in parts of many blocks, each a piece of the part.
// Blocks that adjoin at the PE there are one piece. Blocks of this side that do not adjoin pass through a buffer,
// unless they are so long that each is a part.
#include <vector>

#include "api/shmem/rma.h"

namespace syncline::shmem {
namespace {

// Returns the length of a block; 0 if there is no data to copy. Ends the job if either side is longer, from the first
// block to the end of the last one, than an object can be.
size_t block_bytes(const Strides& strides) {
    const size_t bytes = bytes_of(strides.bsize, strides.element);
    if (bytes == 0 || strides.nblocks == 0) {
        return 0;
    }
    for (const ptrdiff_t stride : {strides.dst, strides.sst}) {
        const auto apart = static_cast<uint64_t>(stride < 0 ? -(stride + 1) : stride) + (stride < 0 ? 1 : 0);
        if (plus(times(times(strides.nblocks - 1, apart), strides.element), bytes) > object_bytes_max) {
            die(fmt::format("{} blocks of {} elements of {} bytes, {} elements apart, are more than any memory holds",
                            strides.nblocks, strides.bsize, strides.element, stride));
        }
    }
    return bytes;
}

// The positions of the blocks of one side, in bytes from the lowest one.
struct Side {
    ptrdiff_t apart;  // distance from a block to the next
    size_t first;
    size_t length;  // to the end of the highest block

    size_t at(size_t block) const { return first + static_cast<size_t>(static_cast<ptrdiff_t>(block) * apart); }
    uint8_t* lowest(const void* first_block) const {
        return reinterpret_cast<uint8_t*>(reinterpret_cast<uintptr_t>(first_block) - first);
    }
};

Side side_of(ptrdiff_t apart, size_t bytes, size_t count) {
    const ptrdiff_t last = static_cast<ptrdiff_t>(count - 1) * apart;
    return {apart, last < 0 ? static_cast<size_t>(-last) : 0, static_cast<size_t>(last < 0 ? -last : last) + bytes};
}

struct StridedBlocks {
    size_t bytes;
    size_t count;  // 0: there is no data to copy
    Side there;    // the side at the PE of the call
    Side here;
};

// Returns the blocks with the strides of both sides; blocks that adjoin on both sides become one.
StridedBlocks blocks_of(const Strides& strides, ptrdiff_t there, ptrdiff_t here) {
    const size_t bytes = block_bytes(strides);
    if (bytes == 0) {
        return {};
    }
    const auto adjoining = static_cast<ptrdiff_t>(strides.bsize);
    if (strides.nblocks == 1 || (there == adjoining && here == adjoining)) {
        const size_t all = bytes * strides.nblocks;
        return {all, 1, side_of(0, all, 1), side_of(0, all, 1)};
    }
    const auto element = static_cast<ptrdiff_t>(strides.element);
    return {bytes, strides.nblocks, side_of(there * element, bytes, strides.nblocks),
            side_of(here * element, bytes, strides.nblocks)};
}

// `to` and `from` are the lowest bytes of their sides.
void copy_blocks(const StridedBlocks& blocks, int pe, uint8_t* to, const Side& to_side, const uint8_t* from,
                 const Side& from_side) {
    for (size_t block = 0; block < blocks.count; block++) {
        check_copy(pe, to + to_side.at(block), from + from_side.at(block), blocks.bytes);
        copy_direct(to + to_side.at(block), from + from_side.at(block), blocks.bytes);
    }
}

class Parts {
  public:
    // `here`: the lowest byte of this side.
    Parts(const Target& target, const StridedBlocks& blocks, uint8_t* here)
        : target_(target), blocks_(blocks), here_(here) {
        const bool adjoin = blocks.here.apart == static_cast<ptrdiff_t>(blocks.bytes);
        const size_t fit = adjoin ? pieces_max : std::clamp<size_t>(buffer_max / blocks.bytes, 1, pieces_max);
        blocks_max_ = std::min(blocks.count, fit);
        list_.reserve(blocks_max_);
        buffer_.resize(adjoin || blocks_max_ == 1 ? 0 : blocks_max_ * blocks.bytes);
    }

    // Takes the next blocks; returns false if there are none.
    bool next() {
        begin_ += count_;
        count_ = std::min(blocks_.count - begin_, blocks_max_);
        list_.clear();
        for (size_t block = begin_; block < begin_ + count_; block++) {
            const uint64_t offset = blocks_.there.at(block);
            if (!list_.empty() && list_.back().offset + list_.back().bytes == offset) {
                list_.back().bytes += blocks_.bytes;
            } else {
                list_.push_back({offset, blocks_.bytes});
            }
        }
        return count_ != 0;
    }

    Pieces pieces() {
        uint8_t* const local = buffer_.empty() ? at(0) : buffer_.data();
        return {target_.pe, target_.address, list_.data(), list_.size(), local};
    }
    // Copy to the buffer, if there is one, and from it.
    void gather() {
        for (size_t i = 0; i < count_ && !buffer_.empty(); i++) {
            copy_direct(buffer_.data() + i * blocks_.bytes, at(i), blocks_.bytes);
        }
    }
    void scatter() {
        for (size_t i = 0; i < count_ && !buffer_.empty(); i++) {
            copy_direct(at(i), buffer_.data() + i * blocks_.bytes, blocks_.bytes);
        }
    }

  private:
    static constexpr size_t pieces_max = 4096;
    static constexpr size_t buffer_max = 64 * 1024;

    uint8_t* at(size_t block) const { return here_ + blocks_.here.at(begin_ + block); }

    const Target& target_;
    const StridedBlocks& blocks_;
    uint8_t* const here_;
    size_t blocks_max_;  // in a part
    std::vector<Piece> list_;
    std::vector<uint8_t> buffer_;
    size_t begin_ = 0;  // first block of the part
    size_t count_ = 0;
};

}  // namespace

void put_strided(const Context& context, void* dest, const void* source, const Strides& strides, int pe) {
    const StridedBlocks blocks = blocks_of(strides, strides.dst, strides.sst);
    if (blocks.count == 0) {
        return;
    }
    must_be_given(source, "source");
    const Target target = resolve(context, blocks.there.lowest(dest), blocks.there.length, pe);
    uint8_t* const from = blocks.here.lowest(source);
    if (target.direct != nullptr) {
        copy_blocks(blocks, target.pe, target.direct, blocks.there, from, blocks.here);
        written(target.pe);
        return;
    }
    for (Parts parts(target, blocks, from); parts.next();) {
        parts.gather();
        check(library->endpoint.batches().move_pieces(context.batch, Direction::kPut, parts.pieces()));
    }
}

void get_strided(const Context& context, void* dest, const void* source, const Strides& strides, int pe) {
    const StridedBlocks blocks = blocks_of(strides, strides.sst, strides.dst);
    if (blocks.count == 0) {
        return;
    }
    must_be_given(dest, "dest");
    const Target target = resolve(context, blocks.there.lowest(source), blocks.there.length, pe);
    uint8_t* const to = blocks.here.lowest(dest);
    if (target.direct != nullptr) {
        copy_blocks(blocks, target.pe, to, blocks.here, target.direct, blocks.there);
        return;
    }
    for (Parts parts(target, blocks, to); parts.next();) {
        check(library->endpoint.bulk().move_pieces(Direction::kGet, parts.pieces()));
        parts.scatter();
    }
}

}  // namespace syncline::shmem
