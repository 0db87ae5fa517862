// SPDX-License-Identifier: BSD-3-Clause
// Method: OpenSHMEM's collective calls by PEs in runs like those of the locks (see locks_test.cpp), over all PEs, the
// PEs of a node and a strided team. The seed draws the calls and their lengths. In a third of the seeds a PE is killed
// at some step. Checked: each result, at each member; no member leaves a barrier that another has not come to, and puts
// that were completed in front of one are there behind it; no call fails unless a PE has died, and then every call
// ends.
//
// Which seeds are run, and how to replay one: tests/seeds.h.
#include <fmt/ranges.h>

#include <algorithm>
#include <numeric>

#include "base/clock.h"
#include "base/hash.h"
#include "shmem.h"
#include "tests/deterministic/coverage.h"
#include "tests/deterministic/draw.h"
#include "tests/deterministic/shmem_pe.h"
#include "tests/seeds.h"

namespace syncline::deterministic {
namespace {

constexpr uint64_t collective_seeds = DETERMINISTIC_SEEDS;
constexpr uint64_t collective_time_limit_ns = 120 * ns_per_s;
constexpr uint64_t collective_turns = 12;
constexpr size_t elements_max = 60;  // of a member; more than the small values of a node
constexpr long untouched = -1;

enum class Call { kBarrier, kSync, kBroadcast, kCollect, kFcollect, kAlltoall, kAlltoalls, kSum, kMax };
constexpr uint64_t calls = 9;
const Elements call_names = {"barrier",  "sync",      "broadcast", "collect", "fcollect",
                             "alltoall", "alltoalls", "sum",       "max"};

// A call that all members of a team make.
struct Turn {
    uint64_t number;
    Call call;
    uint64_t team;  // which of a PE's teams
    size_t count;
    int root;
    ptrdiff_t stride;
};

// Element i of what a PE contributes for a member in a turn.
long element(const Turn& turn, int pe, int member, size_t i) {
    const uint64_t values[] = {turn.number, static_cast<uint64_t>(pe), static_cast<uint64_t>(member), i};
    return static_cast<long>(hash_of(values) >> 16);
}

class CollectiveRun {
  public:
    explicit CollectiveRun(uint64_t seed);
    // An account of what went wrong, or "".
    std::string run();
    const Elements& reached() const { return reached_; }

  private:
    struct Pe {
        int rank;
        shmem_team_t team;
        shmem::Group* group;
        long* dest;
        long* source;
        int me() const { return group->me(); }
        int size() const { return group->size(); }
    };

    Turn draw_turn(uint64_t number) const;
    size_t own_count(const Turn& turn, int pe) const { return turn.count * (static_cast<size_t>(pe) % 3) / 2; }
    void program(int rank);
    void make(const Turn& turn, const Pe& pe);
    void meet(const Turn& turn, const Pe& pe);
    void call(const Turn& turn, const Pe& pe) const;
    std::vector<long> expected(const Turn& turn, const Pe& pe) const;
    void wrong(const std::string& what);

