// SPDX-License-Identifier: BSD-3-Clause
// The parts of `syncline bench atomics`. Each part goes round-robin over all its conditions and series, repeat after
// repeat, so that the machine's drift affects all of them equally.
#pragma once

#include <fmt/format.h>

#include "bench/atomics/world.h"
#include "bench/report/progress.h"
#include "bench/report/results.h"

namespace syncline::bench {

class Part {
  public:
    virtual ~Part() = default;
    // Returns how many batches one repeat has.
    virtual uint64_t batches() const = 0;
    virtual uint64_t repeats() const = 0;
    // Runs one repeat.
    virtual void repeat(Progress* progress) = 0;
    virtual void finish(Results* results) = 0;
};

using PartPointer = std::unique_ptr<Part>;

// Buntinas 2002, figure 4.
PartPointer make_latency(const World& world, const Settings& settings);
// Compares a target that computes and never calls the library with an idle target.
PartPointer make_computing(const World& world, const Settings& settings);
// Compares an atomic at a PE of the same node with the CPU's instruction.
PartPointer make_local(const World& world, const Settings& settings);
PartPointer make_rates(const World& world, const Settings& settings);
// Figure 7: the CPU time that the target keeps for a computing process.
PartPointer make_counter(const World& world, const Settings& settings);
// Figure 8: the bandwidth that a stream from the target to a third node keeps.
PartPointer make_bandwidth(const World& world, const Settings& settings);

// Returns those of the named series that can run on this machine.
std::vector<const Series*> choose(const World& world, const std::vector<std::string>& names);

}  // namespace syncline::bench
