// SPDX-License-Identifier: BSD-3-Clause
// The PEs of a collective call (a team, or an active set): their signals, and their barriers.
//
// Signals: each member has a word for each other member, to which that other member adds; the owner counts how much of
// it it has consumed. Words only grow, and adds happen exactly once, so no word is ever reset.
//
// A barrier is one of three:
// - by these signals (signal_barrier.h);
// - the node barrier, where PEs outnumber the CPUs and all members are on one node: each adds one to a word of member
//   0's, and the last one stores the barrier's number into a second word, which the others wait for. Every PE then runs
//   once for a barrier, where by dissemination it runs once for a round;
// - a numbered barrier (barrier.h), for a team over several nodes.
//
// Small values: members on one node exchange them as follows. Each member leaves its value in its own memory, all run a
// barrier, and each reads the others' values. There are two places for a value, for odd and even exchanges. A PE can be
// in the next exchange while another still reads, but it is in the one after that only when all have come to the next,
// and have read.
//
// Every function that returns a status returns OK, or _PEER or _NODE with a message in last_sentence().
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "runtime/collective/signal_barrier.h"
#include "runtime/operations/context.h"
#include "runtime/symmetric/members.h"
#include "runtime/symmetric/workspace.h"

namespace syncline {

class World;

class Group : private Signals {
  public:
    Group(World* world, int area, Members members);
    ~Group() override;
    Group(const Group&) = delete;
    Group& operator=(const Group&) = delete;

    const Members& members() const { return members_; }
    int size() const { return context_.size; }
    int me() const { return me_; }  // -1: this PE is not a member
    int world(int member) const { return members_.pe(member); }
    bool spans_nodes() const { return spans_nodes_; }
    // Returns the context of the operations of this group's collectives.
    const Context& context() const { return context_; }

    // A barrier: returns when all members have called it.
    int sync();
    // As sync(), and all members' writes in collectives are visible.
    int barrier();

    // Leaves a value for a member; own_value() is the value that a member left here. A barrier() must come between the
    // two.
    int leave_value(int member, uint64_t value);
    uint64_t own_value(int member) const;
    // Gives every member's value to every member. Ends in a sync().
    int exchange(uint64_t value, std::vector<uint64_t>* values);

    // Signals one member, which waits for its signals in the order of the calls. When the member has the signal, it
    // sees this PE's earlier writes to mapped memory.
    int signal(int member);
    int await_signal(int member);

    // For members on one node: leaves this PE's contribution and syncs. Then, until the next call, of_member() returns
    // each member's contribution. Only if has_node().
    using Value = Workspace::Node::Value;
    static constexpr size_t small_bytes = sizeof(Value::data);
    bool has_node() const { return !nodes_.empty(); }
    int share(const void* data, size_t bytes);
    const Value& of_member(int member) const { return nodes_[static_cast<size_t>(member)]->value[shares_ & 1]; }

    // Resets a team's words before another team uses them.
    void clear();
    // From now on the barrier of this number is used.
    int open_numbered_barrier(uint32_t number);
    int close_numbered_barrier();
    bool has_numbered_barrier() const { return numbered_barrier_ != nullptr; }
    // Runs one round of the numbered barrier with a value; returns _UNSUPPORTED if there is none, or if it cannot
    // combine in this way.
    int reduce_in_barrier(Reduction how, uint64_t value, uint64_t* result);

  private:
    int send(int member, const Step&, uint64_t) override { return signal(member); }
    bool take(int member, const Step&, uint64_t*) override;
    int await(int member, const Step&, uint64_t*) override { return await_signal(member); }

    // The words by which this PE and another member signal each other.
    struct Peer {
        uint64_t* mapped;          // the member's word that this PE adds to; NULL: this PE adds by a packet
        const uint64_t* own_word;  // this PE's word that the member adds to
        uint64_t* consumed;        // how much of own_word this PE has consumed
    };

    syncline_address_t word(int member, uint64_t offset) const;
    uint64_t* own(syncline_address_t address) const;
    const Peer& peer(int member);
    void find_node();
    int run_node_barrier();
    int index(int member) const { return area_ == Workspace::active_sets ? world(member) : member; }

    World* const world_;
    Endpoint* const endpoint_;
    const int area_;
    const Members members_;
    const int me_;
    const bool spans_nodes_;
    Context context_;
    std::vector<Peer> peers_;              // filled by the first signal
    std::vector<Workspace::Node*> nodes_;  // each member's node area, if all are mapped here
    uint64_t node_barriers_ = 0;           // node barriers so far, at nodes_[0]
    uint64_t shares_ = 0;
    std::vector<uint64_t> own_counts_;
    std::vector<uint64_t>* consumed_ = nullptr;  // for each word of the area
    SignalBarrier signal_barrier_;
    std::unique_ptr<Barrier> numbered_barrier_;
};

}  // namespace syncline
