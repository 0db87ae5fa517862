// SPDX-License-Identifier: BSD-3-Clause
// A whole job in one thread: nodes, their NICs, the network between them, and PEs whose library is the real one, from
// the Endpoint upwards. Processes and nodes can be killed, stopped and cut off.
#pragma once

#include <deque>
#include <functional>
#include <memory>
#include <vector>

#include "runtime/endpoint/endpoint.h"
#include "runtime/process/process.h"
#include "tests/deterministic/card.h"
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
    std::vector<uint32_t> ports;  // number of PEs of each node
    std::vector<uint16_t> ranks;  // by node and port; empty: consecutive
    uint32_t window = 4;
    bool deposits = true;  // the NIC deposits replies (xdp), or processes read their sockets (udp)
    struct {
        int wait_mode = SYNCLINE_WAIT_POLL;
        uint32_t peer_timeout_ms = 5000;
        bool direct = true;  // false: packets also reach PEs of this node
    } endpoint;
    uint64_t heap_bytes = 2 * SLW_BLOCK_BYTES;
    SimulatedCard::Options card;       // of each PE
    std::vector<uint32_t> packet_max;  // for each node; empty: the greatest possible
    NetworkFaults faults;
    uint32_t preemption = 0;
    // One in this many compare&swaps of an add begins a time in which others are quicker, for up to rival_turns
    // compare&swaps.
    uint32_t rivals = 0;
    uint32_t rows = UINT32_MAX;  // number of rows that each node begins with; it makes more when they are taken
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
    // Returns the present value of a word of a PE's heap, for checks.
    uint64_t peek(uint32_t rank, syncline_address_t address) const;
    // Returns the word of the pair lock that a PE holds, or 0.
    uint64_t pair_lock_of(uint32_t rank) const;
    // Calls `action` before each store and exchange of a pair operation that a PE executes by itself, with the PE's
    // rank and the store's number in the operation, from 1 on. The PE holds the pair's lock.
    using PairAction = std::function<void(uint32_t, uint32_t)>;
    void at_pair_steps(PairAction action) { pair_action_ = std::move(action); }
    void begin_pair() { pair_steps_[scheduler_.running()] = 0; }
    void step_in_pair();
    uint64_t packets() const { return network_.sent(); }
    size_t longest_packet() const { return network_.longest(); }
    // Return the numbers of probes and of other packets that were too long for a link. No PE may send one of the
    // latter, nor ask for one.
    uint64_t long_probes() const { return long_probes_; }
    uint64_t strays() const { return network_.too_long() - long_probes_; }
    // add_shrink() shortens a path during the run. The others return the numbers of packets that this has lost, of
    // closed requests that were never executed, and of closed requests that were.
    void add_shrink(const Network::Shrink& shrink) { network_.add_shrink(shrink); }
    uint64_t lost_to_shrink() const { return network_.lost_to_shrink(); }
    uint64_t closed() const { return closed_; }
    uint64_t closed_late() const { return closed_late_; }
    // Returns the number of replies that told a PE to send the rest of its request again.
    uint64_t retries() const { return retries_; }
    // Return the numbers of packets that left in the frame of a reply, and of packets for which the frame was too
    // short.
    uint64_t followers() const { return followers_; }
    uint64_t followers_lost() const { return followers_lost_; }
    // A NIC is about to store a sum of floating-point numbers. If another executor is to be quicker, calls `action`,
    // which must change the word of this many bytes at this address of a PE's heap.
    using RivalAction = std::function<void(uint32_t, syncline_address_t, uint8_t*, uint32_t)>;
    void at_rivals(RivalAction action) { rival_action_ = std::move(action); }
    void before_sum(uint8_t* word, uint32_t bytes);
    // Makes a NIC break the protocol: changes its replies before they are sealed.
    using ReplyAction = std::function<void(std::vector<uint8_t>*)>;
    void at_replies(ReplyAction action) { reply_action_ = std::move(action); }

    // Has all PEs run the program, each in a process of its own, which ends with the program.
    bool run(const Program& program, uint64_t time_limit);
    // Returns the parts that a PE attaches with.
    Process::Parts attach(uint32_t rank);
    int wait_mode() const { return options_.endpoint.wait_mode; }
    void spawn(uint32_t rank, std::function<void()> body);

    bool dead(uint32_t rank) const { return scheduler_.dead(rank); }
    // Kills a process. Its daemon notices soon; `recovered` is called when the daemon has done its part.
    void kill(uint32_t rank, Scheduler::Action recovered = [] {});
    void kill_node(uint32_t node);  // with all its PEs; no other process notices at once
    // The process that runs dies of a call of its own. No launcher ends the others.
    [[noreturn]] void end_running();
    // Returns the processes that end_running() has ended.
    const std::vector<uint32_t>& ended_by_call() const { return ended_by_call_; }
    // The node's NIC or agent ends with its daemon, and no daemon notices a death on the node any more.
    void kill_daemon(uint32_t node);
    void cut(uint32_t node, bool off) { network_.cut(node, off); }
    void set_execution(uint64_t ns) { network_.set_execution(ns); }
    void signal(uint32_t rank);  // another process wakes the PE
    // For cards: whether one at a PE's node reaches another PE's node; memory of a PE, or NULL with the reason; until
    // when the atomic unit of a PE's node is busy.
    bool card_reaches(uint32_t from, uint32_t to) const;
    uint8_t* card_memory(uint32_t rank, syncline_address_t address, uint64_t bytes, int* status) const;
    uint64_t* atomic_unit(uint32_t rank) { return &atomic_units_[node_of(rank)]; }
    // Sends a packet that a NIC makes on its own.
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
    std::vector<bool> without_daemon_;  // for each node
    std::vector<uint32_t> ended_by_call_;
    std::vector<uint64_t> atomic_units_;                     // for each node: until when its card's is busy
    std::vector<Attachment*> attachments_;                   // for each rank that runs
    std::vector<std::deque<std::vector<uint8_t>>> inboxes_;  // packets at each rank's socket
    std::vector<uint32_t> pair_steps_;                       // steps of each rank's pair operation
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
