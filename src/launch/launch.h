// SPDX-License-Identifier: BSD-3-Clause
// One job from start to end: test bed, daemons, PEs, their output and signals, and the cleaning up.
//
// Nothing stays behind, however the job ends: children die with the launcher (child.h), a private test bed and XDP
// programs hang on descriptors, the daemons' sockets have abstract names.
#pragma once

#include <sys/resource.h>
#include <sys/types.h>

#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "launch/daemons.h"
#include "launch/members.h"
#include "launch/mpi_members.h"
#include "launch/output.h"
#include "launch/plan.h"
#include "launch/pmix_service.h"
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
    int exit_code() const { return exit_code_; }

    // Tells the udp agents of all nodes, or of one, how to wait.
    void set_agent_mode(AgentMode mode, std::optional<uint32_t> node = std::nullopt) {
        daemons_.set_agent_mode(mode, node);
    }
    // Counters of all nodes, a JSON array.
    std::string statistics() { return daemons_.statistics(); }

  private:
    struct Process {
        uint32_t rank = 0;
        bool ended = false;
    };

    void remark() const;
    void prove_xdp();
    void await(int fd);
    std::vector<std::string> environment_of(uint32_t rank, uint32_t node) const;
    std::vector<uint32_t> first_ranks() const;
    ProgramPart part_of(uint32_t rank) const;
    void start_process(uint32_t rank, uint32_t node);
    void serve_descriptors(int timeout_ms);
    void serve_mpi();
    int patience_ms(int timeout_ms) const;
    void reap();
    bool reap_process();
    bool reap_daemon();
    void reap_mpi();
    void process_ended(Process* process, int status);
    void daemon_ended(uint32_t node, int status);
    void lose_daemon(uint32_t node);
    void read_control(uint32_t node);
    bool await_daemon(uint32_t node);
    void take_unasked(const Message& message);
    void take_kept_notices();
    void take_notices();
    void take_reports();
    void take_report(const PmixReport& report);
    void abort_job(int code);
    void end_job(const std::optional<Members::Verdict>& verdict);
    void hear_daemons();
    void end_without_output();
    void read_signal();
    void kill_when_patience_ends();
    void signal_all(int signal);
    void kill_all();
    void note_failure(int code);

    LaunchOptions options_;
    const rlimit& open_files_;  // the PEs' limit
    Plan plan_;
    UniqueFd signals_;
    StatisticsServer statistics_server_;
    Daemons daemons_;
    std::map<pid_t, Process> processes_;
    Members members_;
    PmixService pmix_;
    MpiMembers mpi_members_;
    Output output_;
    uint32_t alive_ = 0;
    bool output_lost_ = false;
    bool started_ = false;   // PEs are there, and signals theirs
    int ending_signal_ = 0;  // that asked the launcher to end
    int exit_code_ = 0;
    bool end_is_said_ = false;       // of a daemon
    bool aborted_ = false;           // the job is being ended: how its PEs do does not matter
    std::optional<int> abort_code_;  // a PE has asked for the end of the job
    uint64_t abort_at_ns_ = 0;
    int unsettled_code_ = 0;            // of the first PE that has ended before its daemon said how
    uint64_t kill_at_ns_ = UINT64_MAX;  // after a signal to end: when patience does
};

}  // namespace syncline
