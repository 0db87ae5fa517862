// SPDX-License-Identifier: BSD-3-Clause
// Method: every PE has an area of its own at every PE, and a copy of it. It puts lists of pieces of random places and
// lengths there and into the copy, and gets the whole area and other lists of pieces back: both are equal. The target
// looks at it with its own loads.
#include <algorithm>
#include <cstring>
#include <numeric>

#include "contract.h"

namespace contract {
namespace {

using Pieces = std::vector<syncline_piece_t>;

constexpr size_t block = 65536;
constexpr size_t area_bytes = 5 * block;

struct Kind {
    size_t count;
    size_t bytes_max;
    size_t gap_max;
};
constexpr Kind kinds[] = {{1, 70000, 200000}, {3, 70000, 30000}, {64, 3000, 1000}, {1000, 150, 100}, {1000, 8, 9}};

size_t total(const Pieces& pieces) {
    return std::accumulate(pieces.begin(), pieces.end(), size_t{0},
                           [](size_t sum, const syncline_piece_t& piece) { return sum + piece.bytes; });
}

void shuffle(Pieces* pieces, Random* random) {
    for (size_t i = pieces->size(); i > 1; i--) {
        std::swap((*pieces)[i - 1], (*pieces)[random->below(i)]);
    }
}

// They do not overlap, and come in no order. One crosses the first multiple of 64 KiB, one in 20 is empty.
Pieces apart(const Kind& kind, Random* random) {
    Pieces pieces;
    size_t at = random->below(kind.gap_max);
    for (size_t i = 0; i < kind.count; i++) {
        const size_t bytes = i % 20 == 19 ? 0 : random->below(kind.bytes_max) + 1;
        if (kind.count == 1000 && i == 500) {
            at = std::max(at, block - bytes / 2);
        }
        EXPECT(at + bytes <= area_bytes);
        pieces.push_back({at, bytes});
        at += bytes + random->below(kind.gap_max);
    }
    shuffle(&pieces, random);
    return pieces;
}

// Anywhere.
Pieces overlapping(const Kind& kind, Random* random) {
    Pieces pieces(kind.count);
    for (syncline_piece_t& piece : pieces) {
        piece.bytes = random->below(kind.bytes_max);
        piece.offset = random->below(area_bytes - piece.bytes);
    }
    return pieces;
}

std::vector<uint8_t> random_bytes(size_t bytes, Random* random) {
    std::vector<uint8_t> all(bytes);
    for (uint8_t& byte : all) {
        byte = static_cast<uint8_t>(random->next() >> 32);
    }
    return all;
}

// The bytes of pieces, one behind the other.
std::vector<uint8_t> gathered(const std::vector<uint8_t>& area, const Pieces& pieces) {
    std::vector<uint8_t> all;
    for (const syncline_piece_t& piece : pieces) {
        const auto from = area.begin() + static_cast<std::ptrdiff_t>(piece.offset);
        all.insert(all.end(), from, from + static_cast<std::ptrdiff_t>(piece.bytes));
    }
    return all;
}

void scatter(std::vector<uint8_t>* area, const Pieces& pieces, const std::vector<uint8_t>& data) {
    size_t at = 0;
    for (const syncline_piece_t& piece : pieces) {
        std::copy_n(data.begin() + static_cast<std::ptrdiff_t>(at), piece.bytes,
                    area->begin() + static_cast<std::ptrdiff_t>(piece.offset));
        at += piece.bytes;
    }
}

struct Area {
    int target;
    syncline_address_t address;
    std::vector<uint8_t> copy = std::vector<uint8_t>(area_bytes);

