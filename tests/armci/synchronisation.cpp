// SPDX-License-Identifier: BSD-3-Clause
// Flags behind data, notices, read-modify-write, mutexes, fences, the barrier, and the order of one process's calls.
#include <unistd.h>

#include <algorithm>
#include <numeric>

#include "section.h"

using namespace armci_test;

namespace {

int load(const int* word) {
    return __atomic_load_n(word, __ATOMIC_ACQUIRE);
}

void wait_for(const int* word, int value) {
    while (load(word) != value) {
        ::usleep(20);
    }
}

}  // namespace

// The data are there when the flag is, and what earlier calls have put, also those that nothing has waited for.
void run_flags() {
    constexpr int count = 500, earlier_count = 3000;
    Blocks<int> data(count), earlier(earlier_count), flag(1);
    std::vector<int> sent(earlier_count);
    for (int turn = 1; turn <= 24; turn++) {
        std::fill(sent.begin(), sent.end(), me() * 100 + turn);
        CHECK(ARMCI_NbPut(sent.data(), earlier.at(next()), earlier_count * 4, next(), nullptr) == 0);
        Section section = {.levels = 1, .count = {40, count / 10}, .local = {40}, .remote = {40}};
        if (turn % 3 == 0) {
            CHECK(ARMCI_Put_flag(sent.data(), data.at(next()), count * 4, flag.at(next()), turn, next()) == 0);
        } else {
            const auto put = turn % 3 == 1 ? ARMCI_PutS_flag : ARMCI_PutS_flag_dir;
            CHECK(put(sent.data(), section.local, data.at(next()), section.remote, section.count, 1, flag.at(next()),
                      turn, next()) == 0);
        }
        wait_for(flag.own(), turn);
        const int expected = next(size() - 1) * 100 + turn;
        const auto is_there = [=](int one) { return one == expected; };
        CHECK(std::all_of(data.own(), data.own() + count, is_there));
        CHECK(std::all_of(earlier.own(), earlier.own() + earlier_count, is_there));
        armci_msg_barrier();
    }
}

// Operations on one process complete in the order of the calls: a process that sees the number which was put last sees
// all that was put before it, without a fence.
void run_order() {
    constexpr int count = 4000, turns = 40;
    Blocks<int> data(count), last(1);
    std::vector<int> sent(count);
    for (int turn = 1; turn <= turns; turn++) {
        std::fill(sent.begin(), sent.end(), me() * 100 + turn);
        CHECK(ARMCI_Put(sent.data(), data.at(next()), count * 2, next()) == 0);
        Section section = {.levels = 1, .count = {40, count / 20}, .local = {40}, .remote = {40}};
        CHECK(ARMCI_PutS(sent.data(), section.local, data.at(next()) + count / 2, section.remote, section.count, 1,
                         next()) == 0);
        CHECK(ARMCI_PutValueInt(turn, last.at(next()), next()) == 0);
        wait_for(last.own(), turn);
        const int expected = next(size() - 1) * 100 + turn;
        CHECK(std::all_of(data.own(), data.own() + count, [=](int one) { return one == expected; }));
        armci_msg_barrier();
    }
}

// A notice completes what came before it, also what nothing has waited for; notices add up.
void run_notices() {
    constexpr int count = 3000, turns = 20;
    Blocks<int> data(count);
    std::vector<int> sent(count);
    const int before = next(size() - 1);
    const int sent_before = armci_notify(next());
    int came_before = -1;
    (void)armci_notify_wait(before, &came_before);
    for (int turn = 1; turn <= turns; turn++) {
        std::fill(sent.begin(), sent.end(), me() * 100 + turn);
        CHECK(ARMCI_NbPut(sent.data(), data.at(next()), count * 4, next(), nullptr) == 0);
        CHECK(armci_notify(next()) == sent_before + turn);
        int value = -1;
        CHECK(armci_notify_wait(before, &value) >= came_before + turn && value == came_before + turn);
        CHECK(std::all_of(data.own(), data.own() + count, [=](int one) { return one == before * 100 + turn; }));
        armci_msg_barrier();
    }
    for (int i = 0; i < 5; i++) {
        CHECK(armci_notify(next()) == sent_before + turns + 1 + i);
    }
    for (int i = 0; i < 5; i++) {
        int value = -1;
        CHECK(armci_notify_wait(before, &value) >= value && value == came_before + turns + 1 + i);
    }
}

