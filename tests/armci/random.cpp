// SPDX-License-Identifier: BSD-3-Clause
// Sequences of calls drawn from a seed. Each process has lanes at each process that only it writes, with a copy of what
// must be there: any call, blocking or not, may be on a lane that has none under way. Shared numbers take sums, tickets
// and mutexes of all; what each process has added is tallied. In between all make collective calls and send messages,
// which they draw alike.
//
// SYNCLINE_SEED=<s> runs s alone, with SYNCLINE_SEEDS=<n> the n seeds from s on; a failure says so.
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <random>

#include "random_lanes.h"

using namespace armci_test;

namespace {

constexpr int batches = 8, steps = 30;

// The numbers that all change, at each process: each by one kind of call, and one by two.
struct Shared {
    long tickets, sums, both, guarded;
    double real;
};
constexpr int shared_fields = 5;

class Commuting {
  public:
    explicit Commuting(Random* random)
        : random_(random), blocks_(1), tally_(static_cast<size_t>(size() * shared_fields)) {
        CHECK(ARMCI_Create_mutexes(1) == 0);
        ARMCI_Barrier();
    }
    ~Commuting() { CHECK(ARMCI_Destroy_mutexes() == 0); }

    void step() {
        const int process = random_->between(0, size() - 1), amount = random_->between(-9, 9);
        Shared* const there = blocks_.at(process);
        const int field = random_->between(0, shared_fields - 1);
        tally_[static_cast<size_t>(process * shared_fields + field)] += amount;
        switch (field) {
            case 0:
                return draw(&there->tickets, amount, process);
            case 1:
                return add(&there->sums, amount, process);
            case 2:
                return random_->below(2) == 0 ? draw(&there->both, amount, process)
                                              : add(&there->both, amount, process);
            case 3:
                ARMCI_Lock(0, process);
                put_one(get_one(&there->guarded, process) + amount, &there->guarded, process);
                return ARMCI_Unlock(0, process);
            default: {
                double scale = amount, one = 1;
                CHECK(ARMCI_Acc(ARMCI_ACC_DBL, &scale, &one, &there->real, sizeof(one), process) == 0);
            }
        }
    }

    // Collective, behind a barrier.
    void check() {
        std::vector<long> all = tally_;
        armci_msg_lgop(all.data(), static_cast<int>(all.size()), text("+"));
        const long* const mine = all.data() + me() * shared_fields;
        const Shared& own = *blocks_.own();
        CHECK_THAT(own.tickets == mine[0] && own.sums == mine[1] && own.both == mine[2] && own.guarded == mine[3] &&
                       own.real == static_cast<double>(mine[4]),
                   "{} {} {} {} {}, expected {} {} {} {} {}", own.tickets, own.sums, own.both, own.guarded, own.real,
                   mine[0], mine[1], mine[2], mine[3], mine[4]);
        armci_msg_barrier();
    }

  private:
    static void draw(long* at, int amount, int process) {
        long before = 0;
        CHECK(ARMCI_Rmw(ARMCI_FETCH_AND_ADD_LONG, &before, at, amount, process) == 0);
    }
    static void add(long* at, long amount, int process) {
        long one = 1;
        CHECK(ARMCI_Acc(ARMCI_ACC_LNG, &amount, &one, at, sizeof(one), process) == 0);
    }

