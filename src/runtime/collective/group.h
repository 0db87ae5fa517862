// SPDX-License-Identifier: BSD-3-Clause
// The PEs of a collective call (a team, or an active set): their signals, and their barriers.
//
// Signals: each member has a word for each other one, to which that one adds; it counts what it has consumed of it.
// Words only grow, and adds happen exactly once, so nothing is ever reset.
//
// A barrier is one of three:
// - dissemination: in round k member i signals member i + 2^k and waits for member i - 2^k;
// - the node barrier, where PEs outnumber the CPUs and all members are on one node: each adds one to a word of member
//   0's, and the last one stores the barrier's number into a second word, which the others wait for. Every PE then runs
//   once for a barrier, where by dissemination it runs once for a round;
// - the NICs' barrier (barrier.h), for a team over several nodes.
//
// Small values: members on one node exchange them by leaving each its own in its own memory, a barrier, and reading the
// others'. There are two places for them, for odd and even exchanges: a PE can be in the next exchange while another
// still reads, but it is in the one after that only when all have come to the next, and have read.
//
// Every function that returns a status: OK, or _PEER or _NODE with a sentence in last_sentence().
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "runtime/collective/barrier.h"
#include "runtime/collective/members.h"
#include "runtime/collective/workspace.h"
#include "runtime/operations/context.h"

namespace syncline {

class World;

class Group {
  public:
    Group(World* world, int area, Members members);
    ~Group();
    Group(const Group&) = delete;
    Group& operator=(const Group&) = delete;

    const Members& members() const { return members_; }
    int size() const { return context_.size; }
    int me() const { return me_; }  // -1: not a member
    int world(int member) const { return members_.pe(member); }
    bool spans_nodes() const { return spans_nodes_; }
    // The operations of this group's collectives.
    const Context& context() const { return context_; }

    // All members have called it.
    int sync();
    // sync(), and what the members have written in collectives is there.
    int barrier();

    // Leaves a value for a member; own_value() is what a member left here. Between the two there has to be a barrier().
    int leave_value(int member, uint64_t value);
    uint64_t own_value(int member) const;
    // Every member's value, at every member. Ends in a sync().
    int exchange(uint64_t value, std::vector<uint64_t>* values);

    // Tells one member something, in the order of the calls; the member waits for it. It finds what this PE wrote
    // to mapped memory before.
    int signal(int member);
    int await_signal(int member);

    // Members on one node, a contribution of each: leaves the own one and syncs. Then, until the next call, of_member()
    // is each one's. Only if has_node().
    using Value = Workspace::Node::Value;
    static constexpr size_t small_bytes = sizeof(Value::data);
    bool has_node() const { return !nodes_.empty(); }
    int share(const void* data, size_t bytes);
    const Value& of_member(int member) const { return nodes_[static_cast<size_t>(member)]->value[shares_ & 1]; }

    // A team's words are made new before another team uses them.
    void clear();
    // From now on the NICs run the barriers, with this number.
    int open_nic_barrier(uint32_t number);
    int close_nic_barrier();
    bool has_nic_barrier() const { return nic_barrier_ != nullptr; }
    // One round of the NICs' barrier with a value; or _UNSUPPORTED: it cannot combine so.
    int reduce_in_nic(Reduction how, uint64_t value, uint64_t* result);

  private:
    // Another member.
    struct Peer {
        uint64_t* mapped;          // its word that this PE adds to; NULL: by a packet
        const uint64_t* own_word;  // that it adds to
        uint64_t* consumed;        // of that
    };

    syncline_address_t word(int member, uint64_t offset) const;
    const Peer& peer(int member);
    void find_node();
    int run_node_barrier();
    int index(int member) const { return area_ == Workspace::active_sets ? world(member) : member; }

    World* const world_;
    const int area_;
    const Members members_;
    const int me_;
    const bool spans_nodes_;
    Context context_;
    std::vector<Peer> peers_;              // once one was signalled
    std::vector<Workspace::Node*> nodes_;  // each member's, if all are mapped here
    uint64_t node_barriers_ = 0;           // at nodes_[0]
    uint64_t shares_ = 0;
    std::vector<uint64_t> own_counts_;
    std::vector<uint64_t>* consumed_ = nullptr;  // per word of the area
    std::unique_ptr<Barrier> nic_barrier_;
};

}  // namespace syncline