namespace {

template <typename T>
T rmw(int operation, T value, T* at, int extra, int process) {
    CHECK(ARMCI_Rmw(operation, &value, at, extra, process) == 0);
    return value;
}

// All draw tickets from one word: each number once.
template <typename T>
void draw_tickets(int operation, int process) {
    constexpr int turns = 100;
    Blocks<T> word(1);
    std::vector<int> drawn(static_cast<size_t>(turns * size()));
    for (int i = 0; i < turns; i++) {
        const T ticket = rmw<T>(operation, 0, word.at(process), 1, process);
        CHECK(ticket >= 0 && ticket < turns * size());
        drawn[static_cast<size_t>(ticket)]++;
    }
    armci_msg_igop(drawn.data(), turns * size(), text("+"));
    CHECK(std::all_of(drawn.begin(), drawn.end(), [](int times) { return times == 1; }));
    CHECK(ARMCI_GetValueInt(reinterpret_cast<int*>(word.at(process)), process) == turns * size());
    ARMCI_Barrier();
}

// All swap values in and out: each comes out once, but the last one, which stays.
template <typename T>
void swap_values(int operation, int process) {
    constexpr int turns = 100;
    Blocks<T> word(1);
    std::vector<int> seen(static_cast<size_t>(turns * size() + 1));
    for (int i = 0; i < turns; i++) {
        const T out = rmw<T>(operation, 1 + me() * turns + i, word.at(process), 0, process);
        CHECK(out >= 0 && out <= turns * size());
        seen[static_cast<size_t>(out)]++;
    }
    ARMCI_Barrier();
    if (me() == process) {
        seen[static_cast<size_t>(*word.own())]++;
    }
    armci_msg_igop(seen.data(), static_cast<int>(seen.size()), text("+"));
    CHECK(std::all_of(seen.begin(), seen.end(), [](int times) { return times == 1; }));
}

}  // namespace

void run_rmw() {
    for (const int process : {0, size() - 1}) {
        draw_tickets<int>(ARMCI_FETCH_AND_ADD, process);
        draw_tickets<long>(ARMCI_FETCH_AND_ADD_LONG, process);
        swap_values<int>(ARMCI_SWAP, process);
        swap_values<long>(ARMCI_SWAP_LONG, process);
    }
    // Negative ones, and both neighbours of an int stay as they are.
    Blocks<int> words(4);
    words.own()[1] = 0x7fffffff;
    ARMCI_Barrier();
    CHECK(rmw<int>(ARMCI_FETCH_AND_ADD, 0, words.at(next()) + 1, 2, next()) == 0x7fffffff);
    CHECK(rmw<int>(ARMCI_FETCH_AND_ADD, 0, words.at(next()) + 1, -5, next()) == static_cast<int>(0x80000001));
    CHECK(rmw<int>(ARMCI_SWAP, -3, words.at(next()) + 1, 0, next()) == 0x7ffffffc);
    ARMCI_Barrier();
    CHECK(words.own()[0] == 0 && words.own()[1] == -3 && words.own()[2] == 0);
    ARMCI_Barrier();
    auto* const wide = reinterpret_cast<long*>(words.at(next()) + 2);
    CHECK(rmw<long>(ARMCI_FETCH_AND_ADD_LONG, 0, wide, -1, next()) == 0);
    CHECK(rmw<long>(ARMCI_SWAP_LONG, -(1L << 40), wide, 0, next()) == -1);
    CHECK(ARMCI_GetValueLong(wide, next()) == -(1L << 40));
    ARMCI_Barrier();
}

// On the same words at once: neither loses the other's.
void run_rmw_and_sums() {
    constexpr int turns = 60, count = 16;
    Blocks<int> narrow(count);
    Blocks<long> wide(count);
    std::vector<int> ones(count, 1);
    std::vector<long> long_ones(count, 1);
    int scale = 1;
    long long_scale = 1;
    for (int i = 0; i < turns; i++) {
        CHECK(ARMCI_Acc(ARMCI_ACC_INT, &scale, ones.data(), narrow.at(0), count * 4, 0) == 0);
        (void)rmw<int>(ARMCI_FETCH_AND_ADD, 0, narrow.at(0) + i % count, 1000, 0);
        CHECK(ARMCI_Acc(ARMCI_ACC_LNG, &long_scale, long_ones.data(), wide.at(0), count * 8, 0) == 0);
        (void)rmw<long>(ARMCI_FETCH_AND_ADD_LONG, 0, wide.at(0) + i % count, 1000, 0);
    }
    ARMCI_Barrier();
    for (int i = 0; i < count && me() == 0; i++) {
        const int added = size() * (turns / count + (i < turns % count ? 1 : 0));
        CHECK(narrow.own()[i] == turns * size() + 1000 * added && wide.own()[i] == turns * size() + 1000 * added);
    }
}

