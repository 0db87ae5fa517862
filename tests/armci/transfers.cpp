// SPDX-License-Identifier: BSD-3-Clause
// Put and get: ranges of any length and alignment, sections of 0 to 8 levels, lists. Each process has an area at each
// other one that only it writes, and a copy of what must be there; bytes around what is moved are compared, too.
#include "section.h"

using namespace armci_test;

namespace {

// This process's area at every process, and what it holds.
class Areas {
  public:
    explicit Areas(size_t bytes) : bytes_(bytes), blocks_(bytes * static_cast<size_t>(size())) {
        model.assign(static_cast<size_t>(size()), std::vector<uint8_t>(bytes));
    }
    uint8_t* at(int process) const { return blocks_.at(process) + bytes_ * static_cast<size_t>(me()); }
    void check(int process) const {
        std::vector<uint8_t> found(bytes_);
        CHECK(ARMCI_Get(at(process), found.data(), static_cast<int>(bytes_), process) == 0);
        CHECK_SAME(found.data(), model[static_cast<size_t>(process)].data(), bytes_);
    }
    uint8_t* of(int process) { return model[static_cast<size_t>(process)].data(); }

    std::vector<std::vector<uint8_t>> model;

  private:
    const size_t bytes_;
    const Blocks<uint8_t> blocks_;
};

void put_and_get(Areas* areas, Random* random, size_t length, int process) {
    std::vector<uint8_t> local(length + 32);
    random->fill(local.data(), local.size());
    const size_t from = random->below(16), to = random->below(16);
    CHECK(ARMCI_Put(local.data() + from, areas->at(process) + to, static_cast<int>(length), process) == 0);
    std::memcpy(areas->of(process) + to, local.data() + from, length);

    std::vector<uint8_t> expected = local;
    const size_t source = random->below(16), place = random->below(16);
    CHECK(ARMCI_Get(areas->at(process) + source, local.data() + place, static_cast<int>(length), process) == 0);
    std::memcpy(expected.data() + place, areas->of(process) + source, length);
    CHECK_SAME(local.data(), expected.data(), local.size());
}

}  // namespace

void run_contiguous() {
    Areas areas(256);
    Random random(static_cast<uint64_t>(me()) + 1);
    for (size_t length = 0; length <= 80; length++) {
        for (int turn = 0; turn < 3; turn++) {
            put_and_get(&areas, &random, length, next(static_cast<int>(length) + turn));
        }
    }
    for (int process = 0; process < size(); process++) {
        areas.check(process);
    }
    ARMCI_Barrier();
}

