// SPDX-License-Identifier: BSD-3-Clause
// A `syncline run` of node_pe under observation: what it prints, its processes, and what is left when it has ended.
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <map>
#include <set>
#include <string>

#include "tests/daemon/program.h"

namespace syncline {

constexpr int patience_ms = 20000;  // limit for anything that a job does without delay; only failures reach it

// The parts of a job, by which a test recognises the job's leftovers, so that no other job on the machine disturbs the
// test.
class JobRun {
  public:
    // Waits until all PEs are ready, then notes the job's processes, sockets, namespaces and BPF objects. `before`
    // precedes the command, `wrapper` precedes the PEs' program.
    JobRun(const Strings& options, uint32_t ranks, const Strings& arguments, const Strings& before = {},
           const Strings& wrapper = {});

    bool ready() const { return ready_; }
    Program& launcher() { return launcher_; }
    pid_t pe(int rank) const { return pes_.at(rank); }
    const std::map<pid_t, uint32_t>& daemons() const { return daemons_; }  // process -> node
    size_t bpf_objects() const { return programs_.size() + maps_.size(); }
    size_t namespaces() const { return namespaces_.size(); }

    // Returns everything of the job that is still there after up to `timeout_ms`, a line for each.
    Strings leftovers(int timeout_ms) const;

  private:
    void note_processes();
    void note_bpf_objects(pid_t pid);
    Strings leftovers_now() const;

    const std::string mark_;  // in the environment of all its processes
    Program launcher_;
    bool ready_ = false;
    std::string job_;
    std::map<int, pid_t> pes_;
    std::map<pid_t, uint32_t> daemons_;
    std::set<std::string> namespaces_;
    std::set<uint32_t> programs_, maps_;
};

}  // namespace syncline
