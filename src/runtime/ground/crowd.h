// SPDX-License-Identifier: BSD-3-Clause
// Whether PEs outnumber the CPUs that they may run on. If they do, a PE that waits yields its CPU at once, because it
// waits for the other PEs on its CPU.
//
// Each process writes the CPUs that it may run on into its port's words, for the PEs of its node. If all nodes are
// parts of one machine (JobSpec::shared_cpus), the PEs of all of them share its CPUs.
#pragma once

#include <atomic>

#include "job/attachment/attachment.h"

namespace syncline {

class Crowd {
  public:
    explicit Crowd(Attachment* attachment);
    ~Crowd();

    // The result of the last look().
    bool is_crowded() const { return crowded_.load(std::memory_order_relaxed); }
    // Counts again, at most each 10 ms: PEs come and go, and a program may bind itself to a CPU.
    void look();

  private:
    void publish() const;

    Attachment* const attachment_;
    std::atomic<bool> crowded_{false};
    std::atomic<uint64_t> looked_at_ns_{0};
};

}  // namespace syncline
