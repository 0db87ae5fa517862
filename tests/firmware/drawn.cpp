// SPDX-License-Identifier: BSD-3-Clause
#include "drawn.h"

#include <algorithm>
#include <iterator>
#include <utility>

namespace syncline::test {
namespace {

void arm(TargetUnderTest& target, const Trace::Arming& arming) {
    target.completion(arming.port, arming.index).state = arming.state;
    if (!arming.packet.empty()) {
        fw_image& image = target.image(arming.port, arming.follower);
        image.state = arming.image_state;
        image.length = arming.length;
        image.pad_to = arming.pad_to;
        std::copy(arming.packet.begin(), arming.packet.end(), image.packet);
    }
}

// Every other slot has a sequence that soon begins again at 0.
void start_sequences_near_the_end(const TargetShape& shape, TargetUnderTest& target) {
    fw_slot slot{};
    slot.word = 0xfffffff0ull << 8 | FW_SLOT_DONE;
    target.rows().room = shape.config.ranks;
    for (uint32_t i = 0; i < shape.config.ranks * shape.config.window; i += 2) {
        target.set_slot(i, slot);
    }
}

}  // namespace

TargetShape drawn_shape(bool authenticate, uint64_t seed) {
    Prng prng(seed * 7);
    TargetShape shape = TargetShape::small(authenticate);
    const uint32_t steps = (SLW_PACKET_MAX - SLW_PACKET_LEAST) / 8;
    const uint64_t drawn[] = {0, steps, prng.below(steps + 1), prng.below(steps + 1)};
    shape.config.packet_max = SLW_PACKET_LEAST + 8 * static_cast<uint32_t>(drawn[seed % 4]);
    shape.config.keep_parts = prng.below(2);
    if (seed / 4 % 2 == 1) {  // the program is that of three nodes
        shape.places = 3;
        shape.place = static_cast<uint32_t>(prng.below(3));
    }
    return shape;
}

Doings::Doings(const TargetShape& shape, uint64_t seed, Trace& trace, std::vector<TargetUnderTest*> nics,
               bool chooses_first_part)
    : shape_(shape), trace_(trace), nics_(std::move(nics)), chooses_first_part_(chooses_first_part) {
    each([](TargetUnderTest& target) { target.rows().room = 1; });
    if (seed % 4 == 3) {
        each([&](TargetUnderTest& target) { start_sequences_near_the_end(shape, target); });
    }
}

void Doings::next() {
    if (const auto arming = trace_.next_arming()) {
        each([&](TargetUnderTest& target) { arm(target, *arming); });
    }
    change_parts();
    change_segment();
    change_tables();
}

void Doings::change_parts() {
    Prng& prng = trace_.prng();
    if (chooses_first_part_ && prng.below(20) == 0) {
        const size_t parts[] = {headers_bytes(true) + SLW_HEADER_BYTES + 64, 200, 1000, first_part_max};
        const size_t part = parts[prng.below(std::size(parts))];
        each([&](TargetUnderTest& target) { target.set_first_part(part); });
    }
}

void Doings::change_segment() {
    Prng& prng = trace_.prng();
    if (prng.below(50) != 0) {
        return;
    }
    SegmentShape segment = shape_.segments[prng.below(shape_.segments.size())];
    segment.state = static_cast<uint32_t>(prng.below(8) == 0 ? prng.below(4) : segment.state);
    segment.length = prng.below(4) == 0 ? prng.below(segment.length + 1) : segment.length;
    each([&](TargetUnderTest& target) { target.set_segment(segment); });
}

void Doings::change_tables() {
    Prng& prng = trace_.prng();
    if (prng.below(20) == 0) {
        const uint64_t id = prng.below(4);
        const fw_barrier barrier = trace_.random_barrier();
        each([&](TargetUnderTest& target) { target.barriers()[id] = barrier; });
    }
    if (prng.below(30) == 0 && nics_.front()->rows().room < shape_.config.ranks) {
        each([](TargetUnderTest& target) { target.rows().room++; });
    }
    if (prng.below(10) == 0) {
        const auto port = static_cast<uint32_t>(prng.below(shape_.config.ports));
        each([&](TargetUnderTest& target) { target.port(port).waiting = 1; });
    }
    if (prng.below(40) == 0) {
        const auto port = static_cast<uint32_t>(prng.below(shape_.config.ports));
        const uint64_t lock = prng.below(FW_PAIR_LOCKS);
        const uint64_t owner = prng.below(8) == 0 ? 5u << 1 : 0;
        each([&](TargetUnderTest& target) { target.port(port).pair_locks[lock].owner = owner; });
    }
}

}  // namespace syncline::test
