// SPDX-License-Identifier: BSD-3-Clause
// The words of teams and active sets in the symmetric heap, at one address everywhere: the areas of teams, the area of
// active sets, and the node areas, which the members of a team on one node share.
//
// An area has two words for each PE: a count of signals, and a value that a collective may leave there for the owner.
// In a team's area the index is the member's. Active sets share one area, whose index is the PE's of the job: two sets
// that have two PEs in common use the same words, in the order of the calls, which is the same at both.
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
        alignas(64) uint64_t arrived;  // members, of all node barriers together; atomic adds by all
        alignas(64) uint64_t opened;   // the last node barrier that all have come to; stored by the last one of each
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
    // Processors fetch lines in pairs: the program's first object begins with one of its own.
    uint64_t bytes() const { return round_up(node(teams), 128) - base; }
    static_assert((active_sets + 1) * 16 == team_words_per_pe);
    static_assert(teams * sizeof(Node) + 2 * alignof(Node) + 128 <= team_words);
};

}  // namespace syncline
