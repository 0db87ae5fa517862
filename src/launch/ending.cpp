// SPDX-License-Identifier: BSD-3-Clause
#include "launch/ending.h"

#include <fmt/format.h>
#include <sys/wait.h>

#include <csignal>
#include <cstring>
#include <utility>

#include "base/clock.h"
#include "base/interruption.h"

namespace syncline {
namespace {

constexpr uint64_t grace_ns = 5 * ns_per_s;               // between a request to end and SIGKILL
constexpr uint64_t status_patience_ns = 200 * ns_per_ms;  // between the end of a PE's connection and its exit

int code_of(int status) {
    return WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
}

}  // namespace

Ending::Ending(const LaunchOptions& options, PeProcesses* pes)
    : options_(options), pes_(pes), members_(options.ranks), mpi_members_(options.ranks) {}

void Ending::say(const std::string& sentence) {
    fmt::print(stderr, "syncline: {}: ending the job\n", sentence);
}

void Ending::note_failure(int code) {
    if (exit_code_ == 0) {
        exit_code_ = code;
    }
}

void Ending::kill_all() {
    begun_ = true;
    pes_->signal_all(SIGKILL);
}

void Ending::end(const std::optional<Members::Verdict>& verdict) {
    if (!verdict || begun_) {
        return;
    }
    say(verdict->sentence);
    note_failure(verdict->code);
    kill_all();
}

void Ending::take_signal(int signal) {
    if (is_ending(signal)) {
        signal_ = signal;
        note_failure(128 + signal);
        if (kill_at_ns_ != UINT64_MAX) {
            kill_all();  // asked twice
            return;
        }
        kill_at_ns_ = now_ns() + grace_ns;
    }
    pes_->signal_all(signal);
}

void Ending::kill_when_patience_ends() {
    if (now_ns() > kill_at_ns_) {
        kill_all();
        kill_at_ns_ = UINT64_MAX;
    }
}

void Ending::ask_for_end(int code) {
    abort_code_ = abort_code_.value_or(code & 255);
    abort_at_ns_ = now_ns();
}

void Ending::take_notice(const Message& message) {
    if (AbortRequest abort; message.type == MessageType::kAbort && message.read(&abort)) {
        ask_for_end(abort.code);
        members_.aborted(abort.rank);
    }
    if (MemberNotice notice; message.type == MessageType::kMember && message.read(&notice)) {
        end(members_.notice(notice, now_ns()));
    }
    if (message.type == MessageType::kStop) {
        daemons_end_is_said_ = daemons_end_is_said_ || !begun_;
        end(Members::Verdict{message.text(), 1});
    }
}

void Ending::take_report(const PmixReport& report) {
    switch (report.event) {
        case PmixReport::kBegun:
            end(mpi_members_.begun(report.rank));
            break;
        case PmixReport::kFinished:
            mpi_members_.finished(report.rank);
            break;
        case PmixReport::kLost:
            mpi_members_.lost(report.rank, now_ns());
            break;
        case PmixReport::kAborted:
            ask_for_end(report.code);
            mpi_members_.aborted(report.rank);
            members_.aborted(report.rank);
            break;
        case PmixReport::kFailed:
            end(Members::Verdict{
                fmt::format("a PE calls MPI_Init, and its PMIx server does not start: {}", report.text), 1});
            break;
    }
}

void Ending::process_ended(uint32_t rank, int status) {
    const std::optional<Members::Verdict> of_mpi = mpi_members_.process_ended(rank, status);
    const std::optional<Members::Verdict> of_job = members_.process_ended(rank, status, now_ns());
    const std::optional<Members::Verdict>& verdict = of_mpi ? of_mpi : of_job;
    const bool is_asked_to_end = kill_at_ns_ != UINT64_MAX;
    if (begun_) {
        return;
    }
    if (!is_asked_to_end) {
        end(verdict);
    }
    if (WIFSIGNALED(status) && !verdict && !is_asked_to_end && exit_code_ == 0 && !options_.quiet) {
        fmt::print(stderr, "syncline: PE {} was killed by signal {} ({})\n", rank, WTERMSIG(status),
                   ::strsignal(WTERMSIG(status)));
    }
    if (!WIFSIGNALED(status) && members_.must_await_daemon(rank)) {
        unsettled_code_ = unsettled_code_ != 0 ? unsettled_code_ : code_of(status);
    } else if (!members_.has_aborted(rank)) {
        note_failure(code_of(status));
    }
    if (options_.end_on_crash && WIFSIGNALED(status)) {
        kill_all();
    }
}

// The daemon itself may have said that it ends.
void Ending::daemon_ended(const std::string& sentence) {
    if (!std::exchange(daemons_end_is_said_, true)) {
        say(sentence);
    }
    note_failure(1);
    kill_all();
}

void Ending::daemon_lost(const std::string& why) {
    say(why);
    kill_all();
}

void Ending::output_lost(const std::string& why) {
    if (!std::exchange(output_is_lost_, true)) {
        say(why);
        note_failure(1);
        kill_all();
    }
}

void Ending::look() {
    kill_when_patience_ends();
    if (members_.must_look()) {
        end(members_.look(now_ns()));
    }
    if (mpi_members_.must_look()) {
        end(mpi_members_.look(now_ns()));
    }
}

void Ending::end_if_settled() {
    if (!abort_code_ || (members_.must_look() && pes_->alive() != 0 && now_ns() < abort_at_ns_ + status_patience_ns)) {
        return;
    }
    note_failure(*abort_code_);
    abort_code_.reset();
    kill_all();
}

int Ending::patience_ms(int timeout_ms) const {
    if (abort_code_) {
        return 5;
    }
    const bool must_look = members_.must_look() || mpi_members_.must_look();
    return kill_at_ns_ != UINT64_MAX || must_look ? 100 : timeout_ms;
}

}  // namespace syncline
