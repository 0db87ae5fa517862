// SPDX-License-Identifier: BSD-3-Clause
// Method: accumulates to addresses that are no multiple of the numbers' size: ranges, sections and lists of which some
// rows are aligned and others are not, against plain loops over bytes, which find also what was written beside the
// numbers; then all processes add to the same numbers.
#include <complex>

#include "section.h"

using namespace armci_test;

namespace {

constexpr int area_bytes = 2048, rows = 9;

// Whole numbers that are exact in each type and order.
template <typename T>
T number_of(int value) {
    return T(static_cast<float>(value));
}

template <typename T>
void add_at(uint8_t* at, const T* from, int count, T scale) {
    for (int i = 0; i < count; i++, at += sizeof(T)) {
        T number;
        std::memcpy(&number, at, sizeof(T));
        number += scale * from[i];
        std::memcpy(at, &number, sizeof(T));
    }
}

// This process's area at another one, and what it should be.
template <typename T>
class Area {
  public:
    Area(int type, const Blocks<uint8_t>& blocks, int process)
        : type_(type),
          process_(process),
          there_(blocks.at(process) + static_cast<size_t>(me()) * area_bytes),
          model_(area_bytes) {
        for (int i = 0; i < rows * 4; i++) {
            numbers_.push_back(number_of<T>(i + me()));
        }
    }

    void range(int offset, armci_hdl_t* handle) {
        begin();
        const int bytes = 3 * static_cast<int>(sizeof(T));
        if (handle == nullptr) {
            CHECK(ARMCI_Acc(type_, &scale_, numbers_.data(), there_ + offset, bytes, process_) == 0);
        } else {
            CHECK(ARMCI_NbAcc(type_, &scale_, numbers_.data(), there_ + offset, bytes, process_, handle) == 0);
            CHECK(ARMCI_Wait(handle) == 0);
        }
        add_at(model_.data() + offset, numbers_.data(), 3, scale_);
        check();
    }

    // Rows of two numbers; those of a stride below that share numbers with each other.
    void section(int offset, int stride) {
        begin();
        int here[] = {2 * sizeof(T)}, remote[] = {stride}, count[] = {2 * sizeof(T), rows};
        CHECK(ARMCI_AccS(type_, &scale_, numbers_.data(), here, there_ + offset, remote, count, 1, process_) == 0);
        for (int row = 0; row < rows; row++) {
            add_at(model_.data() + offset + row * stride, &numbers_[static_cast<size_t>(row) * 2], 2, scale_);
        }
        check();
    }

    // Pieces of one number, in no order, some of them twice.
    void list(armci_hdl_t* handle) {
        begin();
        constexpr int offsets[rows] = {1027, 64, 5, 1027, 128, 901, 5, 64, 333};
        void *from[rows], *to[rows];
        for (int i = 0; i < rows; i++) {
            from[i] = &numbers_[static_cast<size_t>(i)];
            to[i] = there_ + offsets[i];
            add_at(model_.data() + offsets[i], &numbers_[static_cast<size_t>(i)], 1, scale_);
        }
        armci_giov_t pieces = {from, to, rows, sizeof(T)};
        if (handle == nullptr) {
            CHECK(ARMCI_AccV(type_, &scale_, &pieces, 1, process_) == 0);
        } else {
            CHECK(ARMCI_NbAccV(type_, &scale_, &pieces, 1, process_, handle) == 0);
            CHECK(ARMCI_Wait(handle) == 0);
        }
        check();
    }

  private:
    // The put is under way when the sum begins, which follows it.
    void begin() {
        std::fill(model_.begin(), model_.end(), ++filled_with_);
        source_ = model_;
        CHECK(ARMCI_NbPut(source_.data(), there_, area_bytes, process_, nullptr) == 0);
    }
    void check() {
        CHECK(ARMCI_WaitProc(process_) == 0);
        std::vector<uint8_t> found(area_bytes);
        CHECK(ARMCI_Get(there_, found.data(), area_bytes, process_) == 0);
        CHECK_SAME(found.data(), model_.data(), area_bytes);
    }

    const int type_;
    const int process_;
    uint8_t* const there_;
    uint8_t filled_with_ = 0;
    std::vector<uint8_t> model_, source_;
    std::vector<T> numbers_;
    T scale_ = number_of<T>(3);
};

template <typename T>
void add_alone(int type) {
    const Blocks<uint8_t> blocks(static_cast<size_t>(size()) * area_bytes);
    armci_hdl_t handle;
    ARMCI_INIT_HANDLE(&handle);
    for (const int distance : {0, 1, size() / 2}) {
        Area<T> area(type, blocks, next(distance));
        for (const int offset : {3, 16, 101}) {
            area.range(offset, nullptr);
            area.range(offset, &handle);
        }
        const int row = 2 * sizeof(T);
        for (const int stride : {row, row + 1, row + 2, static_cast<int>(sizeof(T))}) {
            area.section(7, stride);
            area.section(64, stride);
        }
        area.list(nullptr);
        area.list(&handle);
    }
    ARMCI_Barrier();
}

// All processes add to the same numbers of each process, among them one that lies across two pages, in ranges that are
// cut in different places.
template <typename T>
void add_together(int type) {
    const int rounds = armci_domain_count(ARMCI_DOMAIN_SMP) == 1 ? 60 : 5;
    constexpr int count = 12, first = 4096 - 3 * static_cast<int>(sizeof(T)) - 1;
    const Blocks<uint8_t> blocks(2 * 4096);
    const std::vector<T> ones(count, number_of<T>(1));
    T scale = number_of<T>(me() + 1);
    for (int round = 0; round < rounds * size(); round++) {
        const int process = next(round), cut = (round + me()) % count;
        const int bytes = cut * static_cast<int>(sizeof(T));
        uint8_t* const there = blocks.at(process) + first;
        T* const from = const_cast<T*>(ones.data());
        CHECK(ARMCI_Acc(type, &scale, from, there, bytes, process) == 0);
        CHECK(ARMCI_Acc(type, &scale, from, there + bytes, (count - cut) * static_cast<int>(sizeof(T)), process) == 0);
    }
    ARMCI_Barrier();
    const T expected = number_of<T>(rounds * size() * (size() + 1) / 2);
    for (int i = 0; i < count; i++) {
        CHECK_THAT(std::memcmp(blocks.own() + first + static_cast<size_t>(i) * sizeof(T), &expected, sizeof(T)) == 0,
                   "type {}, number {}", type, i);
    }
    ARMCI_Barrier();
}

template <typename T>
void add(int type) {
    add_alone<T>(type);
    add_together<T>(type);
}

}  // namespace

void run_misaligned() {
    add<int>(ARMCI_ACC_INT);
    add<long>(ARMCI_ACC_LNG);
    add<float>(ARMCI_ACC_FLT);
    add<double>(ARMCI_ACC_DBL);
    add<std::complex<float>>(ARMCI_ACC_CPL);
    add<std::complex<double>>(ARMCI_ACC_DCP);
}
