// SPDX-License-Identifier: BSD-3-Clause
#include "api/armci/blocks.h"

#include <algorithm>
#include <utility>

namespace syncline::armci {

std::vector<Block>::const_iterator Blocks::below(const uint8_t* at) const {
    const auto above = std::upper_bound(blocks_.begin(), blocks_.end(), at,
                                        [](const uint8_t* place, const Block& block) { return place < block.seen; });
    return above == blocks_.begin() ? blocks_.end() : std::prev(above);
}

void Blocks::learn(Block block) {
    std::erase_if(blocks_, [&](const Block& old) {
        return old.seen < block.seen + block.bytes && block.seen < old.seen + old.bytes;
    });
    const auto above = std::upper_bound(blocks_.begin(), blocks_.end(), block,
                                        [](const Block& one, const Block& other) { return one.seen < other.seen; });
    blocks_.insert(above, std::move(block));
}

void Blocks::forget(syncline_address_t address) {
    std::erase_if(blocks_, [&](const Block& block) { return block.address == address; });
}

const Block* Blocks::find(const uint8_t* at, uint64_t bytes) const {
    if (last_ < blocks_.size() && blocks_[last_].holds(at, bytes)) {
        return &blocks_[last_];
    }
    const auto found = below(at);
    if (found == blocks_.end() || !found->holds(at, bytes)) {
        return nullptr;
    }
    last_ = static_cast<size_t>(found - blocks_.begin());
    return &*found;
}

}  // namespace syncline::armci
