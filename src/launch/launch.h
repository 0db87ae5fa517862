// SPDX-License-Identifier: BSD-3-Clause
// One job from start to end: test bed, daemons, PEs, their output and signals, and the cleaning up.
//
// Nothing stays behind, however the job ends: children die with the launcher (child.h), a private test bed and XDP
// programs hang on descriptors, the daemons' sockets have abstract names.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "launch/daemons.h"
#include "launch/ending.h"
#include "launch/output.h"
#include "launch/pe_processes.h"
#include "launch/plan.h"
#include "launch/pmix_service.h"
#include "launch/signals.h"
#include "launch/statistics_server.h"

namespace syncline {

class Launch {
  public:
    // Sets up nodes and daemons; starts no PE yet. Throws Failure, with everything undone; Interrupted if a signal to
    // end comes meanwhile.
    explicit Launch(LaunchOptions options);
    ~Launch();
    Launch(const Launch&) = delete;
    Launch& operator=(const Launch&) = delete;

    const Plan& plan() const { return plan_; }

    // Starts the PEs. Throws Failure.
    void start();
    // Serves signals, output and exits until all PEs have ended; returns the job's exit code: the first one that was
    // not 0 (128 + signal for a killed PE), 0 if all succeeded.
    int run();
    // One turn of run(), for callers with a loop of their own: false once all PEs have ended.
    bool do_work(int timeout_ms);
    int exit_code() const { return ending_.exit_code(); }

    // Tells the udp agents of all nodes, or of one, how to wait.
    void set_agent_mode(AgentMode mode, std::optional<uint32_t> node = std::nullopt) {
        daemons_.set_agent_mode(mode, node);
    }
    // Counters of all nodes, a JSON array.
    std::string statistics() { return daemons_.statistics(); }

  private:
    void prove_xdp();
    Message answer_to(const Message& request);
    void print_traces();
    void await(int fd);
    std::vector<std::string> environment_of(uint32_t rank) const;
    void serve_descriptors(int timeout_ms);
    void serve_mpi();
    void read_signals();
    void read_control(uint32_t node);
    void hear_daemons();
    void lose_daemon(uint32_t node);
    bool await_daemon(uint32_t node);
    void take_kept_notices();
    void take_notices();
    void take_reports();
    void reap();
    bool reap_process();
    bool reap_daemon();
    void reap_mpi();

    LaunchOptions options_;
    Output output_;
    PeProcesses pes_;  // before the plan, which opens files for each node
    Plan plan_;
    Signals signals_;  // behind the plan: until it is made, a signal ends the process
    StatisticsServer statistics_server_;
    Daemons daemons_;
    PmixService pmix_;
    Ending ending_;
    bool started_ = false;  // PEs are there, and signals theirs
};

}  // namespace syncline
