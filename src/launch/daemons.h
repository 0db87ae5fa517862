// SPDX-License-Identifier: BSD-3-Clause
// The daemons of a job, one for each node: the resident one that listens there and serves this user, or a private one,
// a child of the launcher that ends with the job.
#pragma once

#include <sys/types.h>

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "base/failure.h"
#include "job/protocol/channel.h"
#include "job/protocol/traces.h"
#include "launch/plan.h"

namespace syncline {

class Daemons {
  public:
    struct Ended {
        uint32_t node;
        int status;  // as waitpid() gives it
    };

    static std::string sentence_of(const Ended& ended);

    // A daemon may be stopped: the launcher waits for its answers by `await`, which may throw.
    Daemons(const LaunchOptions& options, Plan* plan, Channel::Await await);

    // Has all daemons create the job, several at a time. Throws; the caller then calls end().
    void start();
    // Gives all up, so that they can start again.
    void dismiss();
    // Why the job, which all daemons have created, cannot go over xdp; "" if it can, or goes over something else.
    std::string why_not_xdp();
    // Closes all connections, which ends the jobs at resident daemons, and private daemons altogether. SIGKILL ends a
    // private one that takes longer.
    void end(uint64_t patience_ns);

    // Connections, per node; one that was lost is not valid.
    std::vector<Channel>& controls() { return controls_; }
    const std::string& address_of(uint32_t node) const { return addresses_[node]; }

    // A private daemon of the node runs, or is still to be reaped.
    bool is_private(uint32_t node) const;
    // A private daemon that has ended, once.
    std::optional<Ended> reap();

    // Tells the udp agents of all nodes, or of one, how to wait.
    void set_agent_mode(AgentMode mode, std::optional<uint32_t> node);
    // Counters of all nodes, a JSON array.
    std::string statistics();
    // A node's answer to a request for traces, as it is; throws Failure if the node has no daemon any more.
    Message traces_of(const TracesRequest& request);
    // The traces of all nodes whose daemons answer.
    std::vector<ReadTrace> traces();

  private:
    void start_all();
    void explain(const Failure& failure);
    void begin(uint32_t node);
    void finish(uint32_t node);
    bool ask_resident(uint32_t node);
    bool may_begin(uint32_t node, uint32_t finished) const;
    void start_private_ones();
    void ask_private(uint32_t node);
    bool has_resident(uint32_t node) const;
    bool has_asked_resident(uint32_t node) const;
    void start_private(uint32_t node);
    void await_private(uint32_t node);
    void pass_program_on(uint32_t node);
    void connect(uint32_t node, const std::string& address);
    void ask_for_job(uint32_t node);
    Message ask(uint32_t node, const Message& message);

    const LaunchOptions& options_;
    Plan* const plan_;
    const Channel::Await await_;
    std::vector<Channel> controls_;
    std::vector<std::string> addresses_;  // where each node's daemon listens
    std::map<pid_t, uint32_t> private_;   // process -> node
    std::map<uint32_t, UniqueFd> ready_;  // node -> pipe of a private daemon that may not listen yet
    // While they start: the private daemon that loads a NIC program for all, and what it has lent of it.
    std::optional<uint32_t> lender_;
    std::optional<Message> program_;
};

}  // namespace syncline