    void expect_equal() const {
        std::vector<uint8_t> all(area_bytes);
        MUST(syncline_get(target, address, all.data(), all.size()));
        EXPECT(all == copy);
    }
    void put(const Pieces& pieces, Random* random) {
        const std::vector<uint8_t> data = random_bytes(total(pieces), random);
        MUST(syncline_put_pieces(target, address, pieces.data(), pieces.size(), data.data()));
        scatter(&copy, pieces, data);
        expect_equal();
    }
    void get(const Pieces& pieces) const {
        std::vector<uint8_t> data(total(pieces) + 1, 0xA5);
        MUST(syncline_get_pieces(target, address, pieces.data(), pieces.size(), data.data()));
        EXPECT(data.back() == 0xA5);
        data.pop_back();
        EXPECT(data == gathered(copy, pieces));
    }
};

// Shared bytes are those of any of the pieces; others are those of their only one.
void put_overlapping(Area* area) {
    const Pieces pieces = {{1000, 500}, {1200, 600}, {100, 2000}, {1500, 100}};
    std::vector<uint8_t> data;
    for (size_t i = 0; i < pieces.size(); i++) {
        data.insert(data.end(), pieces[i].bytes, static_cast<uint8_t>(i + 1));
    }
    MUST(syncline_put_pieces(area->target, area->address, pieces.data(), pieces.size(), data.data()));
    std::vector<uint8_t> found(area_bytes);
    MUST(syncline_get(area->target, area->address, found.data(), found.size()));
    for (size_t at = 0; at < area_bytes; at++) {
        bool covered = false;
        bool is_of_one = false;
        for (size_t i = 0; i < pieces.size(); i++) {
            const bool holds = at - pieces[i].offset < pieces[i].bytes;
            covered |= holds;
            is_of_one |= holds && found[at] == i + 1;
        }
        EXPECT(covered ? is_of_one : found[at] == area->copy[at]);
    }
    area->copy = found;
}

// A base behind which, or in front of which, all pieces lie.
void bases(Area* area) {
    const syncline_piece_t first = {0, 8};
    const syncline_piece_t from_segment = {area->address + 16, 8};
    const uint64_t values[2] = {0x1111111111111111, 0x2222222222222222};
    MUST(syncline_put_pieces(area->target, area->address, &first, 1, &values[0]));
    MUST(syncline_put_pieces(area->target, 0, &from_segment, 1, &values[1]));
    std::memcpy(area->copy.data(), &values[0], 8);
    std::memcpy(area->copy.data() + 16, &values[1], 8);
    area->expect_equal();
}

void nothing(const Area& area) {
    const Pieces empty = {{UINT64_MAX, 0}, {0, 0}, {1ull << 50, 0}};
    MUST(syncline_put_pieces(area.target, area.address, nullptr, 0, nullptr));
    MUST(syncline_get_pieces(area.target, area.address, nullptr, 0, nullptr));
    MUST(syncline_put_pieces(area.target, area.address, empty.data(), empty.size(), nullptr));
    MUST(syncline_get_pieces(area.target, area.address, empty.data(), empty.size(), nullptr));
    syncline_request_t request = 0;
    MUST(syncline_put_pieces_nb(area.target, area.address, empty.data(), empty.size(), nullptr, 0, &request));
    MUST(syncline_wait(request));
    MUST(syncline_get_pieces_nb(area.target, area.address, nullptr, 0, nullptr, 0, &request));
    MUST(syncline_wait(request));
    area.expect_equal();
}

void count_tag(uint64_t tag, int status, void* seen) {
    MUST(status);
    (*static_cast<std::vector<int>*>(seen))[tag]++;
}

// Many at once. The list is the caller's again as soon as a call returns.
void later(Area* area, Random* random) {
    constexpr size_t calls = 20;
    constexpr size_t part = area_bytes / calls;
    std::vector<syncline_request_t> requests(calls);
    std::vector<std::vector<uint8_t>> data(calls);
    std::vector<std::vector<uint8_t>> expected(calls);
    const auto pieces_of = [&](size_t call) {
        Pieces pieces;
        for (size_t at = call * part; at + 200 < (call + 1) * part; at += 100 + random->below(400)) {
            pieces.push_back({at, random->below(100) + 1});
        }
        shuffle(&pieces, random);
        return pieces;
    };
    for (size_t i = 0; i < calls; i++) {
        Pieces pieces = pieces_of(i);
        data[i] = random_bytes(total(pieces), random);
        scatter(&area->copy, pieces, data[i]);
        MUST(syncline_put_pieces_nb(area->target, area->address, pieces.data(), pieces.size(), data[i].data(), 0,
                                    &requests[i]));
        std::fill(pieces.begin(), pieces.end(), syncline_piece_t{0, 1});
    }
    for (const syncline_request_t request : requests) {
        MUST(syncline_wait(request));
    }
    area->expect_equal();
    std::vector<int> seen(calls);
    for (size_t i = 0; i < calls; i++) {
        Pieces pieces = pieces_of(i);
        expected[i] = gathered(area->copy, pieces);
        data[i].assign(total(pieces), 0);
        MUST(syncline_get_pieces_nb(area->target, area->address, pieces.data(), pieces.size(), data[i].data(), i,
                                    nullptr));
        std::fill(pieces.begin(), pieces.end(), syncline_piece_t{0, 1});
    }
    MUST(syncline_quiet());
    EXPECT(data == expected);
    EXPECT(syncline_poll(count_tag, &seen, 100) == calls);
    EXPECT(std::count(seen.begin(), seen.end(), 1) == calls);
}

uint64_t hash_of(const uint8_t* bytes) {
    return std::accumulate(bytes, bytes + area_bytes, uint64_t{0},
                           [](uint64_t hash, uint8_t byte) { return hash * 0x100000001B3u + byte; });
}

}  // namespace

void run_pieces() {
    const syncline_address_t areas = allocate(static_cast<size_t>(size()) * area_bytes);
    const syncline_address_t hash = allocate(8);
    Random random(static_cast<uint64_t>(rank()) + 11);
    // Towards the neighbour and the PE farthest away: the own node and another one.
    for (const int distance : {0, 1, size() / 2}) {
        Area area = {(rank() + distance) % size(), areas + static_cast<size_t>(rank()) * area_bytes};
        const std::vector<uint8_t> zeros(area_bytes);
        MUST(syncline_put(area.target, area.address, zeros.data(), zeros.size()));
        for (const Kind& kind : kinds) {
            area.put(apart(kind, &random), &random);
            area.get(apart(kind, &random));
            area.get(overlapping(kind, &random));
        }
        put_overlapping(&area);
        bases(&area);
        nothing(area);
        later(&area, &random);
        const uint64_t expected = hash_of(area.copy.data());
        MUST(syncline_put(area.target, hash, &expected, sizeof(expected)));
        MUST(syncline_barrier());
        const int writer = (rank() + size() - distance) % size();
        EXPECT(*local(hash) == hash_of(local<uint8_t>(areas) + static_cast<size_t>(writer) * area_bytes));
        MUST(syncline_barrier());
    }
}

}  // namespace contract
