// SPDX-License-Identifier: BSD-3-Clause
// Method: fence and barrier in one, over the barriers that NICs or hosts run, simulated as the locks are (see
// locks_test.cpp). In every round each PE posts stores to some others and does not wait for them; behind the
// fence all must be there. In half of the seeds a PE is killed at some step, or its node is cut off for good: then
// every other PE must be told so, or be through, and nobody may wait for ever.
//
// A failure names its seed; SYNCLINE_SEED=<seed> replays it alone, SYNCLINE_SEEDS=<n> runs that many.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include "base/failure.h"
#include "runtime/collective/fence_barrier.h"
#include "runtime/collective/job_barrier.h"
#include "runtime/process/error_text.h"
#include "tests/deterministic/draw.h"
#include "tests/seeds.h"

namespace syncline::simulation {
namespace {

constexpr uint64_t seeds = 2 * SIMULATION_SEEDS;
constexpr uint64_t rounds = 8;
constexpr uint64_t time_limit_ns = 60 * ns_per_s;
constexpr uint32_t barrier_number = 3;

constexpr syncline_address_t word_of(uint32_t from) {
    return heap_reserved_bytes + uint64_t{from} * 8;
}

class FenceSimulation {
  public:
    explicit FenceSimulation(uint64_t seed);
    // What went wrong, or "".
    std::string run();

  private:
    void program(Endpoint* endpoint);
    void write(Endpoint* endpoint, uint64_t round);
    void check(uint32_t rank, uint64_t round);
    bool told(uint32_t rank, const char* what, int status);
    bool writes(uint32_t from, uint32_t to, uint64_t round) const;
    int algorithm_of(uint64_t round) const;
    void wrong(const std::string& what);

