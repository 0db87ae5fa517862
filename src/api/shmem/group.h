// SPDX-License-Identifier: BSD-3-Clause
// The PEs of a collective call (a team, or an active set), and how they meet.
//
// Meeting: where all are on one node, or nothing better is to be had, by dissemination: in round k member i adds one to
// a word of member i + 2^k and waits for member i - 2^k. Each member has a word for each other one, and counts what
// it has consumed of it; words only grow, and adds happen exactly once, so nothing is ever reset. Over several nodes a
// team has a barrier that the NICs run (core/meeting.h).
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
#include "core/meeting.h"
#include "job/heap_size.h"

namespace syncline::shmem {

// The collectives' words in the symmetric heap: of each team, then those of active sets, then a word of PE 0's which
// barrier numbers of the NICs are taken.
struct Workspace {
    static constexpr int teams = 64;
    static constexpr int active_sets = teams;

    syncline_address_t base = 0;
    int pes = 0;

    syncline_address_t area(int index) const {
        return base + static_cast<uint64_t>(index) * static_cast<uint64_t>(pes) * 16;
    }
    syncline_address_t numbers() const { return area(active_sets + 1); }
    uint64_t bytes() const { return numbers() - base + 8; }
    static_assert((active_sets + 1) * 16 == shmem_words_per_pe);
};
inline Workspace workspace;

// All words are zero again.
void forget_active_sets();

class Group {
  public:
    Group(int area, int start, int stride, int size);
    ~Group();
    Group(const Group&) = delete;
    Group& operator=(const Group&) = delete;

    int start() const { return start_; }
    int stride() const { return stride_; }
    int size() const { return size_; }
    int me() const { return me_; }  // -1: not a member
    int world(int member) const { return start_ + member * stride_; }
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
    // A round of a meeting by dissemination.
    struct Round {
        int to, from;              // members
        uint64_t* mapped;          // the word of `to`; NULL: by a packet
        const uint64_t* own_word;  // that `from` adds to
        uint64_t* consumed;        // of that
    };

    uint64_t word(int member, uint64_t offset) const;
    void find_rounds();
    void signal(const char* what, const Round& round);
    void await(const char* what, const Round& round);
    int index(int member) const { return area_ == Workspace::active_sets ? world(member) : member; }

    const int area_;
    const int start_;
    const int stride_;
    const int size_;
    int me_ = -1;
    const bool spans_nodes_;
    Context context_;
    std::vector<Round> rounds_;  // once they have met
    std::vector<uint64_t> own_counts_;
    std::vector<uint64_t>* consumed_ = nullptr;  // per word of the area
    std::unique_ptr<Meeting> meeting_;
};

}  // namespace syncline::shmem
