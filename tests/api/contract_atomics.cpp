// SPDX-License-Identifier: BSD-3-Clause
// Method: all PEs update the same words of every PE at the same time, with every operation and width. The operations
// are chosen so that the final memory does not depend on the order, and what they fetched proves that each happened
// exactly once: a permutation for fetch&add, every value seen exactly once for swap.
#include <cstring>
#include <iterator>
#include <limits>
#include <type_traits>

#include "contract.h"

namespace contract {
namespace {

constexpr int rounds = 40;  // operations of each kind, PE and target

// The value that PE `rank` adds or xors in a round.
uint64_t value_of(int rank, int round) {
    return (static_cast<uint64_t>(rank) + 1) * 0x9E3779B97F4A7C15u + static_cast<uint64_t>(round) * 0x100000001u;
}

template <typename Word>
struct Calls;
template <>
struct Calls<uint64_t> {
    static constexpr int width = SYNCLINE_64;
};
template <>
struct Calls<uint32_t> {
    static constexpr int width = SYNCLINE_32;
};

template <typename Word>
Word fetch(int operation, int target, syncline_address_t address, Word operand, Word comparand = 0) {
    Word old = 0;
    MUST(syncline_atomic(operation | Calls<Word>::width | SYNCLINE_FETCH, target, address, &operand,
                         operation == SYNCLINE_CAS ? &comparand : nullptr, &old));
    return old;
}

// Words of the test: add, and, or, xor. The bits that PE r clears or sets are r's alone.
template <typename Word>
void final_memory() {
    const syncline_address_t words = allocate(4 * sizeof(Word));
    local<Word>(words)[1] = ~Word{0};
    MUST(syncline_barrier());
    const Word bit = Word{1} << rank();
    for (int round = 0; round < rounds; round++) {
        for (int i = 0; i < size(); i++) {
            const int target = (rank() + i) % size();
            const Word value = static_cast<Word>(value_of(rank(), round));
            fetch<Word>(SYNCLINE_ADD, target, words, value);
            fetch<Word>(SYNCLINE_AND, target, words + sizeof(Word), static_cast<Word>(~bit));
            fetch<Word>(SYNCLINE_OR, target, words + 2 * sizeof(Word), bit);
            fetch<Word>(SYNCLINE_XOR, target, words + 3 * sizeof(Word), value);
        }
    }
    MUST(syncline_barrier());
    Word sum = 0, parity = 0, bits = 0;
    for (int pe = 0; pe < size(); pe++) {
        bits |= Word{1} << pe;
        for (int round = 0; round < rounds; round++) {
            sum += static_cast<Word>(value_of(pe, round));
            parity ^= static_cast<Word>(value_of(pe, round));
        }
    }
    EXPECT(local<Word>(words)[0] == sum);
    EXPECT(local<Word>(words)[1] == static_cast<Word>(~bits));
    EXPECT(local<Word>(words)[2] == bits);
    EXPECT(local<Word>(words)[3] == parity);
    MUST(syncline_free(words));
}

// Every PE writes into words of its own at every target, so each fetched value is known.
template <typename Word>
void fetched_values() {
    const syncline_address_t words = allocate(static_cast<size_t>(size()) * sizeof(Word));
    const syncline_address_t mine = words + static_cast<size_t>(rank()) * sizeof(Word);
    const Word high = Word{1} << (sizeof(Word) * 8 - 1);
    for (int target = 0; target < size(); target++) {
        EXPECT(fetch<Word>(SYNCLINE_ADD, target, mine, high) == 0);
        EXPECT(fetch<Word>(SYNCLINE_ADD, target, mine, static_cast<Word>(high + 6)) == high);  // wraps
        EXPECT(fetch<Word>(SYNCLINE_OR, target, mine, 9) == 6);
        EXPECT(fetch<Word>(SYNCLINE_AND, target, mine, 12) == 15);
        EXPECT(fetch<Word>(SYNCLINE_XOR, target, mine, static_cast<Word>(~Word{0})) == 12);
        EXPECT(fetch<Word>(SYNCLINE_SWAP, target, mine, 77) == static_cast<Word>(~Word{12}));
        EXPECT(fetch<Word>(SYNCLINE_CAS, target, mine, 5, 76) == 77);  // misses
        EXPECT(fetch<Word>(SYNCLINE_CAS, target, mine, 5, 77) == 77);
        EXPECT(fetch<Word>(SYNCLINE_UMAX, target, mine, high) == 5);
        EXPECT(fetch<Word>(SYNCLINE_SMIN, target, mine, 1) == high);  // a negative number
        EXPECT(fetch<Word>(SYNCLINE_SMAX, target, mine, 5) == high);
        EXPECT(fetch<Word>(SYNCLINE_UMIN, target, mine, high) == 5);
        EXPECT(fetch<Word>(SYNCLINE_ADD, target, mine, 0) == 5);
    }
    MUST(syncline_barrier());
    for (int pe = 0; pe < size(); pe++) {
        EXPECT(local<Word>(words)[pe] == 5);
    }
    MUST(syncline_free(words));
}

// Words of the test: the signed and the unsigned minimum and maximum of what all PEs give, by operations that fetch and
// by posted ones. The values that a PE fetches from a word never go back, and are as near to the extreme as its own
// values.
template <typename Word>
void extremes() {
    using Signed = std::make_signed_t<Word>;
    using Limits = std::numeric_limits<Signed>;
    struct Extreme {
        int operation;
        Word initial;
        bool (*is_beyond)(Word, Word);  // the first is nearer to the extreme
    };
    const Extreme all[] = {
        {SYNCLINE_SMIN, static_cast<Word>(Limits::max()),
         [](Word one, Word other) { return static_cast<Signed>(one) < static_cast<Signed>(other); }},
        {SYNCLINE_SMAX, static_cast<Word>(Limits::min()),
         [](Word one, Word other) { return static_cast<Signed>(one) > static_cast<Signed>(other); }},
        {SYNCLINE_UMIN, static_cast<Word>(~Word{0}), [](Word one, Word other) { return one < other; }},
        {SYNCLINE_UMAX, 0, [](Word one, Word other) { return one > other; }},
    };
    constexpr size_t kinds = std::size(all);
    const syncline_address_t words = allocate(2 * kinds * sizeof(Word));
    for (size_t i = 0; i < 2 * kinds; i++) {
        local<Word>(words)[i] = all[i % kinds].initial;
    }
    MUST(syncline_barrier());
    for (int target = 0; target < size(); target++) {
        for (size_t i = 0; i < kinds; i++) {
            const syncline_address_t fetched = words + i * sizeof(Word), posted = fetched + kinds * sizeof(Word);
            Word nearest = all[i].initial;
            for (int round = 0; round < rounds; round++) {
                const auto value = static_cast<Word>(value_of(rank(), round));
                const Word old = fetch<Word>(all[i].operation, target, fetched, value);
                EXPECT(!all[i].is_beyond(nearest, old));
                nearest = all[i].is_beyond(value, old) ? value : old;
                MUST(syncline_atomic_post(all[i].operation | Calls<Word>::width, target, posted, &value, nullptr));
            }
        }
    }
    MUST(syncline_barrier());
    for (size_t i = 0; i < kinds; i++) {
        Word extreme = all[i].initial;
        for (int pe = 0; pe < size(); pe++) {
            for (int round = 0; round < rounds; round++) {
                const auto value = static_cast<Word>(value_of(pe, round));
                extreme = all[i].is_beyond(value, extreme) ? value : extreme;
            }
        }
        EXPECT(local<Word>(words)[i] == extreme);
        EXPECT(local<Word>(words)[kinds + i] == extreme);
    }
    MUST(syncline_free(words));
}

// Counts how often each value came out, at PE 0, and checks that it was once.
class Seen {
  public:
    explicit Seen(size_t values) : values_(values), counts_(allocate(values * sizeof(uint32_t))) {}
    void mark(uint64_t value) const {
        EXPECT(value < values_);
        MUST(syncline_add32(0, counts_ + value * sizeof(uint32_t), 1));
    }
    void check() const {
        MUST(syncline_barrier());
        for (size_t i = 0; rank() == 0 && i < values_; i++) {
            EXPECT(local<uint32_t>(counts_)[i] == 1);
        }
        MUST(syncline_free(counts_));
    }

