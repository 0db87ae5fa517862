// SPDX-License-Identifier: BSD-3-Clause
// A whole job in one thread: nodes, their NICs, the network between them, and PEs whose library is the real one, from
// the Endpoint upwards. Processes and nodes can be killed, stopped and cut off.
#pragma once

#include <deque>
#include <functional>
#include <memory>
#include <vector>

#include "runtime/process/endpoint.h"
#include "runtime/process/process.h"
#include "tests/deterministic/network.h"
#include "tests/deterministic/node.h"
#include "tests/deterministic/scheduler.h"

namespace syncline::deterministic {

constexpr int event_of_rank(uint32_t rank) {
    return -2 - static_cast<int>(rank);
}
constexpr uint32_t rank_of_event(int event) {
    return static_cast<uint32_t>(-2 - event);
}

struct WorldOptions {
    std::vector<uint32_t> ports;  // PEs of each node
    std::vector<uint16_t> ranks;  // by node and port; empty: one after the other
    uint32_t window = 4;
    bool deposits = true;  // the NIC deposits replies (xdp), or processes read their sockets (udp)
    struct {
        int wait_mode = SYNCLINE_WAIT_POLL;
        uint32_t peer_timeout_ms = 5000;
        bool direct = true;  // false: also PEs of this node are reached by packets
    } endpoint;
    uint64_t heap_bytes = 2 * SLW_BLOCK_BYTES;
    std::vector<uint32_t> packet_max;  // of each node; empty: the longest there is
    NetworkFaults faults;
    uint32_t preemption = 0;
    // One of so many compare&swaps of an add begins a time in which others are quicker, for up to rival_turns of them.
    uint32_t rivals = 0;
    uint32_t rows = UINT32_MAX;  // that each node begins with; it makes more when they are taken
    bool forgetful = false;      // broken on purpose: NICs execute a repeated request again
};

class World {
  public:
    using Program = std::function<void(Endpoint*)>;
    World(uint64_t seed, const WorldOptions& options);
    ~World();
    World(const World&) = delete;
    World& operator=(const World&) = delete;
    static World* active();

    Scheduler& scheduler() { return scheduler_; }
    uint32_t size() const { return map_.ranks(); }
    uint32_t node_of(uint32_t rank) const { return map_.node_of(rank); }
    const fw_config& config_of(uint32_t node) const { return nodes_[node]->config(); }
    // A word of a PE's heap as it is, for checks.
    uint64_t peek(uint32_t rank, syncline_address_t address) const;
    // The word of the pair lock that a PE has, or 0.
    uint64_t pair_lock_of(uint32_t rank) const;
    // Calls `action` in front of each store and exchange of a pair operation that a PE executes by itself, with the
    // PE's rank and the store's number in the operation, from 1 on. The PE has the pair's lock.
    using PairAction = std::function<void(uint32_t, uint32_t)>;
    void at_pair_steps(PairAction action) { pair_action_ = std::move(action); }
    void begin_pair() { pair_steps_[scheduler_.running()] = 0; }
    void step_in_pair();
    uint64_t packets() const { return network_.sent(); }
    size_t longest_packet() const { return network_.longest(); }
    // Probes that were longer than a link, and other packets that were: no PE may send one, nor ask for one.
    uint64_t long_probes() const { return long_probes_; }
    uint64_t strays() const { return network_.too_long() - long_probes_; }
    // Paths that become shorter on the way; packets that this has lost; requests closed that were never executed, and
    // that were.
    void add_shrink(const Network::Shrink& shrink) { network_.add_shrink(shrink); }
    uint64_t lost_to_shrink() const { return network_.lost_to_shrink(); }
    uint64_t closed() const { return closed_; }
    uint64_t closed_late() const { return closed_late_; }
    // Replies that told a PE to send the rest of its request again.
    uint64_t retries() const { return retries_; }
    // Packets that left in the frame of a reply, and those for which it was too short.
    uint64_t followers() const { return followers_; }
    uint64_t followers_lost() const { return followers_lost_; }
    // A NIC is about to store a sum of floating-point numbers. Calls `action` if another is quicker: it is to change
    // the word, of so many bytes, at this address of a PE's heap.
    using RivalAction = std::function<void(uint32_t, syncline_address_t, uint8_t*, uint32_t)>;
    void at_rivals(RivalAction action) { rival_action_ = std::move(action); }
    void before_sum(uint8_t* word, uint32_t bytes);
    // A NIC that does not keep to the protocol: changes its replies, which are sealed after that.
    using ReplyAction = std::function<void(std::vector<uint8_t>*)>;
    void at_replies(ReplyAction action) { reply_action_ = std::move(action); }

    // All PEs run it, each in a process of its own, whose end is that of the program.
    bool run(const Program& program, uint64_t time_limit);
    // The parts that a PE attaches with.
    Process::Parts attach(uint32_t rank);
    int wait_mode() const { return options_.endpoint.wait_mode; }
    void spawn(uint32_t rank, std::function<void()> body);

    bool dead(uint32_t rank) const { return scheduler_.dead(rank); }
    // Its daemon notices soon; `recovered` is called when it has done its part.
    void kill(uint32_t rank, Scheduler::Action recovered = [] {});
    void kill_node(uint32_t node);  // no process does
    // The node's NIC or agent goes with it, and no process of the node is missed any more.
    void kill_daemon(uint32_t node);
    void cut(uint32_t node, bool off) { network_.cut(node, off); }
    void set_execution(uint64_t ns) { network_.set_execution(ns); }
    void signal(uint32_t rank);  // another process wakes the PE
    // A NIC sends on its own.
    void emit(uint32_t from, uint32_t to, const uint8_t* packet, uint32_t length) {
        network_.send({from, to, 0, {packet, packet + length}, length});
    }

  private:
    class Port;
    bool is_probe(const uint8_t* packet) const;
    void receive(const Packet& packet);
    void execute(const Packet& packet);
    void answer(const Packet& packet, std::vector<uint8_t> bytes);
    void end(uint32_t rank);
    bool polls() const { return options_.endpoint.wait_mode == SYNCLINE_WAIT_POLL; }

    const WorldOptions options_;
    const RankMap map_;
    Scheduler scheduler_;
    Network network_;
    std::vector<std::unique_ptr<Node>> nodes_;
    std::vector<bool> without_daemon_;                       // each node
    std::vector<Attachment*> attachments_;                   // of each rank that runs
    std::vector<std::deque<std::vector<uint8_t>>> inboxes_;  // of each rank's socket
    std::vector<uint32_t> pair_steps_;                       // of each rank's operation
    PairAction pair_action_ = [](uint32_t, uint32_t) {};
    RivalAction rival_action_;
    ReplyAction reply_action_;
    uint64_t rivals_left_ = 0;
    uint32_t executing_ = 0;  // the node whose NIC is at work
    uint64_t long_probes_ = 0;
    uint64_t retries_ = 0;
    uint64_t closed_ = 0;
    uint64_t closed_late_ = 0;
    uint64_t followers_ = 0;
    uint64_t followers_lost_ = 0;
};

}  // namespace syncline::deterministic
