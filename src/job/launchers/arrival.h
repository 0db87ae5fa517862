// SPDX-License-Identifier: BSD-3-Clause
// The end of a launcher's exchange, or its answer. A thread other than the waiting one reports it, perhaps after the
// waiting one has given up.
#pragma once

#include <atomic>
#include <cstdint>
#include <optional>

#include "base/unique_fd.h"
#include "job/launchers/launcher.h"

namespace syncline {

class Arrival {
  public:
    Arrival();

    // Reports the launcher's status; called once.
    void report(int status);
    // Waits for the report and returns it, or nothing after `timeout_ms`.
    std::optional<int> await(uint32_t timeout_ms, const Launcher::Meanwhile& meanwhile) const;
    // For an exchange of `ranks` processes: throws Failure after `timeout_ms`.
    int await_all(uint32_t ranks, uint32_t timeout_ms, const Launcher::Meanwhile& meanwhile) const;

  private:
    UniqueFd event_;
    int status_ = 0;  // written before `reported_` is set, with release
    std::atomic<bool> reported_{false};
};

}  // namespace syncline
