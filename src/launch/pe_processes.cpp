// SPDX-License-Identifier: BSD-3-Clause
#include "launch/pe_processes.h"

#include <fcntl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>

#include "base/check.h"
#include "launch/child.h"
#include "launch/keeper.h"

namespace syncline {
namespace {

// Returns the limit that the process began with.
rlimit raise_open_files() {
    static const rlimit before = [] {
        rlimit limit = {};
        ::getrlimit(RLIMIT_NOFILE, &limit);
        const rlimit all = {limit.rlim_max, limit.rlim_max};
        ::setrlimit(RLIMIT_NOFILE, &all);
        return limit;
    }();
    return before;
}

}  // namespace

PeProcesses::PeProcesses(const LaunchOptions& options, Output* output)
    : options_(options), output_(output), open_files_(raise_open_files()) {}

void PeProcesses::start(const Plan& plan, uint32_t rank, std::vector<std::string> environment) {
    ChildSpec child;
    const ProgramPart part = part_of(options_, rank);
    child.argv = part.program;
    child.environment = std::move(environment);
    child.environment.insert(child.environment.begin(), part.environment.begin(), part.environment.end());
    child.directory = part.directory;
    child.netns = plan.nodes[plan.job.map.node_of(rank)].netns;
    child.kept = true;
    child.open_files = &open_files_;
    child.cpus = plan.binding.placement.of_rank(rank);
    child.uid = plan.job.spec.owner_uid;
    child.change_user = child.uid != ::geteuid();
    UniqueFd null(::open("/dev/null", O_RDONLY | O_CLOEXEC));
    child.stdin_fd = rank == 0 && ::isatty(STDIN_FILENO) == 0 ? -1 : null.get();
    UniqueFd out, err;
    if (options_.prefix) {
        out = output_->add(rank, STDOUT_FILENO);
        err = output_->add(rank, STDERR_FILENO);
        child.stdout_fd = out.get();
        child.stderr_fd = err.get();
    }
    if (options_.child_setup) {
        child.setup = [this, rank] { options_.child_setup(rank); };
    }
    processes_[start_child(child)] = {rank, false};
    alive_++;
}

void PeProcesses::signal_all(int signal) const {
    for (const auto& [pid, process] : processes_) {
        if (!process.ended) {
            signal_kept(pid, signal);
        }
    }
}

// By name, not by -1: a caller may have children of its own.
std::optional<PeProcesses::Ended> PeProcesses::reap() {
    for (auto& [pid, process] : processes_) {
        if (int status = 0; !process.ended && ::waitpid(pid, &status, WNOHANG) == pid) {
            process.ended = true;
            SYNCLINE_ASSERT(alive_ != 0, "PE %u", process.rank);
            alive_--;
            return Ended{process.rank, status};
        }
    }
    return std::nullopt;
}

void PeProcesses::end() {
    SYNCLINE_ASSERT(alive_ <= processes_.size(), "%zu of %zu live", static_cast<size_t>(alive_), processes_.size());
    signal_all(SIGKILL);
    for (auto& [pid, process] : processes_) {
        if (!std::exchange(process.ended, true)) {
            ::waitpid(pid, nullptr, 0);
            alive_--;
        }
    }
}

}  // namespace syncline
