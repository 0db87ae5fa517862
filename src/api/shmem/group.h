// SPDX-License-Identifier: BSD-3-Clause
// The PEs of a collective call (a team, or an active set), and how they meet.
//
// Signals: each member has a word for each other one, to which that one adds; it counts what it has consumed of it.
// Words only grow, and adds happen exactly once, so nothing is ever reset.
//
// Meeting, three ways:
// - by dissemination: in round k member i signals member i + 2^k and waits for member i - 2^k;
// - where PEs outnumber the CPUs and all members are on one node: each adds one to a word of member 0's, and the last
// one
//   stores the number of the meeting into a second word, which the others wait for. Every PE then runs once for a
//   meeting, where by dissemination it runs once for a round;
// - over several nodes, a team: by a barrier that the NICs run (runtime/collective/meeting.h).
//
// Small values: members on one node exchange them by leaving each its own in its own memory, meeting, and reading the
// others'. There are two places for them, for odd and even exchanges: a PE can be in the next exchange while another
// still reads, but it is in the one after that only when all have come to the next, and have read.
//
// Words: an area has two for each PE: the count, and a value that a collective may leave there for the owner. Areas lie
// in the symmetric heap, at one address everywhere. In a team's area the index is the member's, for active sets, which
// share one area, it is the PE's of the job: two sets that have two PEs in common use the same words, in the order of
// the calls, which is the same at both.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "api/shmem/runtime.h"
#include "job/heap_size.h"
#include "runtime/collective/meeting.h"

namespace syncline::shmem {

// The collectives' words in the symmetric heap: the areas of teams, the area of active sets, what members on one node
// share, and a word of PE 0's from which barrier numbers of the NICs are taken.
struct Workspace {
    static constexpr int teams = 64;
    static constexpr int active_sets = teams;

    // A team on one node shares these. Member 0 holds the words of the meeting, each member its own values.
    struct Node {
        alignas(64) uint64_t arrived;  // members, of all meetings together; atomic adds by all
        alignas(64) uint64_t opened;   // the last meeting that all have come to; stored by the last one of each
        struct alignas(64) Value {
            uint64_t bytes;  // of the member's contribution; it is in `data` if it fits
            alignas(16) uint8_t data[304];
        } value[2];
    };

    syncline_address_t base = 0;
    int pes = 0;

    syncline_address_t area(int index) const {
        return base + static_cast<uint64_t>(index) * static_cast<uint64_t>(pes) * 16;
    }
    syncline_address_t node(int team) const {
        return round_up(area(active_sets + 1), alignof(Node)) + static_cast<uint64_t>(team) * sizeof(Node);
    }
    syncline_address_t numbers() const { return node(teams); }
    uint64_t bytes() const { return numbers() - base + 8; }
    static_assert((active_sets + 1) * 16 == shmem_words_per_pe);
    static_assert(teams * sizeof(Node) + 2 * alignof(Node) + 8 <= shmem_words);
};
inline Workspace workspace;

// All words are zero again.
void forget_active_sets();

// PEs in the numbers of the job. Where the PEs of a node have no common distance, those of a team have none either.
struct Members {
    int start = 0;
    int stride = 1;
    int size = 0;
    std::vector<int> list = {};  // empty: start, start + stride, ...

    // Of PEs in ascending order: strided if they can be.
    static Members of(std::vector<int> pes);
    int world(int member) const { return list.empty() ? start + member * stride : list[static_cast<size_t>(member)]; }
    // The members first, first + step, ... of these.
    Members part(int first, int step, int count) const;
    int find(int pe) const;  // -1: no member
};

class Group {
  public:
    Group(int area, Members members);
    ~Group();
    Group(const Group&) = delete;
    Group& operator=(const Group&) = delete;

    const Members& members() const { return members_; }
    int size() const { return size_; }
    int me() const { return me_; }  // -1: not a member
    int world(int member) const { return members_.world(member); }
    // The PEs of a context of the group's.
    void describe(Context* context) const;
    // The operations of this group's collectives.
    const Context& context() const { return context_; }

    // All members have called it.
    void sync(const char* what);
    // The same, and what they have written in collectives is there.
    void barrier(const char* what);

    // Leaves a value for a member; own_value() is what a member left here. Between the two there has to be a barrier().
    void leave_value(const char* what, int member, uint64_t value);
    uint64_t own_value(int member) const;
    // Every member's value, at every member. Ends in a meeting.
    std::vector<uint64_t> exchange(const char* what, uint64_t value);

    // Tells one member something, in the order of the calls; the member waits for it. What was written to mapped memory
    // before is there.
    void signal(const char* what, int member);
    void await_signal(const char* what, int member);

    // Members on one node, a contribution of each: leaves the own one and meets. Then, until the next call, of_member()
    // is each one's. False, and nothing has happened: there is no such place.
    static constexpr size_t small_bytes = sizeof(Workspace::Node::Value::data);
    using Value = Workspace::Node::Value;
    bool has_node() const { return !nodes_.empty(); }
    void share(const char* what, const void* data, size_t bytes);
    const Value& of_member(int member) const { return nodes_[static_cast<size_t>(member)]->value[shares_ & 1]; }

    // A team's words are made new before another team uses them.
    void clear();
    // From now on the NICs run the meetings, with this number.
    void open_meeting(const char* what, uint32_t number);
    void close_meeting(const char* what);
    bool has_meeting() const { return meeting_ != nullptr; }
    bool spans_nodes() const { return spans_nodes_; }
    // One round of the NICs' barrier with a value; only if it has_meeting(). False: it cannot combine so.
    bool reduce_in_nic(const char* what, fw_combine how, uint64_t value, uint64_t* result);

  private:
    // Another member.
    struct Peer {
        uint64_t* mapped;          // its word that this PE adds to; NULL: by a packet
        const uint64_t* own_word;  // that it adds to
        uint64_t* consumed;        // of that
    };

    uint64_t word(int member, uint64_t offset) const;
    const Peer& peer(int member);
    void find_node();
    void meet_on_node(const char* what);
    int index(int member) const { return area_ == Workspace::active_sets ? world(member) : member; }

    const int area_;
    const Members members_;
    const int size_;
    const int me_;
    const bool spans_nodes_;
    Context context_;
    std::vector<Peer> peers_;              // once one was signalled
    std::vector<Workspace::Node*> nodes_;  // each member's, if all are mapped here
    uint64_t meetings_ = 0;                // at nodes_[0]
    uint64_t shares_ = 0;
    std::vector<uint64_t> own_counts_;
    std::vector<uint64_t>* consumed_ = nullptr;  // per word of the area
    std::unique_ptr<Meeting> meeting_;
};

}  // namespace syncline::shmem