namespace {

void count_in_section(Blocks<long>* counters, int mutex, int process) {
    ARMCI_Lock(mutex, process);
    long* const at = counters->at(process) + mutex;
    const long value = get_one(at, process);
    put_one(value + 1, at, process);
    ARMCI_Unlock(mutex, process);
}

int mutexes_of(int process) {
    return process % 3 == 2 ? 0 : 2 + process;
}

// Rows that a release completes, though nothing has waited for them.
void get_in_section(Blocks<int>* data) {
    constexpr int rows = 10, numbers = 10, apart = 25;
    Section section = {.levels = 1, .count = {numbers * 4, rows}, .local = {apart * 4}, .remote = {numbers * 4}};
    std::vector<int> found(apart * rows, -1);
    ARMCI_Lock(0, 0);
    CHECK(ARMCI_NbGetS(data->at(next()), section.remote, found.data(), section.local, section.count, 1, next(),
                       nullptr) == 0);
    ARMCI_Unlock(0, 0);
    for (int i = 0; i < rows * numbers; i++) {
        CHECK(found[static_cast<size_t>(i / numbers * apart + i % numbers)] == next() * 1000 + i);
    }
}

}  // namespace

// Unequal numbers of them, one held while another is taken; made anew.
void run_mutexes() {
    constexpr int turns = 8;
    for (int life = 0; life < 2; life++) {
        Blocks<long> counters(static_cast<size_t>(size()) + 2);
        Blocks<int> data(100);
        std::iota(data.own(), data.own() + 100, me() * 1000);
        CHECK(ARMCI_Create_mutexes(mutexes_of(me())) == 0);
        for (int turn = 0; turn < turns; turn++) {
            for (int process = 0; process < size(); process++) {
                for (int mutex = 0; mutex < mutexes_of(process); mutex++) {
                    count_in_section(&counters, mutex, process);
                }
            }
            ARMCI_Lock(0, 0);
            count_in_section(&counters, 1, 0);
            ARMCI_Unlock(0, 0);
        }
        get_in_section(&data);
        ARMCI_Barrier();
        for (int mutex = 0; mutex < mutexes_of(me()); mutex++) {
            CHECK(counters.own()[mutex] == turns * size() * (me() == 0 && mutex == 1 ? 2 : 1));
        }
        CHECK(ARMCI_Destroy_mutexes() == 0);
    }
    CHECK(ARMCI_Create_mutexes(0) == 0 && ARMCI_Destroy_mutexes() == 0);
}

// Nothing waits for a put but the fence; then a third process, which a message has told, finds it.
void run_fences() {
    constexpr int count = 20'000;
    Blocks<int> data(count);
    std::vector<int> sent(count), found(count);
    const int target = next(), third = next(2), teller = next(2 * size() - 2);
    ARMCI_Group world = 0;
    ARMCI_Group_get_world(&world);
    for (int turn = 0; turn < 6; turn++) {
        std::fill(sent.begin(), sent.end(), me() * 100 + turn);
        CHECK(ARMCI_NbPut(sent.data(), data.at(target), count * 4, target, nullptr) == 0);
        turn % 3 == 0 ? ARMCI_Fence(target) : turn % 3 == 1 ? ARMCI_AllFence() : ARMCI_GroupFence(&world);
        int value = me() * 100 + turn, length = 0;
        armci_msg_snd(turn, &value, sizeof(value), third);
        armci_msg_rcv(turn, &value, sizeof(value), &length, teller);
        CHECK(length == sizeof(value));
        const int where = (teller + 1) % size();
        CHECK(ARMCI_Get(data.at(where), found.data(), count * 4, where) == 0);
        CHECK(std::all_of(found.begin(), found.end(), [=](int one) { return one == value; }));
        ARMCI_Barrier();
    }
}

// Everything that all have started is there behind it, and is read by loads.
void run_barrier() {
    constexpr int count = 40'000;
    Blocks<int> data(static_cast<size_t>(count * size()));
    Blocks<long> sums(100);
    std::vector<int> sent(static_cast<size_t>(count));
    std::vector<long> ones(100, 1);
    long scale = 1;
    int stride = 8, row[2] = {8, 100};
    for (int turn = 0; turn < 5; turn++) {
        std::fill(sent.begin(), sent.end(), me() * 100 + turn);
        for (int distance = 0; distance < size(); distance++) {
            const int process = next(distance);
            CHECK(ARMCI_NbPut(sent.data(), data.at(process) + me() * count, count * 4, process, nullptr) == 0);
            CHECK(ARMCI_NbAccS(ARMCI_ACC_LNG, &scale, ones.data(), &stride, sums.at(process), &stride, row, 1, process,
                               nullptr) == 0);
        }
        ARMCI_Barrier();
        for (int process = 0; process < size(); process++) {
            const int* const part = data.own() + process * count;
            CHECK(std::all_of(part, part + count, [=](int one) { return one == process * 100 + turn; }));
        }
        CHECK(std::all_of(sums.own(), sums.own() + 100, [=](long one) { return one == (turn + 1) * size(); }));
        armci_msg_barrier();
    }
}

