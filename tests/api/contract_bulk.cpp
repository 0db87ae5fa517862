// SPDX-License-Identifier: BSD-3-Clause
// Method: every PE puts pattern-filled ranges of many sizes and alignments, also across the 64 KiB blocks that packets
// are cut at, into an area of its own at every other PE, gets them back and compares; the bytes in front and behind
// stay what they were. The target then checks what has come with its own loads.
#include <unistd.h>

#include <algorithm>
#include <cstring>

#include "contract.h"

namespace contract {
namespace {

constexpr size_t block = 65536;
constexpr size_t area_bytes = 5 * block;
constexpr size_t guard = 16;

struct Range {
    size_t offset;
    size_t bytes;
};

std::vector<Range> ranges() {
    std::vector<Range> all;
    for (size_t bytes = 1; bytes <= 33; bytes++) {
        all.push_back({guard + bytes % 8, bytes});
    }
    for (const size_t bytes : {63u,   64u,   65u,   100u,  255u,  1000u,  1023u,  1024u,  1025u,   1360u,
                               1408u, 1409u, 4095u, 4096u, 9001u, 65535u, 65536u, 65537u, 131073u, 200000u}) {
        all.push_back({guard, bytes});
        all.push_back({guard + 1 + bytes % 7, bytes});
    }
    for (size_t before = 1; before <= 9; before++) {
        all.push_back({block - before, 2});
        all.push_back({2 * block - before, 16});
        all.push_back({block - before, 1500});
    }
    return all;
}

void fill(std::vector<uint8_t>* bytes, uint64_t seed) {
    Random random(seed);
    for (size_t at = 0; at < bytes->size(); at += sizeof(uint64_t)) {
        const uint64_t word = random.next();
        std::memcpy(bytes->data() + at, &word, std::min(sizeof(word), bytes->size() - at));
    }
}

syncline_address_t area_of(syncline_address_t all, int pe) {
    return all + static_cast<size_t>(pe) * area_bytes;
}

// One range, put and got back with its surroundings.
void round_trip(int target, syncline_address_t area, const Range& range, uint64_t seed) {
    std::vector<uint8_t> source(range.bytes + 1);
    fill(&source, seed);
    const uint8_t* const from = source.data() + seed % 2;  // sources are misaligned as well
    const size_t bytes = range.bytes;
    MUST(syncline_put(target, area + range.offset, from, bytes));
    std::vector<uint8_t> back(bytes + 2, 0xA5);
    MUST(syncline_get(target, area + range.offset, back.data() + 1, bytes));
    EXPECT(std::memcmp(back.data() + 1, from, bytes) == 0);
    EXPECT(back.front() == 0xA5 && back.back() == 0xA5);
    uint8_t around[2 * guard];
    MUST(syncline_get(target, area + range.offset - guard, around, guard));
    MUST(syncline_get(target, area + range.offset + bytes, around + guard, guard));
    for (const uint8_t byte : around) {
        EXPECT(byte == 0);
    }
    std::vector<uint8_t> zeros(bytes);
    MUST(syncline_put(target, area + range.offset, zeros.data(), bytes));
}

void sizes() {
    const syncline_address_t areas = allocate(static_cast<size_t>(size()) * area_bytes);
    const syncline_address_t mine = area_of(areas, rank());
    const std::vector<Range> all = ranges();
    // Towards the neighbour and the PE farthest away: the own node and another one.
    for (const int distance : {0, 1, size() / 2}) {
        const int target = (rank() + distance) % size();
        for (size_t i = 0; i < all.size(); i++) {
            round_trip(target, mine, all[i], i * 1000 + static_cast<uint64_t>(rank()) + 7);
        }
    }
    MUST(syncline_barrier());
    MUST(syncline_free(areas));
}

// All to all: whole areas at once, checked by the target.
void exchange() {
    constexpr size_t bytes = 50000;
    const size_t stride = bytes + 8;
    const syncline_address_t inbox = allocate(static_cast<size_t>(size()) * stride);
    for (int i = 0; i < size(); i++) {
        const int target = (rank() + i) % size();
        std::vector<uint8_t> data(bytes);
        fill(&data, static_cast<uint64_t>(rank() * 1000 + target));
        MUST(syncline_put(target, inbox + static_cast<size_t>(rank()) * stride + 3, data.data(), bytes));
    }
    MUST(syncline_barrier());
    for (int from = 0; from < size(); from++) {
        std::vector<uint8_t> expected(bytes);
        fill(&expected, static_cast<uint64_t>(from * 1000 + rank()));
        const auto* const arrived = local<uint8_t>(inbox + static_cast<size_t>(from) * stride);
        EXPECT(std::memcmp(arrived + 3, expected.data(), bytes) == 0);
        EXPECT(arrived[2] == 0 && arrived[3 + bytes] == 0);
    }
    MUST(syncline_barrier());
    MUST(syncline_free(inbox));
}

// An aligned word is put and got in one piece: a reader never sees half of it. While nothing new comes it rests a
// little, for on a slow link a write takes long.
void whole_words() {
    const syncline_address_t word = allocate(8);
    const int target = size() - 1;
    const int writes = repeats(300);
    if (rank() == 0) {
        for (int i = 1; i <= writes; i++) {
            const uint64_t both = static_cast<uint64_t>(i) << 32 | static_cast<uint64_t>(i);
            MUST(syncline_put(target, word, &both, sizeof(both)));
        }
    } else {
        int in_vain = 0;
        for (uint64_t seen = 0, last = 0; (seen & UINT32_MAX) != static_cast<uint64_t>(writes); last = seen) {
            seen = read64(target, word);
            EXPECT(seen >> 32 == (seen & UINT32_MAX));
            EXPECT(seen >= last);
            in_vain = seen == last ? in_vain + 1 : 0;
            if (in_vain > 100) {
                ::usleep(100);
            }
        }
    }
    MUST(syncline_barrier());
}

void nothing() {
    const syncline_address_t word = allocate(8);
    uint8_t byte = 1;
    for (int target = 0; target < size(); target++) {
        MUST(syncline_put(target, word, &byte, 0));
        MUST(syncline_get(target, word, &byte, 0));
    }
    EXPECT(byte == 1);
    MUST(syncline_barrier());
    EXPECT(*local(word) == 0);
}

}  // namespace

void run_bulk() {
    sizes();
    exchange();
    whole_words();
    nothing();
}

}  // namespace contract