  private:
    size_t values_;
    syncline_address_t counts_;
};

void permutation() {
    const int mine = 5 * rounds;
    const syncline_address_t counter = allocate(sizeof(uint64_t));
    const int target = size() - 1;
    const Seen seen(static_cast<size_t>(mine * size()));
    for (int i = 0; i < mine; i++) {
        uint64_t old = 0;
        MUST(syncline_fetch_add64(target, counter, 1, &old));
        seen.mark(old);
    }
    seen.check();
    EXPECT(rank() != target || *local(counter) == static_cast<uint64_t>(mine * size()));
}

void swap_chain() {
    const int mine = 5 * rounds;
    const syncline_address_t word = allocate(sizeof(uint64_t));
    const int target = size() - 1;
    const Seen seen(static_cast<size_t>(mine * size() + 1));  // 0 is what is there first
    for (int i = 0; i < mine; i++) {
        uint64_t old = 0;
        MUST(syncline_swap64(target, word, static_cast<uint64_t>(rank() * mine + i + 1), &old));
        seen.mark(old);
    }
    MUST(syncline_barrier());
    if (rank() == target) {
        seen.mark(*local(word));
    }
    seen.check();
}

void cas_increments() {
    const syncline_address_t words = allocate(16);
    const int target = size() / 2;
    for (int i = 0; i < rounds; i++) {
        for (uint64_t expected = 0, old = 0;; expected = old) {
            MUST(syncline_cas64(target, words, expected, expected + 3, &old));
            if (old == expected) {
                break;
            }
        }
        for (uint32_t expected = 0, old = 0;; expected = old) {
            MUST(syncline_cas32(target, words + 8, expected, expected + 5, &old));
            if (old == expected) {
                break;
            }
        }
    }
    MUST(syncline_barrier());
    const auto all = static_cast<uint32_t>(rounds * size());
    EXPECT(rank() != target || (*local(words) == uint64_t{all} * 3 && *local<uint32_t>(words + 8) == all * 5));
}

}  // namespace

// A pair's halves belong together: low and ~low always, whichever PE wrote it.
void run_pairs() {
    const syncline_address_t words = allocate(32);
    const int target = size() - 1;
    if (rank() == target) {
        local(words)[1] = ~uint64_t{0};
        local(words)[3] = ~uint64_t{0};
    }
    MUST(syncline_barrier());
    const Seen seen(static_cast<size_t>(rounds * size() + 1));
    for (int i = 0; i < rounds; i++) {
        const auto value = static_cast<uint64_t>(rank() * rounds + i + 1);
        syncline_pair_t old = {};
        MUST(syncline_swap128(target, words, {value, ~value}, &old));
        EXPECT(old.low == ~old.high);
        seen.mark(old.low);
        for (syncline_pair_t expected = {0, ~uint64_t{0}};; expected = old) {
            MUST(syncline_cas128(target, words + 16, expected, {expected.low + 1, ~(expected.low + 1)}, &old));
            EXPECT(old.low == ~old.high);
            if (old.low == expected.low) {
                break;
            }
        }
    }
    MUST(syncline_barrier());
    if (rank() == target) {
        seen.mark(local(words)[0]);
        EXPECT(local(words)[2] == static_cast<uint64_t>(rounds * size()));
        EXPECT(local(words)[3] == ~local(words)[2]);
    }
    seen.check();
}

void run_atomics() {
    final_memory<uint64_t>();
    final_memory<uint32_t>();
    extremes<uint64_t>();
    extremes<uint32_t>();
    fetched_values<uint64_t>();
    fetched_values<uint32_t>();
    permutation();
    swap_chain();
    cas_increments();
}

}  // namespace contract