    const uint64_t seed_;
    Prng prng_;
    WorldOptions options_;
    Barrier::Options barrier_;
    bool counts_ = false;  // they can be exchanged
    bool crashes_ = false;
    std::vector<std::string> at_;  // each PE
    std::unique_ptr<World> world_;
    std::string wrong_;
};

FenceSimulation::FenceSimulation(uint64_t seed) : seed_(seed), prng_(seed) {
    draw_world(&prng_, &options_);
    counts_ = options_.window >= 2;
    barrier_.host = prng_.below(3) == 0;
    barrier_.algorithm = static_cast<int>(prng_.below(3));
    barrier_.dimension = barrier_.algorithm == SYNCLINE_BARRIER_TREE ? static_cast<uint32_t>(prng_.below(4)) : 0;
    crashes_ = prng_.below(2) == 0;
    const bool whole_node = crashes_ && prng_.below(3) == 0;
    options_.endpoint.peer_timeout_ms = 5000;
    if (whole_node) {  // silence must be told from loss
        options_.endpoint.peer_timeout_ms = 300;
        options_.faults.loss = std::min(options_.faults.loss, 0.01);
    }
    world_ = std::make_unique<World>(seed, options_);
    at_.assign(world_->size(), "opens");
    if (crashes_) {
        const auto victim = static_cast<uint32_t>(prng_.below(world_->size()));
        world_->scheduler().at_step(victim, 1 + prng_.below(one_of(&prng_, {200, 2000})), [this, victim, whole_node] {
            if (whole_node) {
                world_->kill_node(world_->node_of(victim));
            } else {
                world_->kill(victim);
            }
        });
    }
}

void FenceSimulation::wrong(const std::string& what) {
    if (wrong_.empty()) {
        wrong_ = fmt::format("at {} us: {}", world_->scheduler().now() / ns_per_us, what);
    }
}

// All PEs know it without a message.
bool FenceSimulation::writes(uint32_t from, uint32_t to, uint64_t round) const {
    Prng prng(seed_ ^ round << 40 ^ uint64_t{from} << 20 ^ to);
    return round % 3 == 0 || prng.below(3) == 0;
}

int FenceSimulation::algorithm_of(uint64_t round) const {
    const int algorithm = static_cast<int>(Prng(seed_ ^ round << 50).below(4));
    return algorithm == SYNCLINE_FENCE_COUNTS && !counts_ ? static_cast<int>(SYNCLINE_FENCE_AUTO) : algorithm;
}

void FenceSimulation::write(Endpoint* endpoint, uint64_t round) {
    for (uint32_t to = 0; to < endpoint->size(); to++) {
        if (writes(endpoint->rank(), to, round)) {
            AtomicCall store = {.operation = SYNCLINE_SWAP | SYNCLINE_64,
                                .rank = static_cast<int>(to),
                                .target = word_of(endpoint->rank())};
            store.operand[0] = round;
            (void)endpoint->posting().post(store);
        }
    }
}

// A PE that is through already may have written for the next round.
void FenceSimulation::check(uint32_t rank, uint64_t round) {
    for (uint32_t from = 0; from < world_->size(); from++) {
        const uint64_t found = world_->peek(rank, word_of(from));
        if (writes(from, rank, round) && found != round && !(found == round + 1 && writes(from, rank, round + 1))) {
            wrong(fmt::format("PE {} is behind round {} and has the store of round {} from PE {}", rank, round, found,
                              from));
        }
    }
}

// May it go on?
bool FenceSimulation::told(uint32_t rank, const char* what, int status) {
    if (status != SYNCLINE_OK && !crashes_) {
        wrong(fmt::format("PE {}: {} returns '{}' though nobody has died: {}", rank, what,
                          syncline_error_string(status), last_error_text()));
    }
    return status == SYNCLINE_OK;
}

void FenceSimulation::program(Endpoint* endpoint) {
    std::vector<uint32_t> all;
    for (uint32_t rank = 0; rank < endpoint->size(); rank++) {
        all.push_back(rank);
    }
    const uint32_t me = endpoint->rank();
    try {
        Barrier meeting(endpoint, barrier_number, all, barrier_);
        FenceBarrier fence(endpoint);
        for (uint64_t round = 1; round <= rounds; round++) {
            at_[me] = fmt::format("in round {} by {}", round, algorithm_of(round));
            write(endpoint, round);
            if (!told(me, "the fence", fence.run(&meeting, algorithm_of(round)))) {
                break;
            }
            check(me, round);
        }
        at_[me] = "closes";
        (void)told(me, "closing", meeting.close());
    } catch (const Failure& failure) {
        (void)told(me, failure.what(), failure.status());
    }
    at_[me] = "at the end";
    // As syncline_finalize() does: a PE that ends breaks what it is still a member of.
    (void)told(me, "the end", JobBarrier(endpoint).run());
    (void)endpoint->posting().quiet();
    at_[me] = "ended";
}

std::string FenceSimulation::run() {
    if (!world_->run([this](Endpoint* endpoint) { program(endpoint); }, time_limit_ns)) {
        for (uint32_t rank = 0; rank < world_->size(); rank++) {
            at_[rank] += world_->dead(rank) ? ", dead" : "";
        }
        wrong(fmt::format("somebody waits for ever: {}", fmt::join(at_, "; ")));
    }
    return wrong_.empty() ? ""
                          : fmt::format(
                                "{}\n({} nodes, {} PEs, window {}, {}, {}, {}, loss {}, algorithm {}, "
                                "dimension {}, by {}, {})",
                                wrong_, options_.ports.size(), world_->size(), options_.window,
                                options_.deposits ? "NICs deposit" : "sockets",
                                options_.endpoint.direct ? "direct" : "packets only",
                                options_.endpoint.wait_mode == SYNCLINE_WAIT_POLL ? "poll" : "block",
                                options_.faults.loss, barrier_.algorithm, barrier_.dimension,
                                barrier_.host ? "hosts" : "NICs", crashes_ ? "a crash" : "no crash");
}

TEST(FenceSimulation, KeepsItsPromisesOnEverySeed) {
    for_each_seed(seeds, [](uint64_t seed) { return FenceSimulation(seed).run(); });
}

}  // namespace
}  // namespace syncline::simulation
