// SPDX-License-Identifier: BSD-3-Clause
// Method: every PE accumulates elements of each kind, in ranges and in pieces, into words of its own at other PEs and
// compares them with sums that it keeps; then all PEs add to words of one PE at once. All values are small whole
// numbers, so sums of floating-point numbers are exact, too, and their order does not matter. In the end PEs call
// accumulate very often for a few words.
#include <algorithm>

#include "contract.h"

namespace contract {
namespace {

template <typename T>
struct Complex {
    T real;
    T imaginary;

    bool operator==(const Complex& other) const { return real == other.real && imaginary == other.imaginary; }
    Complex& operator+=(const Complex& other) {
        real += other.real;
        imaginary += other.imaginary;
        return *this;
    }
};

template <typename T>
T element_of(int64_t value) {
    return static_cast<T>(value);
}
template <>
Complex<float> element_of(int64_t value) {
    return {static_cast<float>(value), static_cast<float>(-2 * value)};
}
template <>
Complex<double> element_of(int64_t value) {
    return {static_cast<double>(value), static_cast<double>(-2 * value)};
}

constexpr size_t room = 20000;  // elements

template <typename T>
struct Sums {
    int target;
    syncline_address_t address;
    int element;
    std::vector<T> expected = std::vector<T>(room);

    void check() const {
        std::vector<T> found(room);
        MUST(syncline_get(target, address, found.data(), room * sizeof(T)));
        EXPECT(found == expected);
    }
    syncline_address_t at(size_t index) const { return address + index * sizeof(T); }
};

template <typename T>
std::vector<T> random_elements(size_t count, Random* random) {
    std::vector<T> values;
    for (size_t i = 0; i < count; i++) {
        values.push_back(element_of<T>(static_cast<int64_t>(random->below(200)) - 100));
    }
    return values;
}

template <typename T>
void add_range(Sums<T>* sums, size_t first, size_t count, Random* random) {
    const std::vector<T> values = random_elements<T>(count, random);
    MUST(syncline_accumulate(sums->target, sums->at(first), sums->element, values.data(), count));
    for (size_t i = 0; i < count; i++) {
        sums->expected[first + i] += values[i];
    }
}

// Anywhere, so some overlap: an element takes one addition for each of its pieces. Some are empty.
template <typename T>
std::vector<syncline_piece_t> random_pieces(size_t count, size_t elements_max, Random* random) {
    std::vector<syncline_piece_t> pieces(count);
    for (syncline_piece_t& piece : pieces) {
        const size_t elements = random->below(elements_max + 1);
        piece = {random->below(room - elements) * sizeof(T), elements * sizeof(T)};
    }
    return pieces;
}

// Draws a value for each element of the pieces, and adds it to the expected sum.
template <typename T>
std::vector<T> values_of(const std::vector<syncline_piece_t>& pieces, Sums<T>* sums, Random* random) {
    std::vector<T> all;
    for (const syncline_piece_t& piece : pieces) {
        const std::vector<T> values = random_elements<T>(piece.bytes / sizeof(T), random);
        for (size_t i = 0; i < values.size(); i++) {
            sums->expected[piece.offset / sizeof(T) + i] += values[i];
        }
        all.insert(all.end(), values.begin(), values.end());
    }
    return all;
}

template <typename T>
void add_pieces(Sums<T>* sums, size_t count, size_t elements_max, Random* random) {
    const std::vector<syncline_piece_t> pieces = random_pieces<T>(count, elements_max, random);
    const std::vector<T> values = values_of(pieces, sums, random);
    MUST(syncline_accumulate_pieces(sums->target, sums->address, sums->element, pieces.data(), count, values.data()));
}

void count_tag(uint64_t, int status, void* seen) {
    MUST(status);
    ++*static_cast<int*>(seen);
}

template <typename T>
void add_later(Sums<T>* sums, Random* random) {
    constexpr int calls = 10;
    std::vector<std::vector<T>> kept;
    std::vector<syncline_request_t> requests(calls);
    for (syncline_request_t& request : requests) {
        std::vector<syncline_piece_t> pieces = random_pieces<T>(20, 30, random);
        kept.push_back(values_of(pieces, sums, random));
        MUST(syncline_accumulate_pieces_nb(sums->target, sums->address, sums->element, pieces.data(), pieces.size(),
                                           kept.back().data(), 0, &request));
        std::fill(pieces.begin(), pieces.end(), syncline_piece_t{0, 1});
        const std::vector<syncline_piece_t> range = {{7 * sizeof(T), 5 * sizeof(T)}};
        kept.push_back(values_of(range, sums, random));
        MUST(syncline_accumulate_nb(sums->target, sums->at(7), sums->element, kept.back().data(), 5, 0, nullptr));
    }
    for (const syncline_request_t request : requests) {
        MUST(syncline_wait(request));
    }
    MUST(syncline_quiet());
    int seen = 0;
    EXPECT(syncline_poll(count_tag, &seen, 100) == calls && seen == calls);
}

template <typename T>
void add_all(int element) {
    const syncline_address_t words = allocate(static_cast<size_t>(size()) * room * sizeof(T));
    Random random(static_cast<uint64_t>(rank() * 10 + element));
    for (const int distance : {0, 1, size() / 2}) {
        Sums<T> sums = {(rank() + distance) % size(), words + static_cast<size_t>(rank()) * room * sizeof(T), element};
        MUST(syncline_put(sums.target, sums.address, sums.expected.data(), room * sizeof(T)));
        for (const size_t count : {1, 2, 3, 64, 1000, 20000}) {
            add_range(&sums, random.below(room - count + 1), count, &random);
        }
        add_pieces(&sums, 1, 9000, &random);
        add_pieces(&sums, 3, 9000, &random);
        add_pieces(&sums, 64, 100, &random);
        add_pieces(&sums, 1000, 3, &random);
        sums.check();
        add_later(&sums, &random);
        MUST(syncline_accumulate(sums.target, sums.address, element, nullptr, 0));
        MUST(syncline_accumulate_pieces(sums.target, sums.address, element, nullptr, 0, nullptr));
        sums.check();
        MUST(syncline_barrier());
    }
    MUST(syncline_free(words));
}

// All PEs add to the same elements at once: with SYNCLINE_LONG=1, four PEs add 2^20 numbers of each kind.
template <typename T>
void race(int element) {
    constexpr size_t count = 64;
    const int rounds = repeats(82);
    const int target = size() - 1;
    const syncline_address_t words = allocate(count * sizeof(T));
    std::vector<T> values;
    std::vector<syncline_piece_t> pieces;  // the elements backwards, in groups of 1 to 3
    for (size_t i = 0; i < count; i++) {
        values.push_back(element_of<T>(static_cast<int64_t>(i) + 1));
    }
    std::vector<T> backwards;
    for (size_t end = count; end != 0;) {
        const size_t group = std::min(end, pieces.size() % 3 + 1);
        end -= group;
        pieces.push_back({end * sizeof(T), group * sizeof(T)});
        backwards.insert(backwards.end(), values.begin() + static_cast<std::ptrdiff_t>(end),
                         values.begin() + static_cast<std::ptrdiff_t>(end + group));
    }
    for (int round = 0; round < rounds; round++) {
        if (round % 4 == 3) {
            MUST(syncline_accumulate_pieces(target, words, element, pieces.data(), pieces.size(), backwards.data()));
        } else {
            MUST(syncline_accumulate_nb(target, words, element, values.data(), count, 0, nullptr));
        }
        if (element == SYNCLINE_INT64) {
            MUST(syncline_add64(target, words, 1));  // atomics take part
        }
    }
    MUST(syncline_barrier());
    int seen = 0;
    while (syncline_poll(count_tag, &seen, 1000) > 0) {
    }
    for (size_t i = 0; i < count && rank() == target; i++) {
        const int64_t atomics = element == SYNCLINE_INT64 && i == 0 ? int64_t{rounds} * size() : 0;
        EXPECT(local<T>(words)[i] == element_of<T>((static_cast<int64_t>(i) + 1) * rounds * size() + atomics));
    }
    MUST(syncline_barrier());
    MUST(syncline_free(words));
}

// All PEs together call accumulate 2^16 times, with SYNCLINE_LONG=1 2^20 times, for the same eight elements. Whole
// numbers of up to 2^24 are exact in a float, too.
template <typename T>
void add_up(int element) {
    constexpr size_t count = 8;
    const int calls = ((is_long() ? 1 << 20 : 1 << 16) + size() - 1) / size();
    const int target = size() - 1;
    const syncline_address_t words = allocate(count * sizeof(T));
    std::vector<T> values;
    for (size_t i = 0; i < count; i++) {
        values.push_back(element_of<T>(static_cast<int64_t>(i) + 1));
    }
    std::vector<int64_t> times(count);
    int seen = 0;
    for (int call = 0; call < calls; call++) {
        const size_t first = static_cast<size_t>(call) * 5 % count;
        const size_t some = 1 + static_cast<size_t>(call) % (count - first);
        MUST(syncline_accumulate_nb(target, words + first * sizeof(T), element, &values[first], some, 0, nullptr));
        for (size_t i = first; i < first + some; i++) {
            times[i]++;
        }
        while (call % 64 == 63 && syncline_poll(count_tag, &seen, 64) > 0) {
        }
    }
    MUST(syncline_barrier());
    while (syncline_poll(count_tag, &seen, 64) > 0) {
    }
    EXPECT(seen == calls);
    for (size_t i = 0; i < count && rank() == target; i++) {
        EXPECT(local<T>(words)[i] == element_of<T>((static_cast<int64_t>(i) + 1) * times[i] * size()));
    }
    MUST(syncline_barrier());
    MUST(syncline_free(words));
}

}  // namespace

void run_accumulates() {
    add_all<int32_t>(SYNCLINE_INT32);
    add_all<int64_t>(SYNCLINE_INT64);
    add_all<float>(SYNCLINE_FLOAT);
    add_all<double>(SYNCLINE_DOUBLE);
    add_all<Complex<float>>(SYNCLINE_COMPLEX_FLOAT);
    add_all<Complex<double>>(SYNCLINE_COMPLEX_DOUBLE);
}

void run_accumulate_race() {
    race<int32_t>(SYNCLINE_INT32);
    race<int64_t>(SYNCLINE_INT64);
    race<float>(SYNCLINE_FLOAT);
    race<double>(SYNCLINE_DOUBLE);
    race<Complex<float>>(SYNCLINE_COMPLEX_FLOAT);
    race<Complex<double>>(SYNCLINE_COMPLEX_DOUBLE);
}

void run_accumulate_sums() {
    add_up<float>(SYNCLINE_FLOAT);
    add_up<double>(SYNCLINE_DOUBLE);
    add_up<Complex<float>>(SYNCLINE_COMPLEX_FLOAT);
    add_up<Complex<double>>(SYNCLINE_COMPLEX_DOUBLE);
    add_up<int64_t>(SYNCLINE_INT64);
}

}  // namespace contract
