// SPDX-License-Identifier: BSD-3-Clause
// One job as this node runs it: its memory, its NIC and its ports, and between nodes its packets.
#pragma once

#include <atomic>
#include <memory>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <vector>

#include "base/trace.h"
#include "daemon/node_memory.h"
#include "daemon/packet/node_packets.h"
#include "daemon/targets/node_target.h"
#include "job/protocol/channel.h"

namespace syncline {

class NodeJob {
  public:
    // Takes the memory with which the job begins. Throws Failure. `memory` and `programs` outlive it.
    NodeJob(Job job, NodeMemory* memory, NicPrograms* programs);
    // When it returns, everything is in place; after a failure the job cannot be used. Throws Failure. Any one thread
    // may call it: the job shares with other jobs only the interface's dispatcher and a NIC program.
    void build();
    ~NodeJob();

    const Job& job() const { return job_; }
    uint32_t id() const { return job_.spec.config.job; }

    // Adds the events of the ports from `first` on, as many as a message has room for. Throws Failure.
    void add_events(uint32_t first, std::vector<int>* fds) const;
    // Opens the port of `rank` for a process and writes the answer with its descriptors. Throws Failure.
    void attach(const AttachRequest& request, Message* answer, std::vector<int>* fds, uint32_t* port);
    // Called when the process of a port has left: operations that others still address to it are refused from now on.
    void close_port(uint32_t port);
    // Called when the process of a port is gone without leaving: as close_port(), and its locks are recovered.
    void port_died(uint32_t port);

    // Returns the segment of any port of the node, for mapping. Throws Failure.
    int segment(const SegmentRequest& request, SegmentAnswer* answer) const;
    int register_segment(uint32_t port, uint64_t bytes, SegmentAnswer* answer);
    void deregister_segment(uint32_t port, uint32_t segment);
    // Gives up a deregistered segment's memory; returns false while the agent may still be using it, which is not for
    // long.
    bool release_segment(uint32_t port, uint32_t segment);
    // Returns how many PEs have yet to attach.
    uint32_t expected() const;

    // Makes the trace of the PE at a port, once; returns its descriptor. With the job's first, the daemon's own trace
    // of the job begins. Throws Failure.
    int begin_trace(uint32_t port, uint32_t events, uint32_t process);
    // Adds the traces from `first` on, as many as a message has room for: the daemon's, then those of PEs. Returns the
    // number of all.
    uint32_t add_traces(uint32_t first, std::vector<int>* fds) const;
    const Trace& trace() const { return trace_; }

    // Greets the next nodes' NICs; writes which have not answered yet, and a message about this node's link.
    void prove(Message* answer);

    void set_agent_mode(AgentMode mode);
    // Call it every now and then; returns the work done.
    int do_work(uint64_t now);
    bool has_timer() const { return packets_ != nullptr; }

    // Returns counters, state and, of each kind, at most `waits` waits as a JSON object (job_statistics.cpp).
    std::string statistics(size_t waits);

  private:
    static Job completed(Job job);

    struct Port {
        UniqueFd event;
        UniqueFd trace;
        bool attached = false;
        bool dead = false;
    };

    // A deregistered segment whose memory the agent may still be using.
    struct Closing {
        uint64_t bytes = 0;
        uint64_t agent_turn = 0;  // the agent's turn from which on it does not use the memory
    };

    uint32_t rank_at(uint32_t port) const { return job_.map.rank_at(job_.spec.config.node, port); }
    void open_ports();
    void add_counters(nlohmann::ordered_json* json);
    void add_waits(nlohmann::ordered_json* json, size_t most);
    // Makes a PE's sockets, whose descriptors go with the message.
    void add_sockets(Message* answer, std::vector<int>* fds) const;
    void begin_own_trace(uint32_t events);
    void break_barriers(uint32_t port);
    static void wake_port(void* job, uint32_t port);
    UdpAgent* agent() const { return packets_ ? packets_->agent() : nullptr; }

    Job job_;
    NicPrograms* const programs_;
    // Other jobs ask for the memory that this job has not touched, also while it is being built (release, acquire).
    std::atomic<bool> is_built_ = false;
    NodeMemory::Share memory_;
    Trace trace_;  // before its users
    UniqueFd trace_file_;
    std::unique_ptr<NodeTarget> target_;
    std::vector<Port> ports_;
    std::vector<Closing> closing_;          // for each port
    std::unique_ptr<NodePackets> packets_;  // NULL for a job of one node
};

}  // namespace syncline
