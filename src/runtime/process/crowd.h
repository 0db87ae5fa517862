// SPDX-License-Identifier: BSD-3-Clause
// Whether PEs outnumber the CPUs that they may run on. Then a PE that waits gives its CPU away at once: it is the
// others on its CPU that it waits for.
//
// Each process writes the CPUs that it may run on into its port's words, for the PEs of its node. Where all nodes are
// parts of one machine (JobSpec::shared_cpus), the PEs of all of them share its CPUs.
#pragma once

#include <atomic>

#include "job/attachment.h"

namespace syncline {

class Crowd {
  public:
    explicit Crowd(Attachment* attachment);
    ~Crowd();

    // As of the last look().
    bool is_crowded() const { return crowded_.load(std::memory_order_relaxed); }
    // Counts again: PEs come and go, and a program may bind itself to a CPU. At most each 10 ms.
    void look();

  private:
    void publish() const;

    Attachment* const attachment_;
    std::atomic<bool> crowded_{false};
    std::atomic<uint64_t> looked_at_ns_{0};
};

}  // namespace syncline
