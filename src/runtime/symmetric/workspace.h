// SPDX-License-Identifier: BSD-3-Clause
// The words of teams and active sets in the symmetric heap, at one address at all PEs: an area for each team, an area
// for active sets, and the node areas, which the members of a team on one node share.
//
// An area has two words for each PE: a count of signals, and a value that a collective may leave there for the owner.
// In a team's area the index is the member's. All active sets share one area, whose index is the PE's in the job: two
// sets that have two PEs in common use the same words, in the order of the calls, which is the same at both PEs.
#pragma once

#include <cstdint>

#include "base/sizes.h"
#include "job/heap_size.h"
#include "syncline.h"

namespace syncline {

struct Workspace {
    static constexpr int teams = 64;
    static constexpr int active_sets = teams;

    // Member 0 holds the words of the node barrier, each member its own values.
    struct Node {
        alignas(64) uint64_t arrived;  // members that have come, over all node barriers; every member adds atomically
        alignas(64) uint64_t opened;   // the last complete node barrier; its last member stores it
        struct alignas(64) Value {
            uint64_t bytes;  // length of the member's contribution, which is in `data` if it fits
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
    // Processors fetch cache lines in pairs: the program's first object begins with a pair of its own.
    uint64_t bytes() const { return round_up(node(teams), 128) - base; }
    static_assert((active_sets + 1) * 16 == team_words_per_pe);
    static_assert(teams * sizeof(Node) + 2 * alignof(Node) + 128 <= team_words);
};

}  // namespace syncline
