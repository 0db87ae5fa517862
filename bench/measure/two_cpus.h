// SPDX-License-Identifier: BSD-3-Clause
// The CPUs on which the two sides of a measurement run.
#pragma once

namespace syncline::bench {

// Returns the first two CPUs that this process may use; the only one twice, if there is no other.
struct TwoCpus {
    int initiator = 0;
    int target = 0;

    static TwoCpus choose();
    bool is_one() const { return initiator == target; }
};

}  // namespace syncline::bench
