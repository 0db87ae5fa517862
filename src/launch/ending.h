// SPDX-License-Identifier: BSD-3-Clause
// How a job ends, and with which exit code. The launcher reports events: signals, notices of daemons, reports of the
// PMIx server, processes that have ended. An event that ends the job prints a message and kills all PEs; from then on
// it does not matter how they end. The first failure gives the exit code.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "job/protocol/channel.h"
#include "launch/members.h"
#include "launch/mpi_members.h"
#include "launch/options.h"
#include "launch/pe_processes.h"
#include "launch/pmix_server.h"

namespace syncline {

class Ending {
  public:
    Ending(const LaunchOptions& options, PeProcesses* pes);

    int exit_code() const { return exit_code_; }
    // Returns whether an event has ended the job.
    bool has_begun() const { return begun_; }
    // Returns the last signal that asked the launcher to end; 0: none has.
    int signal() const { return signal_; }

    // A signal of the launcher. All PEs get it; after the second one that asks for an end, SIGKILL.
    void take_signal(int signal);
    // A message that a daemon has sent without being asked.
    void take_notice(const Message& message);
    void take_report(const PmixReport& report);
    // The process of a PE has ended, with waitpid()'s status. The notices and reports that came before have been taken.
    void process_ended(uint32_t rank, int status);
    // A private daemon has ended.
    void daemon_ended(const std::string& sentence);
    // The connection to a daemon has ended, and how the daemon did is not known.
    void daemon_lost(const std::string& why);
    // The output of the PEs cannot be written.
    void output_lost(const std::string& why);
    // Ends the job if there is a verdict, unless the job is being ended.
    void end(const std::optional<Members::Verdict>& verdict);
    // Sets the exit code, unless an earlier failure has.
    void note_failure(int code);

    // Ends the job if its end has become due by now.
    void look();
    void kill_when_patience_ends();
    // A PE has asked for the end of the job. After the notices that have come meanwhile are taken, end_if_settled()
    // does so: the PE may ask because another has just died. The status of that one, which is about to be known, is the
    // job's.
    bool is_asked_for() const { return abort_code_.has_value(); }
    void end_if_settled();
    // All processes have ended, so no daemon's word of them is awaited.
    void all_ended() { note_failure(unsettled_code_); }
    // Returns the caller's timeout, or less while something may become due that no descriptor tells.
    int patience_ms(int timeout_ms) const;

  private:
    static void say(const std::string& sentence);
    void ask_for_end(int code);
    void kill_all();

    const LaunchOptions& options_;
    PeProcesses* const pes_;
    Members members_;
    MpiMembers mpi_members_;
    int exit_code_ = 0;
    int signal_ = 0;
    bool begun_ = false;
    bool daemons_end_is_said_ = false;
    bool output_is_lost_ = false;
    std::optional<int> abort_code_;  // a PE has asked for the end of the job
    uint64_t abort_at_ns_ = 0;
    int unsettled_code_ = 0;            // of the first PE that has ended before its daemon said how
    uint64_t kill_at_ns_ = UINT64_MAX;  // after a signal to end: when patience does
};

}  // namespace syncline
