// SPDX-License-Identifier: BSD-3-Clause
// Finds out, while this process waits for the others of its launch, that one of them has ended and will not come.
//
// Every process checks those of its machine (siblings.h), because the launcher may not report them. The first process
// of each machine also asks the launcher, which may know about other machines: Open MPI's and PRRTE do, Slurm's does
// not. If no process is left on another machine to miss one there, the others can only wait for it. The first and the
// last rank then say once that they wait, and the timeout of the exchange ends the wait.
#pragma once

#include <cstdint>
#include <map>
#include <string>

#include "job/launchers/launcher.h"
#include "job/launchers/siblings.h"

namespace syncline {

class Attendance {
  public:
    // The exchanges have `timeout_ms` each.
    Attendance(Launcher* launcher, uint32_t timeout_ms);

    // Call it now and then. Throws Failure with SYNCLINE_ERR_PEER once a process is known to have ended.
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
    std::map<uint32_t, uint64_t> missed_;  // rank -> time since when every look has missed it
};

}  // namespace syncline
