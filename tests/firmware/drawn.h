// SPDX-License-Identifier: BSD-3-Clause
// All that a seed draws for a trace of frames but the frames themselves: the NIC's shape, and what processes and the
// daemon do to its tables in between. Several NICs get the same, to be compared.
#pragma once

#include <vector>

#include "nic_under_test.h"
#include "trace.h"

namespace syncline::test {

NicShape drawn_shape(bool authenticate, uint64_t seed);

class Doings {
  public:
    // Frames come in parts of drawn lengths only if all NICs can choose them.
    Doings(const NicShape& shape, uint64_t seed, Trace& trace, std::vector<NicUnderTest*> nics,
           bool chooses_first_part);

    // Does before the next frame what seeds have it do: segments are closed and resized, processes go to sleep, pair
    // locks are held by others, completions are armed.
    void next();

  private:
    template <typename Action>
    void each(Action action) {
        for (NicUnderTest* const nic : nics_) {
            action(*nic);
        }
    }

    void change_parts();
    void change_segment();
    void change_tables();

    const NicShape shape_;
    Trace& trace_;
    const std::vector<NicUnderTest*> nics_;
    const bool chooses_first_part_;
};

}  // namespace syncline::test
