// SPDX-License-Identifier: BSD-3-Clause
// Accumulates of all six types, scaled: ranges, sections, lists against plain loops; and sums of all processes at once.
#include <complex>

#include "section.h"

using namespace armci_test;

namespace {

constexpr size_t area_bytes = 4096;

// Small whole numbers: sums of them are exact in each type and order.
template <typename T>
T draw(Random* random, int most) {
    if constexpr (std::is_arithmetic_v<T>) {
        return static_cast<T>(random->between(-most, most));
    } else {
        using Part = typename T::value_type;
        return T(static_cast<Part>(random->between(-most, most)), static_cast<Part>(random->between(-most, most)));
    }
}

template <typename T>
void add(T* to, const T* from, T scale, size_t bytes) {
    for (size_t i = 0; i < bytes / sizeof(T); i++) {
        to[i] += scale * from[i];
    }
}

template <typename T>
class Sums {
  public:
    explicit Sums(int type)
        : type_(type),
          numbers_(area_bytes / sizeof(T) * static_cast<size_t>(size())),
          random_(static_cast<uint64_t>(me() + type)) {
        model_.assign(static_cast<size_t>(size()), std::vector<T>(area_bytes / sizeof(T)));
    }

    void turn(int turn) {
        process_ = next(turn);
        scale_ = turn % 3 == 0 ? T(1) : draw<T>(&random_, 3);
        local_.resize(area_bytes / sizeof(T));
        for (T& one : local_) {
            one = draw<T>(&random_, 9);
        }
        turn % 3 == 0 ? contiguous() : turn % 3 == 1 ? section() : list();
        check();
    }

  private:
    T* there() const { return numbers_.at(process_) + area_bytes / sizeof(T) * static_cast<size_t>(me()); }
    T* model(size_t offset) { return model_[static_cast<size_t>(process_)].data() + offset / sizeof(T); }
    const T* local(size_t offset) const { return local_.data() + offset / sizeof(T); }

    void contiguous() {
        const size_t first = random_.below(7), count = random_.below(area_bytes / sizeof(T) - 7);
        const int bytes = static_cast<int>(count * sizeof(T));
        CHECK(ARMCI_Acc(type_, &scale_, local_.data(), there() + first, bytes, process_) == 0);
        add(model(first * sizeof(T)), local(0), scale_, count * sizeof(T));
    }
    void section() {
        Section one = draw_section(&random_, sizeof(T), area_bytes);
        CHECK(ARMCI_AccS(type_, &scale_, local_.data(), one.local, there(), one.remote, one.count, one.levels,
                         process_) == 0);
        for_each_run(one, [&](size_t here, size_t there) {
            add(model(there), local(here), scale_, static_cast<size_t>(one.count[0]));
        });
    }
    void list() {
        const List one = draw_list(&random_, sizeof(T), area_bytes);
        Giov pieces(one, local_.data(), true, there());
        CHECK(ARMCI_AccV(type_, &scale_, pieces.data(), pieces.length(), process_) == 0);
        for_each_piece(one,
                       [&](size_t here, size_t there, size_t bytes) { add(model(there), local(here), scale_, bytes); });
    }
    void check() {
        std::vector<T> found(area_bytes / sizeof(T));
        CHECK(ARMCI_Get(there(), found.data(), area_bytes, process_) == 0);
        for (size_t i = 0; i < found.size(); i++) {
            CHECK_THAT(found[i] == *model(i * sizeof(T)), "type {}, number {} at process {}", type_, i, process_);
        }
    }

    const int type_;
    const Blocks<T> numbers_;
    Random random_;
    std::vector<std::vector<T>> model_;
    std::vector<T> local_;
    T scale_{};
    int process_ = 0;
};

template <typename T>
void sums_of(int type) {
    Sums<T> sums(type);
    for (int turn = 0; turn < 15; turn++) {
        sums.turn(turn);
    }
    ARMCI_Barrier();
}

// Every process adds to all numbers of each process, in calls of unequal parts.
template <typename T>
void add_together(int type) {
    constexpr int rounds = 6;
    // On one node so many that they lie under several of the library's locks.
    const int count = armci_domain_count(ARMCI_DOMAIN_SMP) == 1 ? 6000 : 600;
    Blocks<T> numbers(static_cast<size_t>(count));
    std::vector<T> ones(static_cast<size_t>(count), T(1));
    T scale = T(static_cast<float>(me() + 1));
    for (int round = 0; round < rounds * size(); round++) {
        const int cut = (round * 97 + me() * 31) % count;
        const int process = next(round);
        CHECK(ARMCI_Acc(type, &scale, ones.data(), numbers.at(process), cut * static_cast<int>(sizeof(T)), process) ==
              0);
        CHECK(ARMCI_Acc(type, &scale, ones.data() + cut, numbers.at(process) + cut,
                        (count - cut) * static_cast<int>(sizeof(T)), process) == 0);
    }
    ARMCI_Barrier();
    const T expected = T(static_cast<float>(rounds * size() * (size() + 1) / 2));
    for (int i = 0; i < count; i++) {
        CHECK_THAT(numbers.own()[i] == expected, "type {}, number {}", type, i);
    }
    ARMCI_Barrier();
}

}  // namespace

void run_accumulate() {
    sums_of<int>(ARMCI_ACC_INT);
    sums_of<long>(ARMCI_ACC_LNG);
    sums_of<float>(ARMCI_ACC_FLT);
    sums_of<double>(ARMCI_ACC_DBL);
    sums_of<std::complex<float>>(ARMCI_ACC_CPL);
    sums_of<std::complex<double>>(ARMCI_ACC_DCP);
    // Integers wrap around.
    Blocks<int> number(1);
    int most = 0x7fffffff, scale = 3;
    CHECK(ARMCI_Acc(ARMCI_ACC_INT, &scale, &most, number.at(next()), sizeof(int), next()) == 0);
    CHECK(ARMCI_GetValueInt(number.at(next()), next()) == 0x7ffffffd);
    ARMCI_Barrier();
}

void run_atomic_sums() {
    add_together<int>(ARMCI_ACC_INT);
    add_together<long>(ARMCI_ACC_LNG);
    add_together<float>(ARMCI_ACC_FLT);
    add_together<double>(ARMCI_ACC_DBL);
    add_together<std::complex<float>>(ARMCI_ACC_CPL);
    add_together<std::complex<double>>(ARMCI_ACC_DCP);
}