// About the borders of packets, pages and batches.
void run_long_ranges() {
    constexpr size_t lengths[] = {1000, 1399, 1400,   1401,   4095,    4096,
                                  4097, 8191, 65'535, 65'537, 300'003, (1 << 20) + 13};
    Areas areas((1 << 20) + 64);
    Random random(static_cast<uint64_t>(me()) + 1);
    int turn = 1;
    for (const size_t length : lengths) {
        put_and_get(&areas, &random, length, next(turn++));
    }
    for (int process = 0; process < size(); process++) {
        areas.check(process);
    }
    ARMCI_Barrier();
}

namespace {

constexpr size_t area_bytes = 4096;

void put_section(Areas* areas, Random* random, Section section, int process) {
    std::vector<uint8_t> local(area_bytes);
    random->fill(local.data(), local.size());
    CHECK(ARMCI_PutS(local.data(), section.local, areas->at(process), section.remote, section.count, section.levels,
                     process) == 0);
    for_each_run(section, [&](size_t here, size_t there) {
        std::memcpy(areas->of(process) + there, local.data() + here, static_cast<size_t>(section.count[0]));
    });
}

void get_section(Areas* areas, Random* random, Section section, int process) {
    std::vector<uint8_t> local(area_bytes);
    random->fill(local.data(), local.size());
    std::vector<uint8_t> expected = local;
    CHECK(ARMCI_GetS(areas->at(process), section.remote, local.data(), section.local, section.count, section.levels,
                     process) == 0);
    for_each_run(section, [&](size_t here, size_t there) {
        std::memcpy(expected.data() + here, areas->of(process) + there, static_cast<size_t>(section.count[0]));
    });
    CHECK_SAME(local.data(), expected.data(), local.size());
}

// A column block of a matrix, as Global Arrays moves it, and its transposition of rows and planes.
void move_blocks_of_arrays(Areas* areas, Random* random) {
    Section block = {.levels = 2, .count = {24, 8, 4}, .local = {24, 192}, .remote = {128, 1024}};
    put_section(areas, random, block, next());
    Section turned = {.levels = 2, .count = {24, 4, 8}, .local = {192, 24}, .remote = {1024, 128}};
    get_section(areas, random, turned, next());
    areas->check(next());
    Section nothing = {.levels = 2, .count = {24, 0, 4}, .local = {24, 192}, .remote = {128, 1024}};
    put_section(areas, random, nothing, next());
    get_section(areas, random, nothing, next());
    Section no_bytes = {.levels = 1, .count = {0, 7}, .local = {8}, .remote = {8}};
    put_section(areas, random, no_bytes, next());
    CHECK(ARMCI_PutS(random, nullptr, areas->at(next()), nullptr, no_bytes.count, 0, next()) == 0);
    areas->check(next());
}

}  // namespace

void run_strided() {
    Areas areas(area_bytes);
    Random random(static_cast<uint64_t>(me()) + 1);
    move_blocks_of_arrays(&areas, &random);
    for (int turn = 0; turn < 60; turn++) {
        const int process = next(turn);
        const size_t unit = size_t{1} << random.below(4);
        put_section(&areas, &random, draw_section(&random, unit, area_bytes), process);
        areas.check(process);
        get_section(&areas, &random, draw_section(&random, unit, area_bytes), process);
    }
    ARMCI_Barrier();
}

// Into consecutive bytes and back.
void run_sections() {
    Random random(static_cast<uint64_t>(me()) + 1);
    for (int turn = 0; turn < 200; turn++) {
        Section section = draw_section(&random, 1, area_bytes);
        std::vector<uint8_t> array(area_bytes), expected, packed(area_bytes, 1), restored(area_bytes, 2);
        random.fill(array.data(), array.size());
        std::vector<uint8_t> model = restored;
        for_each_run(section, [&](size_t here, size_t) {
            const auto at = array.begin() + static_cast<ptrdiff_t>(here);
            expected.insert(expected.end(), at, at + section.count[0]);
            std::copy(at, at + section.count[0], model.begin() + static_cast<ptrdiff_t>(here));
        });
        expected.resize(area_bytes, 1);
        armci_write_strided(array.data(), section.levels, section.local, section.count,
                            reinterpret_cast<char*>(packed.data()));
        CHECK_SAME(packed.data(), expected.data(), area_bytes);
        armci_read_strided(restored.data(), section.levels, section.local, section.count,
                           reinterpret_cast<char*>(packed.data()));
        CHECK_SAME(restored.data(), model.data(), area_bytes);
    }
}

void run_vector() {
    Areas areas(area_bytes);
    Random random(static_cast<uint64_t>(me()) + 1);
    for (int turn = 0; turn < 60; turn++) {
        const int process = next(turn);
        const List put = draw_list(&random, size_t{1} << random.below(4), area_bytes);
        std::vector<uint8_t> local(area_bytes);
        random.fill(local.data(), local.size());
        Giov sent(put, local.data(), true, areas.at(process));
        CHECK(ARMCI_PutV(sent.data(), sent.length(), process) == 0);
        for_each_piece(put, [&](size_t here, size_t there, size_t bytes) {
            std::memcpy(areas.of(process) + there, local.data() + here, bytes);
        });
        areas.check(process);
        const List get = draw_list(&random, size_t{1} << random.below(4), area_bytes);
        std::vector<uint8_t> expected = local;
        Giov wanted(get, areas.at(process), false, local.data());
        CHECK(ARMCI_GetV(wanted.data(), wanted.length(), process) == 0);
        for_each_piece(get, [&](size_t here, size_t there, size_t bytes) {
            std::memcpy(expected.data() + here, areas.of(process) + there, bytes);
        });
        CHECK_SAME(local.data(), expected.data(), area_bytes);
    }
    CHECK(ARMCI_PutV(nullptr, 0, next()) == 0);
    ARMCI_Barrier();
}
