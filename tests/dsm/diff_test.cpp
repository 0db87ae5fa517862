// SPDX-License-Identifier: BSD-3-Clause
// Method: pages that differ from their twins in random places, from none to all, against a comparison byte by byte.
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
            EXPECT_EQ(append_changes(pair.page.data(), pair.twin.data(), base + (pairs.size() - 1) * page_bytes, &diff),
                      pair.changed());
        }
        expect_exact(diff, pairs, base);
        diff.clear();
        EXPECT_TRUE(diff.pieces.empty() && diff.bytes.empty());
    });
}

TEST(Diff, RunsGoOnFromPageToPage) {
    const Bytes twin(page_bytes, 0), page(page_bytes, 1);
    Diff diff;
    for (uint64_t i = 0; i < 3; i++) {
        append_changes(page.data(), twin.data(), (7 + i) * page_bytes, &diff);
    }
    append_changes(page.data(), twin.data(), 11 * page_bytes, &diff);
    ASSERT_EQ(diff.pieces.size(), 2u);
    EXPECT_EQ(diff.pieces[0].offset, 7u * page_bytes);
    EXPECT_EQ(diff.pieces[0].bytes, 3u * page_bytes);
    EXPECT_EQ(diff.pieces[1].offset, 11u * page_bytes);
}

TEST(Diff, StoresTheChangedBytesAndNoOthers) {
    for_each_seed(2000, 500, [](uint64_t seed) {
        Prng prng(seed);
        const Pair pair(&prng);
        Bytes home(page_bytes);
        for (uint8_t& byte : home) {
            byte = static_cast<uint8_t>(prng.next());
        }
        Bytes expected = home;
        for (size_t at = 0; at < page_bytes; at++) {
            expected[at] = pair.page[at] != pair.twin[at] ? pair.page[at] : home[at];
        }
        EXPECT_EQ(store_changes(pair.page.data(), pair.twin.data(), home.data()), pair.changed());
        EXPECT_EQ(home, expected);
    });
}

// Each byte on its own, next to others that differ, and at both ends of words, lines and the page.
TEST(Diff, SeesEachByte) {
    for (const bool others : {false, true}) {
        for (size_t at = 0; at < page_bytes; at++) {
            Bytes twin(page_bytes, 0), page(page_bytes, others ? 1 : 0), home(page_bytes, 9);
            page[at] = others ? 0 : 1;
            Diff diff;
            ASSERT_EQ(append_changes(page.data(), twin.data(), 0, &diff), others ? page_bytes - 1 : 1u);
            ASSERT_EQ(store_changes(page.data(), twin.data(), home.data()), others ? page_bytes - 1 : 1u);
            ASSERT_EQ(home[at], others ? 9 : 1);
            if (!others) {
                ASSERT_EQ(diff.pieces.size(), 1u);
                ASSERT_EQ(diff.pieces[0].offset, at);
            }
        }
    }
}

// Another thread of the program changes bytes and changes them back, before it faults.
TEST(Diff, AppendsWhatItHasCompared) {
    const Bytes twin(page_bytes, 0);
    Bytes page = twin;
    std::atomic<bool> over{false};
    std::thread writer([&] {
        for (uint8_t value = 1; !over; value ^= 1) {
            for (uint8_t& byte : page) {
                __atomic_store_n(&byte, value, __ATOMIC_RELAXED);
            }
        }
    });
    uint64_t unchanged = 0;
    for (int i = 0; i < 2000; i++) {
        Diff diff;
        append_changes(page.data(), twin.data(), 0, &diff);
        unchanged += static_cast<uint64_t>(std::count(diff.bytes.begin(), diff.bytes.end(), 0));
    }
    over = true;
    writer.join();
    EXPECT_EQ(unchanged, 0u);
}

}  // namespace
}  // namespace syncline::dsm
