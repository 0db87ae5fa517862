// SPDX-License-Identifier: BSD-3-Clause
// Method: every call of pieces and accumulate with every kind of argument that makes no sense, towards every PE; each
// returns the status that the header gives and names itself. Nothing is moved, not even the good piece in front.
#include <algorithm>
#include <cstring>
#include <initializer_list>

#include "contract.h"

namespace contract {
namespace {

constexpr syncline_address_t not_registered = 7ull << 40;

uint64_t values[8] = {1, 2, 3, 4, 5, 6, 7, 8};
uint64_t results[8];

// All calls in pieces return this status; those that add do so for each element that is given.
void expect(int target, syncline_address_t base, const std::vector<syncline_piece_t>& pieces, int status,
            std::initializer_list<int> elements = {SYNCLINE_INT64, SYNCLINE_COMPLEX_FLOAT}) {
    const syncline_piece_t* const list = pieces.data();
    const size_t count = pieces.size();
    syncline_request_t request = 55;
    EXPECT_ERROR(syncline_put_pieces(target, base, list, count, values), status, "syncline_put_pieces");
    EXPECT_ERROR(syncline_get_pieces(target, base, list, count, results), status, "syncline_get_pieces");
    EXPECT_ERROR(syncline_put_pieces_nb(target, base, list, count, values, 0, &request), status,
                 "syncline_put_pieces_nb");
    EXPECT_ERROR(syncline_get_pieces_nb(target, base, list, count, results, 0, &request), status,
                 "syncline_get_pieces_nb");
    for (const int element : elements) {
        EXPECT_ERROR(syncline_accumulate_pieces(target, base, element, list, count, values), status,
                     "syncline_accumulate_pieces");
        EXPECT_ERROR(syncline_accumulate_pieces_nb(target, base, element, list, count, values, 0, &request), status,
                     "syncline_accumulate_pieces_nb");
    }
    EXPECT(request == 55);
}

void ranks(syncline_address_t words) {
    for (const int bad : {-1, size(), INT32_MAX, INT32_MIN}) {
        expect(bad, words, {{0, 8}}, SYNCLINE_ERR_RANK);
        EXPECT_ERROR(syncline_accumulate(bad, words, SYNCLINE_INT64, values, 1), SYNCLINE_ERR_RANK,
                     "syncline_accumulate");
    }
}

void counts(int target, syncline_address_t words) {
    const syncline_piece_t piece = {0, 8};
    for (const size_t count : {SIZE_MAX, SIZE_MAX / sizeof(piece), SIZE_MAX / 2}) {
        EXPECT_ERROR(syncline_put_pieces(target, words, &piece, count, values), SYNCLINE_ERR_INVALID,
                     "syncline_put_pieces");
        EXPECT_ERROR(syncline_get_pieces(target, words, &piece, count, results), SYNCLINE_ERR_INVALID,
                     "syncline_get_pieces");
    }
}

void addresses(int target, syncline_address_t words) {
    for (const syncline_address_t base : {1ull << 39, 16ull << 40, ~0ull - 15, ~0ull}) {
        expect(target, base, {{0, 8}}, SYNCLINE_ERR_ADDRESS);
        EXPECT_ERROR(syncline_accumulate(target, base, SYNCLINE_INT64, values, 1), SYNCLINE_ERR_ADDRESS,
                     "syncline_accumulate");
    }
    for (const syncline_piece_t& bad : std::initializer_list<syncline_piece_t>{{1ull << 39, 8},
                                                                               {1ull << 40, 8},
                                                                               {(1ull << 40) - words, 8},
                                                                               {UINT64_MAX - 7, 8},
                                                                               {0 - words, 8},
                                                                               {8, UINT64_MAX - 7},
                                                                               {0, 1ull << 40},
                                                                               {8, 1ull << 63}}) {
        expect(target, words, {{0, 8}, bad}, SYNCLINE_ERR_ADDRESS);
        expect(target, words, {bad, {0, 8}}, SYNCLINE_ERR_ADDRESS);
    }
    expect(target, 0, {{words, 8}, {64, 8}}, SYNCLINE_ERR_ADDRESS);  // the runtime's own words
    EXPECT_ERROR(syncline_accumulate(target, 64, SYNCLINE_INT64, values, 1), SYNCLINE_ERR_ADDRESS,
                 "syncline_accumulate");
    EXPECT_ERROR(syncline_accumulate(target, words, SYNCLINE_INT64, values, 1ull << 50), SYNCLINE_ERR_ADDRESS,
                 "syncline_accumulate");
}

// The target alone knows the length of a registration.
void registrations(int target) {
    const syncline_piece_t piece = {0, 8};
    EXPECT_ERROR(syncline_put_pieces(target, not_registered, &piece, 1, values), SYNCLINE_ERR_ADDRESS,
                 "syncline_put_pieces");
    EXPECT_ERROR(syncline_get_pieces(target, not_registered, &piece, 1, results), SYNCLINE_ERR_ADDRESS,
                 "syncline_get_pieces");
    EXPECT_ERROR(syncline_accumulate_pieces(target, not_registered, SYNCLINE_INT32, &piece, 1, values),
                 SYNCLINE_ERR_ADDRESS, "syncline_accumulate_pieces");
    EXPECT_ERROR(syncline_accumulate(target, not_registered, SYNCLINE_DOUBLE, values, 1), SYNCLINE_ERR_ADDRESS,
                 "syncline_accumulate");
    syncline_request_t request = 0;
    const int status = syncline_accumulate_nb(target, not_registered, SYNCLINE_INT32, values, 1, 0, &request);
    EXPECT_STATUS(status == SYNCLINE_OK ? syncline_wait(request) : status, SYNCLINE_ERR_ADDRESS);
}

void alignments(int target, syncline_address_t words) {
    struct {
        int element;
        size_t alignment;
        size_t bytes;
    } const all[] = {{SYNCLINE_INT32, 4, 4},         {SYNCLINE_INT64, 8, 8},  {SYNCLINE_FLOAT, 4, 4},
                     {SYNCLINE_COMPLEX_FLOAT, 4, 8}, {SYNCLINE_DOUBLE, 8, 8}, {SYNCLINE_COMPLEX_DOUBLE, 8, 16}};
    for (const auto& one : all) {
        const auto add = [&](syncline_address_t base, const syncline_piece_t& bad) {
            const syncline_piece_t list[] = {{words - base, one.bytes}, bad};
            return syncline_accumulate_pieces(target, base, one.element, list, 2, values);
        };
        for (size_t off = 1; off < one.alignment; off++) {
            EXPECT_ERROR(syncline_accumulate(target, words + off, one.element, values, 1), SYNCLINE_ERR_ALIGNMENT,
                         "syncline_accumulate");
            EXPECT_ERROR(add(words, {off, one.bytes}), SYNCLINE_ERR_ALIGNMENT, "syncline_accumulate_pieces");
            EXPECT_ERROR(add(words - 8, {8 + off, one.bytes}), SYNCLINE_ERR_ALIGNMENT, "syncline_accumulate_pieces");
        }
        for (size_t off = 1; off < one.bytes; off++) {
            EXPECT_ERROR(add(words, {0, one.bytes + off}), SYNCLINE_ERR_ALIGNMENT, "syncline_accumulate_pieces");
        }
    }
}

void senseless(int target, syncline_address_t words) {
    const syncline_piece_t piece = {0, 8};
    for (const int bad : {-1, 6, INT32_MAX, INT32_MIN}) {
        EXPECT_ERROR(syncline_accumulate(target, words, bad, values, 1), SYNCLINE_ERR_INVALID, "syncline_accumulate");
        EXPECT_ERROR(syncline_accumulate_pieces(target, words, bad, &piece, 1, values), SYNCLINE_ERR_INVALID,
                     "syncline_accumulate_pieces");
    }
    EXPECT_ERROR(syncline_put_pieces(target, words, nullptr, 1, values), SYNCLINE_ERR_INVALID, "syncline_put_pieces");
    EXPECT_ERROR(syncline_put_pieces(target, words, &piece, 1, nullptr), SYNCLINE_ERR_INVALID, "syncline_put_pieces");
    EXPECT_ERROR(syncline_get_pieces(target, words, &piece, 1, nullptr), SYNCLINE_ERR_INVALID, "syncline_get_pieces");
    EXPECT_ERROR(syncline_accumulate_pieces(target, words, SYNCLINE_INT32, &piece, 1, nullptr), SYNCLINE_ERR_INVALID,
                 "syncline_accumulate_pieces");
    EXPECT_ERROR(syncline_accumulate(target, words, SYNCLINE_INT32, nullptr, 1), SYNCLINE_ERR_INVALID,
                 "syncline_accumulate");
    for (const size_t count : {SIZE_MAX, SIZE_MAX / 16 + 1, size_t{1} << 60}) {
        EXPECT_ERROR(syncline_accumulate(target, words, SYNCLINE_COMPLEX_DOUBLE, values, count), SYNCLINE_ERR_INVALID,
                     "syncline_accumulate");
    }
}

}  // namespace

void run_piece_arguments() {
    const syncline_address_t words = allocate(256) + 64;
    std::fill(std::begin(results), std::end(results), 77);
    ranks(words);
    for (int target = 0; target < size(); target++) {
        counts(target, words);
        addresses(target, words);
        registrations(target);
        alignments(target, words);
        senseless(target, words);
    }
    EXPECT(std::all_of(std::begin(results), std::end(results), [](uint64_t result) { return result == 77; }));
    MUST(syncline_barrier());
    for (size_t i = 0; i < 24; i++) {
        EXPECT(local(words - 64)[i] == 0);
    }
    MUST(syncline_barrier());
}

}  // namespace contract
