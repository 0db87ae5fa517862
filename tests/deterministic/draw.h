// SPDX-License-Identifier: BSD-3-Clause
// Draws the options of every run from its seed.
#pragma once

#include <initializer_list>

#include "base/prng.h"
#include "tests/deterministic/world.h"

namespace syncline::deterministic {

uint64_t one_of(Prng* prng, std::initializer_list<uint64_t> choices);

// Draws nodes, PEs and their layout, window, whether NICs or processes deposit replies, direct memory or packets,
// polling or blocking, the faults of the network, and how long the packets of each node's link are.
void draw_world(Prng* prng, WorldOptions* world);
// Draws all of this but the nodes and their PEs, which the world has already.
void draw_conditions(Prng* prng, WorldOptions* world);

}  // namespace syncline::deterministic
