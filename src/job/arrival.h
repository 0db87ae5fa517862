// SPDX-License-Identifier: BSD-3-Clause
// The end of an exchange of a launcher, which a thread other than the waiting one reports, perhaps after that has given
// up.
#pragma once

#include <atomic>
#include <cstdint>

#include "base/unique_fd.h"
#include "job/launcher.h"

namespace syncline {

class Arrival {
  public:
    Arrival();

    // The launcher's status of the exchange. Once.
    void report(int status);
    // Waits for that and returns it; throws Failure after `timeout_ms`.
    int await(uint32_t ranks, uint32_t timeout_ms, const Launcher::Meanwhile& meanwhile) const;

  private:
    UniqueFd event_;
    int status_ = 0;  // written before `reported_` is set, with release
    std::atomic<bool> reported_{false};
};

}  // namespace syncline