namespace {

constexpr int window = 64;  // numbers, so few that calls meet

// One blocking call on the window, here and in the model; each get is compared.
void step_of_location(Random* random, long* there, std::vector<long>* model, int process) {
    const int first = random->between(0, window - 1), count = random->between(1, window - first);
    const auto at = static_cast<size_t>(first);
    std::vector<long> local(window);
    for (long& one : local) {
        one = random->between(-1000, 1000);
    }
    long scale = random->between(-2, 2);
    switch (random->below(7)) {
        case 0:
            CHECK(ARMCI_Put(local.data(), there + first, count * 8, process) == 0);
            std::copy_n(local.begin(), count, model->begin() + first);
            return;
        case 1:
            CHECK(ARMCI_Acc(ARMCI_ACC_LNG, &scale, local.data(), there + first, count * 8, process) == 0);
            for (int i = 0; i < count; i++) {
                (*model)[at + static_cast<size_t>(i)] += scale * local[static_cast<size_t>(i)];
            }
            return;
        case 2:
            CHECK(rmw<long>(ARMCI_FETCH_AND_ADD_LONG, 0, there + first, count, process) == (*model)[at]);
            (*model)[at] += count;
            return;
        case 3: {
            int here[] = {8}, remote[] = {16}, shape[] = {8, window / 2};
            CHECK(ARMCI_PutS(local.data(), here, there, remote, shape, 1, process) == 0);
            for (size_t i = 0; i < window / 2; i++) {
                (*model)[2 * i] = local[i];
            }
            return;
        }
        case 4:
            CHECK(ARMCI_PutValueLong(local[0], there + first, process) == 0);
            (*model)[at] = local[0];
            return;
        case 5:
            CHECK(rmw<long>(ARMCI_SWAP_LONG, local[0], there + first, 0, process) == (*model)[at]);
            (*model)[at] = local[0];
            return;
        default:
            CHECK(ARMCI_Get(there + first, local.data(), count * 8, process) == 0);
            CHECK_SAME(local.data(), model->data() + first, static_cast<size_t>(count) * 8);
    }
}

}  // namespace

// Blocking calls of one process on one place take effect in their order.
void run_location() {
    Blocks<long> numbers(static_cast<size_t>(window * size()));
    Random random(static_cast<uint64_t>(me()) + 1);
    for (int distance = 0; distance < size(); distance++) {
        const int process = next(distance);
        std::vector<long> model(window);
        for (int step = 0; step < 200; step++) {
            step_of_location(&random, numbers.at(process) + me() * window, &model, process);
        }
        std::vector<long> found(window);
        CHECK(ARMCI_Get(numbers.at(process) + me() * window, found.data(), window * 8, process) == 0);
        CHECK_SAME(found.data(), model.data(), window * 8);
    }
    ARMCI_Barrier();
}

void run_domains() {
    constexpr armci_domain_t domain = ARMCI_DOMAIN_SMP;
    const int count = armci_domain_count(domain);
    CHECK(count >= 1 && count <= size());
    int all = 0;
    for (int id = 0; id < count; id++) {
        const int here = armci_domain_nprocs(domain, id);
        CHECK(here >= 1);
        all += here;
        for (int index = 0; index < here; index++) {
            const int process = armci_domain_glob_proc_id(domain, id, index);
            CHECK(armci_domain_id(domain, process) == id);
            CHECK(index == 0 || process > armci_domain_glob_proc_id(domain, id, index - 1));
        }
    }
    CHECK(all == size());
    const int own = armci_domain_my_id(domain);
    CHECK(armci_domain_id(domain, me()) == own && armci_domain_nprocs(domain, -1) == armci_domain_nprocs(domain, own));

    // Loads and stores reach the memory of the own node.
    Blocks<int> words(static_cast<size_t>(size()));
    for (int process = 0; process < size(); process++) {
        const int same = armci_domain_id(domain, process) == own ? 1 : 0;
        CHECK(armci_domain_same_id(domain, process) == same);
        // Faults on one node keep its processes from mapping each other's memory.
        CHECK(ARMCI_Same_node(process) <= same && armci_sameclusnode(process) == ARMCI_Same_node(process));
        if (ARMCI_Same_node(process) == 1) {
            __atomic_store_n(words.at(process) + me(), me() + 1, __ATOMIC_RELEASE);
        }
    }
    ARMCI_Barrier();
    for (int process = 0; process < size(); process++) {
        CHECK(words.own()[process] == (ARMCI_Same_node(process) == 1 ? process + 1 : 0));
    }
    // Each process has the same map, and a node's first process is its master.
    std::vector<int> nodes(static_cast<size_t>(size()));
    nodes[static_cast<size_t>(me())] = own;
    armci_msg_igop(nodes.data(), size(), text("+"));
    for (int process = 0; process < size(); process++) {
        CHECK(nodes[static_cast<size_t>(process)] == armci_domain_id(domain, process));
    }
}
