// SPDX-License-Identifier: BSD-3-Clause
// Finds out, while this process waits for the others of its launch, that one of them has ended and will not come.
//
// Every process looks at those of its machine (siblings.h), for the launcher may say nothing of them. The first of each
// machine also asks the launcher, which may know of other machines: Open MPI's and PRRTE do, Slurm's does not. So a
// process on another machine, where none is left to miss it, is only waited for there; the first and the last rank say
// once that they wait, and the timeout of the exchange is what ends that.
#pragma once

#include <cstdint>
#include <map>
#include <string>

#include "job/launcher.h"
#include "job/siblings.h"

namespace syncline {

class Attendance {
  public:
    // The exchanges have `timeout_ms` each.
    Attendance(Launcher* launcher, uint32_t timeout_ms);

    // To be called now and then. Throws Failure with SYNCLINE_ERR_PEER once a process is known to have ended.
    void look(uint64_t now);

  private:
    void miss(uint32_t rank, const std::string& machine, uint64_t now);
    void say_that_it_waits(uint64_t now);

    Launcher* const launcher_;
    const uint32_t timeout_ms_;
    const Siblings siblings_;
    uint64_t began_;
    uint64_t next_;
    bool said_ = false;
    std::map<uint32_t, uint64_t> missed_;  // rank -> since when in every look
};

}  // namespace syncline
