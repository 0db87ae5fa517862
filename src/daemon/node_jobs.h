// SPDX-License-Identifier: BSD-3-Clause
// The jobs of this node, those that are being built and those that run, and the memory and NIC programs that they
// share. The daemon says when a job ends: with the connection that made it, or with its PEs.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/rate_limit.h"
#include "daemon/job_builder.h"
#include "daemon/limited_log.h"
#include "daemon/node_job.h"
#include "daemon/node_memory.h"
#include "daemon/settings.h"
#include "daemon/targets/nic_programs.h"

namespace syncline {

class NodeJobs {
  public:
    // `resident`: jobs come and go. `requests`: the rate of all connections of a job.
    NodeJobs(const Settings& settings, bool resident, const RateLimit& requests, LimitedLog* log);

    // Running jobs keep their settings.
    void change(const Settings& settings);
    // Loads the NIC program, beside the loop, so that jobs need not wait for the verifier. If a job cannot have xdp, it
    // reports the reason itself.
    void prepare_for_xdp(const std::vector<std::string>& interfaces);
    bool are_resident() const { return resident_; }
    // Returns the NIC programs; NULL while a job is being built, whose thread uses them.
    NicPrograms* programs() { return builder_.is_idle() ? &programs_ : nullptr; }

    // Begins to build a job for that connection (job_builder.h). Throws Failure.
    void build(int connection, Job job);
    // The connection has ended.
    void forget(int connection) { builder_.forget(connection); }
    // Readable when a job has been built.
    int built() const { return builder_.fd(); }
    std::optional<JobBuilder::Outcome> take_built() { return builder_.take(); }
    // A job that has been built runs from now on.
    void begin(const std::shared_ptr<NodeJob>& job);
    void end(uint32_t id);
    // Ends the jobs for which `is_over` returns true.
    void end_if(const std::function<bool(const NodeJob&)>& is_over);

    // Returns a job that runs; NULL: it does not run here, or no longer.
    std::shared_ptr<NodeJob> find(uint32_t id) const;
    // Returns whether a job of that number runs, or is being built.
    bool has(uint32_t id) const { return jobs_.contains(id) || builder_.has(id); }
    bool none_runs() const { return jobs_.empty(); }
    bool had_any() const { return had_any_; }
    // Returns how many jobs a user has here.
    uint32_t count_of(uid_t user) const;
    // Returns how many PEs of a user's jobs have yet to attach.
    uint32_t expected(uid_t user) const;
    // Returns whether a connection of the job may have a request answered now; if so, the request counts.
    bool may_ask(uint32_t id, uint64_t now);
    // Returns the counters of the jobs that a user may see, a JSON array.
    std::string statistics(uid_t user);

    // Call it every now and then.
    void do_work(uint64_t now);
    bool have_timers() const;

  private:
    void tell_of_end(const NodeJob& job);

    NodeMemory memory_;     // outlives the jobs
    NicPrograms programs_;  // outlives the jobs
    const bool resident_;
    const RateLimit request_rate_;
    LimitedLog* const log_;
    std::map<uint32_t, std::shared_ptr<NodeJob>> jobs_;
    std::map<uint32_t, RateLimit> requests_;
    JobBuilder builder_;
    bool had_any_ = false;
};

}  // namespace syncline
