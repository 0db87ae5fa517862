// SPDX-License-Identifier: BSD-3-Clause
#include "tests/deterministic/draw.h"

#include <numeric>

namespace syncline::deterministic {

uint64_t one_of(Prng* prng, std::initializer_list<uint64_t> choices) {
    return choices.begin()[prng->below(choices.size())];
}

// Any rank may be at any port.
static void draw_layout(Prng* prng, WorldOptions* world) {
    world->ranks.resize(std::accumulate(world->ports.begin(), world->ports.end(), size_t{0}));
    std::iota(world->ranks.begin(), world->ranks.end(), uint16_t{0});
    for (size_t i = world->ranks.size() - 1; i > 0; i--) {
        std::swap(world->ranks[i], world->ranks[prng->below(i + 1)]);
    }
}

// Links of Ethernet's usual length, jumbo frames, or something in between; in half of the worlds all are alike.
static void draw_links(Prng* prng, WorldOptions* world) {
    const bool alike = prng->below(2) == 0;
    for (size_t node = 0; node < world->ports.size(); node++) {
        const uint64_t between = SLW_PACKET_LEAST + 8 * prng->below((SLW_PACKET_MAX - SLW_PACKET_LEAST) / 8);
        const auto drawn = static_cast<uint32_t>(one_of(prng, {SLW_PACKET_LEAST, between, SLW_PACKET_MAX}));
        world->packet_max.push_back(alike && node != 0 ? world->packet_max[0] : drawn);
    }
}

void draw_world(Prng* prng, WorldOptions* world) {
    const uint64_t nodes = 1 + prng->below(4);
    for (uint64_t node = 0; node < nodes; node++) {
        world->ports.push_back(static_cast<uint32_t>(1 + prng->below(nodes == 1 ? 5 : 3)));
    }
    draw_conditions(prng, world);
}

void draw_conditions(Prng* prng, WorldOptions* world) {
    if (prng->below(2) == 0) {
        draw_layout(prng, world);
    }
    world->window = static_cast<uint32_t>(one_of(prng, {1, 3, 9}));  // from two on, one is the runtime's
    world->deposits = prng->below(2) == 0;
    world->endpoint.direct = prng->below(2) == 0;
    world->endpoint.wait_mode = prng->below(2) == 0 ? SYNCLINE_WAIT_POLL : SYNCLINE_WAIT_BLOCK;
    const double rates[] = {0, 0.01, 0.1, 0.25};
    world->faults.loss = rates[prng->below(4)];
    world->faults.repeat = rates[prng->below(4)];
    world->faults.late = rates[prng->below(3)];
    world->preemption = static_cast<uint32_t>(one_of(prng, {0, 30, 300}));
    draw_links(prng, world);
    Prng copy = *prng;  // the card changes none of the draws that follow
    Prng own(copy.next() ^ 0xca4d);
    world->card = {own.below(7) == 0 ? CardKind::kSharing : CardKind::kNone, own.below(2) == 0};
}

}  // namespace syncline::deterministic
