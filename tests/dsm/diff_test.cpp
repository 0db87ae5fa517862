// SPDX-License-Identifier: BSD-3-Clause
// Method: pages that differ from their twins in random places, from none to all, against a comparison byte by byte; and
// a page that a thread writes meanwhile.
#include "dsm/core/diff.h"

#include <gtest/gtest.h>

#include <atomic>
#include <thread>

#include "base/prng.h"
#include "dsm/core/view.h"
#include "tests/seeds.h"

namespace syncline::dsm {
namespace {

using Bytes = std::vector<uint8_t>;

// A twin, and a page that differs from it: nowhere, in some bytes, in runs, everywhere.
struct Pair {
    Bytes twin = Bytes(page_bytes), page;

    explicit Pair(Prng* prng) {
        for (uint8_t& byte : twin) {
            byte = static_cast<uint8_t>(prng->below(3) == 0 ? prng->next() : 0);
        }
        page = twin;
        const uint64_t changes = prng->below(4) == 0 ? 0 : prng->below(60);
        const uint64_t length_max = prng->below(2) == 0 ? 1 : 1 + prng->below(page_bytes);
        for (uint64_t i = 0; i < changes; i++) {
            const uint64_t at = prng->below(page_bytes);
            const uint64_t end = std::min<uint64_t>(page_bytes, at + 1 + prng->below(length_max));
            for (uint64_t byte = at; byte < end; byte++) {
                page[byte] = static_cast<uint8_t>(prng->next());  // may be what it was
            }
        }
    }
    uint32_t changed() const {
        uint32_t count = 0;
        for (size_t at = 0; at < page_bytes; at++) {
            count += page[at] != twin[at];
        }
        return count;
    }
};

// The bytes in which the pages from `base` on differ, in runs that do not touch each other, and no others.
void expect_exact(const Diff& diff, const std::vector<Pair>& pairs, uint64_t base) {
    std::vector<std::pair<uint64_t, uint8_t>> expected, found;
    for (size_t i = 0; i < pairs.size(); i++) {
        for (size_t at = 0; at < page_bytes; at++) {
            if (pairs[i].page[at] != pairs[i].twin[at]) {
                expected.emplace_back(base + i * page_bytes + at, pairs[i].page[at]);
            }
        }
    }
    size_t used = 0;
    uint64_t end = 0;
    for (const syncline_piece_t& piece : diff.pieces) {
        ASSERT_GT(piece.bytes, 0u);
        ASSERT_TRUE(end == 0 || piece.offset > end) << "a piece begins where the last one ends, or before";
        end = piece.offset + piece.bytes;
        for (uint64_t i = 0; i < piece.bytes && used < diff.bytes.size(); i++) {
            found.emplace_back(piece.offset + i, diff.bytes[used++]);
        }
    }
    EXPECT_EQ(used, diff.bytes.size());
    EXPECT_EQ(found, expected);
}

TEST(Diff, HasTheChangedBytesAndNoOthers) {
    for_each_seed(2000, 500, [](uint64_t seed) {
        Prng prng(seed);
        const uint64_t base = prng.below(1000) * page_bytes;
        std::vector<Pair> pairs;
        Diff diff;
        for (uint64_t i = 1 + prng.below(4); i > 0; i--) {
            pairs.emplace_back(&prng);
            const Pair& pair = pairs.back();
            Bytes twin = pair.twin;
            const uint64_t at = base + (pairs.size() - 1) * page_bytes;
            EXPECT_EQ(append_changes(pair.page.data(), twin.data(), at, &diff), pair.changed());
            EXPECT_EQ(twin, pair.page) << "the twin has what was appended";
        }
        expect_exact(diff, pairs, base);
        diff.clear();
        EXPECT_TRUE(diff.pieces.empty() && diff.bytes.empty());
    });
}

TEST(Diff, RunsGoOnFromPageToPage) {
    const Bytes page(page_bytes, 1);
    Diff diff;
    for (const uint64_t number : {7, 8, 9, 11}) {
        Bytes twin(page_bytes, 0);
        append_changes(page.data(), twin.data(), number * page_bytes, &diff);
    }
    ASSERT_EQ(diff.pieces.size(), 2u);
    EXPECT_EQ(diff.pieces[0].offset, 7u * page_bytes);
    EXPECT_EQ(diff.pieces[0].bytes, 3u * page_bytes);
    EXPECT_EQ(diff.pieces[1].offset, 11u * page_bytes);
}

// Each byte on its own, next to others that differ, and at both ends of words, lines and the page.
TEST(Diff, SeesEachByte) {
    for (size_t at = 0; at < page_bytes; at++) {
        Bytes twin(page_bytes, 0), page(page_bytes, 0);
        page[at] = 1;
        Diff alone;
        ASSERT_EQ(append_changes(page.data(), twin.data(), 0, &alone), 1u);
        ASSERT_EQ(alone.pieces.size(), 1u);
        ASSERT_EQ(alone.pieces[0].offset, at);
        std::fill(page.begin(), page.end(), 2);
        page[at] = 1;
        Diff others;
        ASSERT_EQ(append_changes(page.data(), twin.data(), 0, &others), page_bytes - 1);
        ASSERT_EQ(others.pieces.size(), at == 0 || at == page_bytes - 1 ? 1u : 2u);
    }
}

// A thread of the program writes the page all the time. A byte that is appended is one that the twin did not have and
// has now, so the diffs, one after another, are the twin.
TEST(Diff, AppendsWhatItHasCompared) {
    Bytes page(page_bytes, 0), twin(page_bytes, 0), copy(page_bytes, 0);
    std::atomic<bool> over{false};
    std::thread writer([&] {
        for (uint8_t value = 1; !over; value = static_cast<uint8_t>(value * 5 + 1)) {
            for (uint8_t& byte : page) {
                __atomic_store_n(&byte, value, __ATOMIC_RELAXED);
            }
        }
    });
    uint64_t unchanged = 0, others = 0;
    for (int i = 0; i < 2000; i++) {
        Diff diff;
        append_changes(page.data(), twin.data(), 0, &diff);
        size_t used = 0;
        for (const syncline_piece_t& piece : diff.pieces) {
            for (uint64_t at = piece.offset; at < piece.offset + piece.bytes; at++, used++) {
                unchanged += copy[at] == diff.bytes[used] ? 1 : 0;
                copy[at] = diff.bytes[used];
            }
        }
        others += copy != twin ? 1 : 0;
    }
    over = true;
    writer.join();
    EXPECT_EQ(unchanged, 0u);
    EXPECT_EQ(others, 0u);
}

}  // namespace
}  // namespace syncline::dsm
