// SPDX-License-Identifier: BSD-3-Clause
#include "firmware/schedule.h"

#include <algorithm>
#include <bit>

#include "base/check.h"

namespace syncline {
namespace {

uint8_t narrow(uint32_t value) {
    return static_cast<uint8_t>(value);
}

}  // namespace

void draw_exchange(fw_barrier* barrier, const std::vector<uint16_t>& nodes, uint32_t self) {
    const auto count = static_cast<uint32_t>(nodes.size());
    SYNCLINE_ASSERT(self < count && count <= SLW_NODES_MAX, "node %u of %u", self, count);
    const bool pairs = std::has_single_bit(count);
    const auto phases = static_cast<uint32_t>(std::bit_width(count - 1));
    static_assert(FW_BARRIER_PHASES <= FW_BARRIER_ENTRIES);
    SYNCLINE_ASSERT(phases <= FW_BARRIER_PHASES && 1ull << phases >= count, "%u phases of %u nodes", phases, count);
    barrier->phases = barrier->hears = barrier->sends = narrow(phases);
    for (uint32_t phase = 0; phase < phases; phase++) {
        const uint32_t distance = 1u << phase;
        const uint32_t to = pairs ? self ^ distance : (self + distance) % count;
        const uint32_t from = pairs ? to : (self + count - distance) % count;
        barrier->phase[phase] = {narrow(phase), narrow(phase + 1), narrow(phase + 1), 0};
        barrier->hear[phase] = {nodes[from], narrow(phase), narrow(phase)};
        barrier->send[phase] = {nodes[to], narrow(phase), narrow(phase)};
    }
    barrier->phase[phases] = {0, 0, narrow(phases), 0};
}

void draw_tree(fw_barrier* barrier, const std::vector<uint16_t>& nodes, uint32_t self, uint32_t dimension) {
    const auto count = static_cast<uint32_t>(nodes.size());
    const auto children_of = [&](uint32_t node) {
        const uint64_t first = uint64_t{dimension} * node + 1;
        return first >= count ? 0 : static_cast<uint32_t>(std::min<uint64_t>(dimension, count - first));
    };
    SYNCLINE_ASSERT(self < count && dimension >= 1 && dimension <= FW_BARRIER_FANOUT, "node %u of %u, dimension %u",
                    self, count, dimension);
    const uint32_t children = children_of(self);
    const uint32_t up = self == 0 ? 0 : 1;  // entries for messages to the parent
    barrier->phases = count == 1 ? 0 : 2;
    SYNCLINE_ASSERT(children + up <= FW_BARRIER_ENTRIES && children <= dimension, "%u children", children);
    barrier->hears = barrier->sends = narrow(children + up);
    for (uint32_t i = 0; i < children; i++) {
        const uint32_t child = dimension * self + 1 + i;
        barrier->hear[i] = {nodes[child], 0, 0};
        barrier->send[up + i] = {nodes[child], narrow(children_of(child)), 2};
    }
    if (up != 0) {
        const uint32_t parent = (self - 1) / dimension;
        SYNCLINE_ASSERT(parent < self, "node %u is the parent of node %u", parent, self);
        const uint32_t mine = (self - 1) % dimension;  // index of this node among its parent's children
        barrier->hear[children] = {nodes[parent], narrow((parent == 0 ? 0 : 1) + mine), 1};
        barrier->send[0] = {nodes[parent], narrow(mine), 1};
    }
    barrier->phase[0] = {0, narrow(children), 0, 0};
    barrier->phase[1] = {narrow(children), narrow(children + up), narrow(up), 1};
    barrier->phase[count == 1 ? 0 : 2] = {0, 0, narrow(up + children), 0};
}

bool can_exchange(uint32_t nodes, fw_combine how) {
    const bool counts_twice =
        how == FW_COMBINE_SUM || how == FW_COMBINE_XOR || how == FW_COMBINE_SUM_DOUBLE || how == FW_COMBINE_SUM_FLOAT;
    return std::has_single_bit(nodes) || !counts_twice;
}

}  // namespace syncline