    const uint64_t seed_;
    Prng prng_;
    WorldOptions options_;
    bool crashes_ = false;
    std::unique_ptr<World> world_;
    std::unique_ptr<ShmemJob> job_;
    std::vector<std::vector<uint64_t>> came_;  // each PE's last turn, with each of its teams
    Elements reached_;
    std::string wrong_;
};

CollectiveRun::CollectiveRun(uint64_t seed) : seed_(seed), prng_(seed * 7) {
    draw_world(&prng_, &options_);
    crashes_ = prng_.below(3) == 0;
    options_.heap_bytes = 8 * SLW_BLOCK_BYTES;
    options_.endpoint.peer_timeout_ms = 5000;
    options_.endpoint.direct = true;  // a signal follows what was written to mapped memory; see group.h
    world_ = std::make_unique<World>(seed, options_);
    job_ = std::make_unique<ShmemJob>(world_.get());
    came_.assign(world_->size(), std::vector<uint64_t>(3));
    if (crashes_) {
        const auto victim = static_cast<uint32_t>(prng_.below(world_->size()));
        world_->scheduler().at_step(victim, 1 + prng_.below(one_of(&prng_, {300, 3000})), [this, victim] {
            reached_.emplace_back("killed PE");
            world_->kill(victim);
        });
    }
}

void CollectiveRun::wrong(const std::string& what) {
    if (wrong_.empty()) {
        wrong_ = fmt::format("at {} us: {}", world_->scheduler().now() / ns_per_us, what);
        world_->scheduler().stop();
    }
}

// At all PEs the same.
Turn CollectiveRun::draw_turn(uint64_t number) const {
    Prng prng(seed_ * 1000 + number);
    Turn turn = {};
    turn.number = number;
    turn.call = static_cast<Call>(prng.below(calls));
    turn.team = prng.below(3);
    turn.count = one_of(&prng, {1, 1, 5, elements_max});
    turn.root = static_cast<int>(prng.below(64));
    turn.stride = static_cast<ptrdiff_t>(1 + prng.below(3));
    return turn;
}

// The front of `dest` behind the call; all behind it stays untouched.
std::vector<long> CollectiveRun::expected(const Turn& turn, const Pe& pe) const {
    std::vector<long> all;
    const auto append = [&](int from, int to, size_t count) {
        for (size_t i = 0; i < count; i++) {
            all.push_back(element(turn, pe.group->world(from), to, i));
        }
    };
    if (turn.call == Call::kBroadcast) {
        append(turn.root % pe.size(), 0, turn.count);
    } else if (turn.call == Call::kSum || turn.call == Call::kMax) {
        append(0, 0, turn.count);
    }
    for (int member = 0; member < pe.size(); member++) {
        switch (turn.call) {
            case Call::kCollect:
                append(member, 0, own_count(turn, pe.group->world(member)));
                break;
            case Call::kFcollect:
                append(member, 0, turn.count);
                break;
            case Call::kAlltoall:
                append(member, pe.me(), turn.count);
                break;
            case Call::kAlltoalls:
                for (size_t i = 0; i < turn.count; i++) {
                    all.push_back(element(turn, pe.group->world(member), pe.me(), i));
                    all.resize(all.size() + static_cast<size_t>(turn.stride) - 1, untouched);
                }
                break;
            default:
                break;
        }
        for (size_t i = 0; member > 0 && i < turn.count; i++) {
            const long other = element(turn, pe.group->world(member), 0, i);
            if (turn.call == Call::kSum) {
                all[i] += other;
            } else if (turn.call == Call::kMax) {
                all[i] = std::max(all[i], other);
            }
        }
    }
    return all;
}

void CollectiveRun::call(const Turn& turn, const Pe& pe) const {
    const size_t count = turn.count;
    switch (turn.call) {
        case Call::kBroadcast:
            shmem_long_broadcast(pe.team, pe.dest, pe.source, count, turn.root % pe.size());
            break;
        case Call::kCollect:
            shmem_long_collect(pe.team, pe.dest, pe.source, own_count(turn, pe.rank));
            break;
        case Call::kFcollect:
            shmem_long_fcollect(pe.team, pe.dest, pe.source, count);
            break;
        case Call::kAlltoall:
            shmem_long_alltoall(pe.team, pe.dest, pe.source, count);
            break;
        case Call::kAlltoalls:
            shmem_long_alltoalls(pe.team, pe.dest, pe.source, turn.stride, 1, count);
            break;
        case Call::kSum:
            shmem_long_sum_reduce(pe.team, pe.dest, pe.source, count);
            break;
        default:
            shmem_long_max_reduce(pe.team, pe.dest, pe.source, count);
            break;
    }
}

// A put to the next member, behind a quiet and a barrier, is there. Behind both barriers all members have come.
void CollectiveRun::meet(const Turn& turn, const Pe& pe) {
    came_[static_cast<size_t>(pe.rank)][turn.team] = turn.number;
    if (turn.call == Call::kSync) {
        shmem_team_sync(pe.team);
    } else {
        const int next = pe.group->world((pe.me() + 1) % pe.size());
        shmem_long_p(pe.dest, element(turn, pe.rank, 0, 0), next);
        shmem_quiet();
        shmem_team_sync(pe.team);
        const int before = pe.group->world((pe.me() + pe.size() - 1) % pe.size());
        if (*pe.dest != element(turn, before, 0, 0)) {
            wrong(fmt::format("PE {} does not find the put of PE {} behind a barrier", pe.rank, before));
        }
    }
    for (int member = 0; member < pe.size(); member++) {
        if (came_[static_cast<size_t>(pe.group->world(member))][turn.team] < turn.number) {
            wrong(fmt::format("PE {} leaves a barrier to which PE {} has not come", pe.rank, pe.group->world(member)));
        }
    }
}

void CollectiveRun::make(const Turn& turn, const Pe& pe) {
    const size_t room = elements_max * world_->size() * 3;
    std::fill(pe.dest, pe.dest + room, untouched);
    for (int member = 0; member < pe.size(); member++) {
        const bool to_each = turn.call == Call::kAlltoall || turn.call == Call::kAlltoalls;
        for (size_t i = 0; i < turn.count && (to_each || member == 0); i++) {
            pe.source[static_cast<size_t>(member) * turn.count + i] = element(turn, pe.rank, member, i);
        }
    }
    shmem_team_sync(pe.team);  // all destinations are ready
    if (turn.call == Call::kBarrier || turn.call == Call::kSync) {
        meet(turn, pe);
    } else {
        call(turn, pe);
        std::vector<long> right = expected(turn, pe);
        right.resize(room, untouched);
        const auto differs = std::mismatch(right.begin(), right.end(), pe.dest);
        if (differs.first != right.end()) {
            wrong(fmt::format("turn {}, {} of {} elements among {} PEs: element {} at PE {} is {:#x}, not {:#x}",
                              turn.number, call_names[static_cast<size_t>(turn.call)], turn.count, pe.size(),
                              differs.second - pe.dest, pe.rank, *differs.second, *differs.first));
        }
    }
    shmem_team_sync(pe.team);  // all have looked
}

void CollectiveRun::program(int rank) {
    const size_t room = elements_max * world_->size() * 3;
    auto* const dest = static_cast<long*>(shmem_malloc(room * sizeof(long)));
    auto* const source = static_cast<long*>(shmem_malloc(room * sizeof(long)));
    shmem_team_t every_other = SHMEM_TEAM_INVALID;
    shmem_team_split_strided(SHMEM_TEAM_WORLD, 0, 2, (shmem_n_pes() + 1) / 2, nullptr, 0, &every_other);
    if ((rank % 2 == 0) != (every_other != SHMEM_TEAM_INVALID)) {
        wrong(fmt::format("PE {} is in the wrong team", rank));
    }
    const shmem_team_t teams[] = {SHMEM_TEAM_WORLD, SHMEM_TEAM_SHARED, every_other};
    for (uint64_t number = 1; number <= collective_turns; number++) {
        const Turn turn = draw_turn(number);
        if (teams[turn.team] != SHMEM_TEAM_INVALID) {
            make(turn, {rank, teams[turn.team], &shmem::team_of(teams[turn.team])->group(), dest, source});
        }
    }
    shmem_barrier_all();
    if (every_other != SHMEM_TEAM_INVALID) {
        shmem_team_destroy(every_other);
    }
    shmem_free(source);
    shmem_free(dest);
}

std::string CollectiveRun::run() {
    testing::internal::CaptureStderr();
    const bool ended = job_->run([this](int rank) { program(rank); }, collective_time_limit_ns);
    const std::string said = testing::internal::GetCapturedStderr();
    if (!ended) {
        wrong("some PE waits for ever");
    }
    if (reached_.empty() && !world_->ended_by_call().empty()) {
        wrong("calls fail, though no PE has died: " + said);
    }
    if (!world_->ended_by_call().empty()) {
        reached_.emplace_back("call that fails");
    }
    job_.reset();
    for (uint64_t number = 1; number <= collective_turns; number++) {
        reached_.push_back(call_names[static_cast<size_t>(draw_turn(number).call)]);
    }
    return wrong_.empty() ? ""
                          : fmt::format("{}\n(nodes of {} PEs, window {}, {}, {}, {}, loss {}, {})", wrong_,
                                        fmt::join(options_.ports, ", "), options_.window,
                                        options_.deposits ? "NICs deposit" : "sockets",
                                        options_.endpoint.direct ? "direct" : "packets only",
                                        options_.endpoint.wait_mode == SYNCLINE_WAIT_POLL ? "poll" : "block",
                                        options_.faults.loss, crashes_ ? "a crash" : "no crash");
}

TEST(ShmemCollectives, KeepTheirPromisesOnEverySeed) {
    Coverage reached;
    for_each_seed(std::max<uint64_t>(4, collective_seeds / 5), std::max<uint64_t>(1, collective_seeds / 20),
                  [&](uint64_t seed) {
                      CollectiveRun run(seed);
                      const std::string wrong = run.run();
                      reached.note(run.reached());
                      return wrong;
                  });
    Elements expected = call_names;
    expected.insert(expected.end(), {"killed PE", "call that fails"});
    reached.report(expected);
}

}  // namespace
}  // namespace syncline::deterministic
