// SPDX-License-Identifier: BSD-3-Clause
// One job as this node runs it: its NIC, its ports, its agent and its retransmission timer.
#pragma once

#include <atomic>
#include <memory>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <vector>

#include "daemon/barrier_timer.h"
#include "daemon/executors/agent.h"
#include "daemon/executors/node_nic.h"
#include "daemon/neighbours.h"
#include "daemon/node_memory.h"
#include "daemon/retransmitter.h"
#include "job/channel.h"

namespace syncline {

class NodeJob {
  public:
    // Takes the memory that the job begins with. Throws Failure. `memory` and `programs` outlive it.
    NodeJob(Job job, NodeMemory* memory, NicPrograms* programs);
    // Everything is in place when this returns; on failure the job is good for nothing. Throws Failure. Any one thread:
    // it shares nothing with other jobs but the interface's dispatcher and a NIC program.
    void build();
    ~NodeJob();

    const Job& job() const { return job_; }
    uint32_t id() const { return job_.spec.config.job; }

    // The events of the ports from `first` on, as many as an answer has room for. Throws Failure.
    void add_events(uint32_t first, std::vector<int>* fds) const;
    // Opens the port of `rank` for a process and writes the answer with its descriptors. Throws Failure.
    void attach(const AttachRequest& request, Message* answer, std::vector<int>* fds, uint32_t* port);
    // The process of a port has left: what others still address to it is refused from now on.
    void close_port(uint32_t port);
    // The process of a port is gone without saying so: as close_port(), and what it held is recovered.
    void port_died(uint32_t port);

    // Segment of any port of the node, for mapping. Throws Failure.
    int segment(const SegmentRequest& request, SegmentAnswer* answer) const;
    int register_segment(uint32_t port, uint64_t bytes, SegmentAnswer* answer);
    void deregister_segment(uint32_t port, uint32_t segment);
    // Gives up a deregistered segment's memory; false while the agent may still be using it, which is not for long.
    bool release_segment(uint32_t port, uint32_t segment);
    // How many PEs have yet to attach.
    uint32_t expected() const;

    // Greets the next nodes' NICs; which have not answered yet, and a sentence about the own link.
    void prove(Message* answer);

    void set_agent_mode(AgentMode mode);
    // To be called every now and then; returns work done.
    int do_work(uint64_t now);
    bool has_timer() const { return retransmitter_ != nullptr; }

    // Counters, state and, of each kind, at most so many waits as a JSON object (job_statistics.cpp).
    std::string statistics(size_t waits);

  private:
    static Job completed(Job job);

    struct Port {
        UniqueFd event;
        bool attached = false;
        bool dead = false;
    };

    // A deregistered segment whose memory the agent may still be using.
    struct Closing {
        uint64_t bytes = 0;
        uint64_t agent_turn = 0;  // from which on it is not
    };

    void open_ports();
    void add_counters(nlohmann::ordered_json* json);
    void add_waits(nlohmann::ordered_json* json, size_t most);
    // Makes a PE's sockets. The descriptors go with the message.
    void add_sockets(Message* answer, std::vector<int>* fds) const;
    void break_barriers(uint32_t port);
    void add_rows();
    static void wake_port(void* job, uint32_t port);
    static void emit(void* job, uint32_t node, const uint8_t* packet, uint32_t length);

    Job job_;
    NicPrograms* const programs_;
    // Other jobs ask for the memory that this one has not touched, also while it is built (release, acquire).
    std::atomic<bool> is_built_ = false;
    NodeMemory::Share memory_;
    std::unique_ptr<NodeNic> nic_;
    bool rows_refused_ = false;  // for want of memory; the job goes on among those that know each other
    std::vector<Port> ports_;
    std::vector<Closing> closing_;  // per port
    UniqueFd socket_;               // at the job's UDP port
    std::unique_ptr<Retransmitter> retransmitter_;
    std::unique_ptr<BarrierTimer> barrier_timer_;
    std::unique_ptr<Neighbours> neighbours_;
    std::unique_ptr<UdpAgent> agent_;
};

}  // namespace syncline
