// SPDX-License-Identifier: BSD-3-Clause
// The draws of a seed for a trace of frames, besides the frames: the NIC's shape, and the changes that processes and
// the daemon make to its tables between frames. Several NICs get the same draws, and the test compares them.
#pragma once

#include <vector>

#include "target_under_test.h"
#include "trace.h"

namespace syncline::test {

TargetShape drawn_shape(bool authenticate, uint64_t seed);

class Doings {
  public:
    // Frames come in parts of drawn lengths only if all NICs can choose them.
    Doings(const TargetShape& shape, uint64_t seed, Trace& trace, std::vector<TargetUnderTest*> nics,
           bool chooses_first_part);

    // Makes the drawn changes before the next frame: closes and resizes segments, puts processes to sleep, has others
    // hold pair locks, arms completions.
    void next();

  private:
    template <typename Action>
    void each(Action action) {
        for (TargetUnderTest* const target : nics_) {
            action(*target);
        }
    }

    void change_parts();
    void change_segment();
    void change_tables();

    const TargetShape shape_;
    Trace& trace_;
    const std::vector<TargetUnderTest*> nics_;
    const bool chooses_first_part_;
};

}  // namespace syncline::test