    Random* const random_;
    const Blocks<Shared> blocks_;
    std::vector<long> tally_;
};

// All draw the same senders, receivers, tags and lengths; each plays its part, sends first.
void exchange_messages(Random* alike) {
    struct Letter {
        int from, to, tag;
        size_t length;
        uint64_t contents;
    };
    std::vector<Letter> letters(alike->below(14));
    for (Letter& one : letters) {
        const size_t limit = alike->below(5) == 0 ? 30'000 : 300;
        one = {alike->between(0, size() - 1), alike->between(0, size() - 1), alike->between(0, 2), alike->below(limit),
               alike->next()};
    }
    std::vector<uint8_t> bytes;
    for (const Letter& one : letters) {
        if (one.from == me()) {
            bytes.resize(one.length + 1);
            Random(one.contents).fill(bytes.data(), one.length);
            armci_msg_snd(one.tag, bytes.data(), static_cast<int>(one.length), one.to);
        }
    }
    // In any order of tags and senders, but each's in order.
    for (int tag = 2; tag >= 0; tag--) {
        for (const Letter& one : letters) {
            if (one.to != me() || one.tag != tag) {
                continue;
            }
            std::vector<uint8_t> expected(one.length + 1), found(one.length + 1);
            int length = -1;
            Random(one.contents).fill(expected.data(), one.length);
            armci_msg_rcv(tag, found.data(), static_cast<int>(found.size()), &length, one.from);
            CHECK(length == static_cast<int>(one.length));
            CHECK_SAME(found.data(), expected.data(), one.length);
        }
    }
}

// A group of some, which the others do not wait for.
void use_group(Random* alike) {
    std::vector<int> members;
    for (int process = 0; process < size(); process++) {
        if (alike->below(2) == 0) {
            members.push_back(process);
        }
    }
    if (std::find(members.begin(), members.end(), me()) == members.end()) {
        return;
    }
    ARMCI_Group group = -1;
    ARMCI_Group_create(static_cast<int>(members.size()), members.data(), &group);
    std::vector<void*> at(members.size());
    CHECK(ARMCI_Malloc_group(at.data(), 64, &group) == 0);
    int rank = -1, sum = me(), expected = 0;
    (void)ARMCI_Group_rank(&group, &rank);
    armci_msg_group_igop(&sum, 1, text("+"), &group);
    for (const int member : members) {
        expected += member;
    }
    CHECK(sum == expected);
    const size_t to = (static_cast<size_t>(rank) + 1) % members.size();
    put_one(me(), static_cast<int*>(at[to]), members[to]);
    armci_msg_group_barrier(&group);
    const size_t before = (static_cast<size_t>(rank) + members.size() - 1) % members.size();
    CHECK(*static_cast<int*>(at[static_cast<size_t>(rank)]) == members[before]);
    CHECK(ARMCI_Free_group(at[static_cast<size_t>(rank)], &group) == 0);
    ARMCI_Group_free(&group);
}

void notify_others(Random* alike) {
    const int distance = alike->between(0, size() - 1), times = alike->between(1, 4);
    for (int i = 0; i < times; i++) {
        (void)armci_notify(next(distance));
    }
    for (int i = 0; i < times; i++) {
        int value = 0;
        (void)armci_notify_wait(next(size() - distance), &value);
    }
}

void collective_step(Random* alike, Lanes* lanes, Commuting* commuting) {
    switch (alike->below(6)) {
        case 0:
            return exchange_messages(alike);
        case 1:
            return use_group(alike);
        case 2:
            return notify_others(alike);
        case 3: {
            Blocks<char> more(1 + alike->below(200'000));
            put_one<char>(5, more.at(next()), next());
            return;
        }
        case 4: {
            const int root = alike->between(0, size() - 1);
            int word = me();
            armci_msg_bcast(&word, sizeof(word), root);
            CHECK(word == root);
            return;
        }
        default:
            ARMCI_Barrier();
            lanes->compare_at_targets();
            commuting->check();
    }
}

void run_seed(uint64_t seed) {
    Random alike(seed), own(seed * 1000 + static_cast<uint64_t>(me()) + 1);
    Lanes lanes(&own);
    Commuting commuting(&own);
    for (int batch = 0; batch < batches; batch++) {
        for (int step = own.between(0, steps); step > 0; step--) {
            own.below(4) == 0 ? commuting.step() : lanes.step();
        }
        collective_step(&alike, &lanes, &commuting);
    }
    ARMCI_Barrier();
    lanes.compare_at_targets();
    commuting.check();
    lanes.finish_all();
    lanes.compare_at_targets();
}

uint64_t number_of(const char* name, uint64_t otherwise) {
    const char* const given = std::getenv(name);
    return given != nullptr ? std::strtoull(given, nullptr, 0) : otherwise;
}

std::string command(uint64_t seed, uint64_t count) {
    const char* const start = std::getenv("SYNCLINE_TEST_COMMAND");
    return fmt::format("SYNCLINE_SEED={} {}{} random", seed, count == 1 ? "" : fmt::format("SYNCLINE_SEEDS={} ", count),
                       start != nullptr ? start : program_invocation_name);
}

void run_seeds(uint64_t first, uint64_t count) {
    for (uint64_t seed = first; seed < first + count; seed++) {
        replay = command(seed, 1);
        run_seed(seed);
    }
    replay.clear();
}

}  // namespace

void run_random() {
    constexpr uint64_t fixed = 4, fresh = 2;
    const bool named = std::getenv("SYNCLINE_SEED") != nullptr || std::getenv("SYNCLINE_SEEDS") != nullptr;
    if (named) {
        const uint64_t otherwise = std::getenv("SYNCLINE_SEED") != nullptr ? 1 : fixed;
        return run_seeds(number_of("SYNCLINE_SEED", 1), number_of("SYNCLINE_SEEDS", otherwise));
    }
    uint64_t drawn = std::random_device()() | uint64_t{1} << 32;
    armci_msg_bcast(&drawn, sizeof(drawn), 0);
    if (me() == 0) {
        std::printf("fresh seeds: %s\n", command(drawn, fresh).c_str());
        std::fflush(stdout);
    }
    run_seeds(1, fixed);
    run_seeds(drawn, fresh);
}
