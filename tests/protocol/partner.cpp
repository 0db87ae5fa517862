// SPDX-License-Identifier: BSD-3-Clause
// The library's half of a job whose other PEs are written in Python from docs/PROTOCOL.md alone (exchange.py).
//
// Method: in each round every PE adds to counters of every other, extends a chain of bits, changes a pair by compare
// and swap, puts a pattern that it reads back, in one piece and in many, and adds numbers; then all pass the runtime's
// barrier and look at what they got.
// Then all reduce values in barriers of the NICs, with every schedule. At the end each word holds exactly what as many
// operations make of it, each executed once. PEs of one node leave their pairs alone: the Python ones take no lock.
#include <syncline.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string_view>
#include <vector>

namespace {

constexpr uint64_t rounds = 3;
constexpr uint64_t reductions = 6;
constexpr size_t bytes = 5001;
constexpr syncline_address_t narrow = 8, chain = 16, pair = 32, flags = 1024, inbox = 4096;
constexpr uint64_t inbox_bytes = 8192;
constexpr syncline_address_t doubles = 40960, floats = 49152, integers = 57344, strided = 61440 + 10;
constexpr size_t elements = 700, numbers = 500, pieces = 300, piece_bytes = 12;
constexpr uint64_t strided_bytes = 6144;
constexpr int barrier_number = 5;
constexpr int schedules_refused = 7;
constexpr syncline_address_t first_allocation = 65536;  // of a heap, behind the runtime's words

[[noreturn]] void fail(int line, const char* what, long long found) {
    std::fprintf(stderr, "PE %d: line %d: %s: %lld: %s\n", syncline_rank(), line, what, found, syncline_last_error());
    syncline_abort(1);
}

#define EXPECT(condition)                  \
    do {                                   \
        if (!(condition)) {                \
            fail(__LINE__, #condition, 0); \
        }                                  \
    } while (false)
#define EXPECT_STATUS(call, status)                          \
    do {                                                     \
        if (const int found_ = (call); found_ != (status)) { \
            fail(__LINE__, #call " == " #status, found_);    \
        }                                                    \
    } while (false)
#define MUST(call) EXPECT_STATUS(call, SYNCLINE_OK)

uint64_t rank() {
    return static_cast<uint64_t>(syncline_rank());
}
uint64_t size() {
    return static_cast<uint64_t>(syncline_size());
}
template <typename Word = uint64_t>
Word* local(syncline_address_t address) {
    return static_cast<Word*>(syncline_local(first_allocation + address));
}
bool is_here(int other) {
    return syncline_node_of(other) == syncline_node_of(syncline_rank());
}

std::vector<int> others() {
    std::vector<int> all;
    for (uint64_t i = 1; i < size(); i++) {
        all.push_back(static_cast<int>((rank() + i) % size()));
    }
    return all;
}

std::vector<uint8_t> pattern(uint64_t sender, uint64_t number) {
    std::vector<uint8_t> all(bytes);
    for (size_t i = 0; i < bytes; i++) {
        all[i] = static_cast<uint8_t>(i * 7 + sender * 13 + number * 31);
    }
    return all;
}

void add_to_pair(int target) {
    syncline_pair_t seen = {0, 0};
    for (;;) {
        const syncline_pair_t wanted = {seen.low + 1, seen.high + 2};
        syncline_pair_t found = {0, 0};
        MUST(syncline_cas128(target, first_allocation + pair, seen, wanted, &found));
        if (found.low == seen.low && found.high == seen.high) {
            return;
        }
        seen = found;
    }
}

// `count` pieces of `each` bytes.
std::vector<syncline_piece_t> every(uint64_t stride, size_t count, uint64_t each) {
    std::vector<syncline_piece_t> list(count);
    for (size_t i = 0; i < count; i++) {
        list[i] = {stride * i, each};
    }
    return list;
}

void run_pieces(int target, const std::vector<uint8_t>& sent) {
    const syncline_address_t own = first_allocation + strided + strided_bytes * rank();
    const std::vector<syncline_piece_t> list = every(20, pieces, piece_bytes);
    std::vector<uint8_t> back(pieces * piece_bytes);
    MUST(syncline_put_pieces(target, own, list.data(), pieces, sent.data()));
    MUST(syncline_get_pieces(target, own, list.data(), pieces, back.data()));
    EXPECT(std::equal(back.begin(), back.end(), sent.begin()));
}

void run_sums(int target) {
    std::vector<double> values(elements);
    std::vector<float> narrow_values(elements);
    for (size_t i = 0; i < elements; i++) {
        values[i] = 0.25 * static_cast<double>((rank() + 1) * (i + 1));
        narrow_values[i] = static_cast<float>(values[i]);
    }
    MUST(syncline_accumulate(target, first_allocation + doubles, SYNCLINE_DOUBLE, values.data(), elements));
    MUST(syncline_accumulate(target, first_allocation + floats, SYNCLINE_COMPLEX_FLOAT, narrow_values.data(),
                             elements / 2));
    std::vector<int32_t> whole(numbers);
    for (size_t i = 0; i < numbers; i++) {
        whole[i] = -static_cast<int32_t>(rank() + 1 + i);
    }
    const std::vector<syncline_piece_t> places = every(8, numbers, sizeof(int32_t));
    MUST(syncline_accumulate_pieces(target, first_allocation + integers, SYNCLINE_INT32, places.data(), numbers,
                                    whole.data()));
}

void check_pieces(uint64_t sender, const std::vector<uint8_t>& sent) {
    for (size_t i = 0; i < pieces; i++) {
        const syncline_address_t at = strided + strided_bytes * sender + 20 * i;
        EXPECT(std::memcmp(local<uint8_t>(at), &sent[piece_bytes * i], piece_bytes) == 0);
    }
}

void run_operations() {
    const syncline_address_t own = first_allocation + inbox + inbox_bytes * rank() + 3;
    std::vector<uint8_t> back(bytes);
    for (uint64_t number = 1; number <= rounds; number++) {
        const std::vector<uint8_t> sent = pattern(rank(), number);
        for (const int target : others()) {
            uint64_t old = 0;
            MUST(syncline_fetch_add64(target, first_allocation, 1, &old));
            EXPECT(old < rounds * size());
            MUST(syncline_add32(target, first_allocation + narrow, 3));
            MUST(syncline_fetch_xor64(target, first_allocation + chain, 1ull << (rank() * rounds + number - 1), &old));
            if (!is_here(target)) {
                add_to_pair(target);
            }
            MUST(syncline_put(target, own, sent.data(), bytes));
            MUST(syncline_get(target, own, back.data(), bytes));
            EXPECT(back == sent);
            run_pieces(target, sent);
            run_sums(target);
        }
        MUST(syncline_barrier());
        for (const int sender : others()) {
            const auto from = static_cast<uint64_t>(sender);
            EXPECT(std::memcmp(local<uint8_t>(inbox + inbox_bytes * from + 3), pattern(from, number).data(), bytes) ==
                   0);
            check_pieces(from, pattern(from, number));
        }
        MUST(syncline_barrier());
    }
}

void check_flags(uint64_t number) {
    for (const int sender : others()) {
        const uint64_t seen = __atomic_load_n(local(flags) + sender, __ATOMIC_ACQUIRE);
        EXPECT(seen == number || seen == number + 1);
    }
}

void run_reductions(int algorithm, uint32_t dimension) {
    syncline_barrier_options_t options = {sizeof(options), algorithm, dimension, 0};
    syncline_barrier_t barrier = nullptr;
    MUST(syncline_barrier_open(barrier_number, nullptr, 0, &options, &barrier));
    for (uint64_t number = 1; number <= reductions; number++) {
        for (const int target : others()) {
            MUST(syncline_put(target, first_allocation + flags + 8 * rank(), &number, sizeof(number)));
        }
        uint64_t result = 0;
        if (algorithm == SYNCLINE_BARRIER_TREE) {
            const uint64_t value = (rank() + 1) * number;
            MUST(syncline_reduce(barrier, SYNCLINE_SUM, &value, &result));
            EXPECT(result == number * size() * (size() + 1) / 2);
        } else {
            const uint64_t value = rank() * number;
            MUST(syncline_reduce(barrier, SYNCLINE_MAX, &value, &result));
            EXPECT(result == (size() - 1) * number);
        }
        check_flags(number);
    }
    MUST(syncline_barrier_close(barrier));
    for (const int sender : others()) {
        local(flags)[sender] = 0;
    }
    MUST(syncline_barrier());
}

void run_refusals() {
    uint64_t old = 0;
    for (const int target : others()) {
        EXPECT_STATUS(syncline_fetch_add64(target, 5ull << 40, 1, &old), SYNCLINE_ERR_ADDRESS);
    }
}

// Each word is what all senders have added, whose factors' sum this is.
void check_sums(uint64_t times, uint64_t factors) {
    for (size_t i = 0; i < elements; i++) {
        const double sum = 0.25 * static_cast<double>(factors * (i + 1));
        EXPECT(local<double>(doubles)[i] == sum);
        EXPECT(local<float>(floats)[i] == static_cast<float>(sum));
    }
    for (size_t i = 0; i < numbers; i++) {
        EXPECT(local<int32_t>(integers)[2 * i] == -static_cast<int32_t>(factors + times * i));
    }
}

void check_totals() {
    const uint64_t times = rounds * (size() - 1);
    EXPECT(*local(0) == times);
    EXPECT(*local<uint32_t>(narrow) == 3 * times);
    uint64_t bits = 0;
    uint64_t apart = 0;
    uint64_t factors = 0;
    for (const int sender : others()) {
        bits |= ((1ull << rounds) - 1) << (static_cast<uint64_t>(sender) * rounds);
        apart += is_here(sender) ? 0 : rounds;
        factors += rounds * (static_cast<uint64_t>(sender) + 1);
    }
    check_sums(times, factors);
    EXPECT(*local(chain) == bits);
    EXPECT(local(pair)[0] == apart && local(pair)[1] == 2 * apart);
}

// PE 0, a Python one, announces schedules that no barrier has. A PE that believed one would wait for ever, or add up
// something else.
void refuse_nonsense() {
    for (int i = 0; i < schedules_refused; i++) {
        MUST(syncline_barrier());
        syncline_barrier_t barrier = nullptr;
        EXPECT_STATUS(syncline_barrier_open(barrier_number, nullptr, 0, nullptr, &barrier), SYNCLINE_ERR_PROTOCOL);
        EXPECT(std::strstr(syncline_last_error(), "PE 0, the first member of barrier 5") != nullptr);
        MUST(syncline_barrier());
    }
}

}  // namespace

int main(int argc, char** argv) {
    if (argc != 2 || syncline_init(nullptr) != SYNCLINE_OK) {
        std::fprintf(stderr, "partner: %s\n", argc != 2 ? "needs a case" : syncline_last_error());
        return 1;
    }
    syncline_address_t start = 0;
    MUST(syncline_alloc(256 * 1024, 0, &start));
    EXPECT(start == first_allocation);
    if (std::string_view(argv[1]) == "nonsense") {
        refuse_nonsense();
    } else {
        run_operations();
        run_reductions(SYNCLINE_BARRIER_EXCHANGE, 0);
        run_reductions(SYNCLINE_BARRIER_TREE, 1);
        run_reductions(SYNCLINE_BARRIER_TREE, 2);
        run_refusals();
        MUST(syncline_barrier());
        check_totals();
    }
    std::printf("PE %d: the library\n", syncline_rank());
    std::fflush(stdout);
    const int status = syncline_finalize();
    if (status != SYNCLINE_OK) {
        std::fprintf(stderr, "partner: %s\n", syncline_last_error());
    }
    return status == SYNCLINE_OK ? 0 : 1;
}
