// SPDX-License-Identifier: BSD-3-Clause
// The processes of a job's PEs, each under a keeper (keeper.h): how they start, what signals reach them, how they end.
#pragma once

#include <sys/resource.h>
#include <sys/types.h>

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "launch/options.h"
#include "launch/output.h"
#include "launch/plan.h"

namespace syncline {

class PeProcesses {
  public:
    struct Ended {
        uint32_t rank;
        int status;  // as waitpid() gives it
    };

    // Raises this process's limit of open files, for it holds descriptors for each node and PE. The PEs get the limit
    // that the user has set. `output` takes their output if it is to be prefixed.
    PeProcesses(const LaunchOptions& options, Output* output);

    // Starts a PE with these variables. Throws Failure.
    void start(const Plan& plan, uint32_t rank, std::vector<std::string> environment);
    // Returns how many have not been reaped yet.
    uint32_t alive() const { return alive_; }
    void signal_all(int signal) const;
    // Returns a process that has ended, once.
    std::optional<Ended> reap();
    // Kills all, and waits for their ends.
    void end();

  private:
    struct Process {
        uint32_t rank = 0;
        bool ended = false;
    };

    const LaunchOptions& options_;
    Output* const output_;
    const rlimit open_files_;  // the PEs' limit
    std::map<pid_t, Process> processes_;
    uint32_t alive_ = 0;
};

}  // namespace syncline
