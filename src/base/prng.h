// SPDX-License-Identifier: BSD-3-Clause
// splitmix64: the seeded generator of fault injection, tests and simulations. Not for keys: those come from
// getrandom(2).
#pragma once

#include <cstdint>

namespace syncline {

class Prng {
  public:
    explicit Prng(uint64_t seed) : state_(seed) {}

    uint64_t next() {
        uint64_t z = (state_ += 0x9E3779B97F4A7C15u);
        z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9u;
        z = (z ^ (z >> 27)) * 0x94D049BB133111EBu;
        return z ^ (z >> 31);
    }

    // Uniform in [0, bound); bound > 0. The bias of the modulo does not matter for faults and tests.
    uint64_t below(uint64_t bound) { return next() % bound; }

    // Returns true with the given probability, which is in [0, 1].
    bool chance(double probability) { return static_cast<double>(next() >> 11) * 0x1.0p-53 < probability; }

  private:
    uint64_t state_;
};

}  // namespace syncline
