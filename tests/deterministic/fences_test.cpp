// SPDX-License-Identifier: BSD-3-Clause
// Method: fence and barrier in one, over the barriers that NICs or hosts run, in runs like those of the locks (see
// locks_test.cpp). In every round each PE posts stores to some others and does not wait for them; behind the
// fence all must be there. In half of the seeds a PE is killed at some step, or its node is cut off for good: then
// every other PE must be told so, or be through, and no PE may wait for ever.
//
// Which seeds are run, and how to replay one: tests/seeds.h.
#include <fmt/format.h>

#include <cstring>

#include "base/failure.h"
#include "base/status.h"
#include "runtime/collective/barrier.h"
#include "runtime/collective/fence_barrier.h"
#include "runtime/collective/job_barrier.h"
#include "runtime/ground/error_text.h"
#include "tests/deterministic/coverage.h"
#include "tests/deterministic/draw.h"
#include "tests/seeds.h"

namespace syncline::deterministic {
namespace {

constexpr uint64_t fence_seeds = 2 * DETERMINISTIC_SEEDS;
constexpr uint64_t fence_rounds = 8;
constexpr uint64_t fence_time_limit_ns = 60 * ns_per_s;
constexpr uint32_t barrier_number = 3;

constexpr syncline_address_t word_of(uint32_t from) {
    return heap_reserved_bytes + uint64_t{from} * 8;
}

class FenceRun {
  public:
    explicit FenceRun(uint64_t seed);
    // The first mistake, or "".
    std::string run();
    // Where the victim was in its program, and what the barrier was like.
    const Elements& struck() const { return struck_; }

  private:
    struct Place {
        const char* phase = "opens";
        uint64_t round = 0;
        bool operator==(const Place& other) const {
            return round == other.round && std::strcmp(phase, other.phase) == 0;
        }
    };
    void program(Endpoint* endpoint);
    void write(Endpoint* endpoint, uint64_t round);
    void check(uint32_t rank, uint64_t round);
    bool told(uint32_t rank, const char* what, int status);
    bool writes(uint32_t from, uint32_t to, uint64_t round) const;
    int algorithm_of(uint64_t round) const;
    void draw_crash();
    void arrives(uint32_t rank, const Place& place);
    void strike();
    std::string where_all_are() const;
    void wrong(const std::string& what);

    const uint64_t seed_;
    Prng prng_;
    WorldOptions options_;
    Barrier::Options barrier_;
    bool counts_ = false;  // they can be exchanged
    bool crashes_ = false;
    std::vector<Place> at_;  // each PE
    bool whole_node_ = false;
    uint32_t victim_ = 0;
    Place struck_in_;  // soon after the victim has come there
    uint64_t steps_ = 0;
    Elements struck_;
    std::unique_ptr<World> world_;
    std::string wrong_;
};

FenceRun::FenceRun(uint64_t seed) : seed_(seed), prng_(seed) {
    draw_world(&prng_, &options_);
    counts_ = options_.window >= 2 && options_.card.kind == CardKind::kNone;
    barrier_.host = prng_.below(3) == 0;
    barrier_.algorithm = static_cast<int>(prng_.below(4));
    barrier_.dimension = barrier_.algorithm == SYNCLINE_BARRIER_TREE ? static_cast<uint32_t>(prng_.below(4)) : 0;
    crashes_ = prng_.below(2) == 0;
    whole_node_ = crashes_ && prng_.below(3) == 0;
    options_.endpoint.peer_timeout_ms = 5000;
    if (whole_node_) {  // silence must be told from loss
        options_.endpoint.peer_timeout_ms = 300;
        options_.faults.loss = std::min(options_.faults.loss, 0.01);
    }
    world_ = std::make_unique<World>(seed, options_);
    at_.resize(world_->size());
    draw_crash();
}

// At any step from the start on, or soon after the victim has begun to post and fence, to close or to end.
void FenceRun::draw_crash() {
    victim_ = static_cast<uint32_t>(prng_.below(world_->size()));
    const uint64_t round = 1 + prng_.below(fence_rounds);
    const Place places[] = {{"opens", 0}, {"fences", round}, {"closes", 0}, {"at the end", 0}};
    const uint64_t place = prng_.below(4);
    struck_in_ = places[place];
    steps_ = 1 + prng_.below(place == 0 ? one_of(&prng_, {200, 2000}) : one_of(&prng_, {5, 40}));
    arrives(victim_, {});
}

void FenceRun::arrives(uint32_t rank, const Place& place) {
    at_[rank] = place;
    if (crashes_ && rank == victim_ && place == struck_in_) {
        world_->scheduler().at_step(rank, world_->scheduler().steps(rank) + steps_, [this] { strike(); });
    }
}

constexpr const char* const algorithms[] = {"automatic", "acknowledged", "counts", "linear"};
constexpr const char* const barriers[] = {"automatic", "exchange", "tree", "signals"};

void FenceRun::strike() {
    const Elements faults = {whole_node_ ? "killed node" : "killed process"};
    const Place& at = at_[victim_];
    struck_ = product(faults, {at.phase, barrier_.host ? "hosts run it" : "NICs run it",
                               std::string("barrier: ") + barriers[barrier_.algorithm]});
    if (at.round != 0) {
        struck_.push_back(faults[0] + ": fence: " + algorithms[algorithm_of(at.round)]);
    }
    if (whole_node_) {
        world_->kill_node(world_->node_of(victim_));
    } else {
        world_->kill(victim_);
    }
}

std::string FenceRun::where_all_are() const {
    std::string text;
    for (uint32_t rank = 0; rank < at_.size(); rank++) {
        text += fmt::format(" PE {}{} {} in round {};", rank, world_->dead(rank) ? ", dead," : "", at_[rank].phase,
                            at_[rank].round);
    }
    return text;
}

void FenceRun::wrong(const std::string& what) {
    if (wrong_.empty()) {
        wrong_ = fmt::format("at {} us: {}", world_->scheduler().now() / ns_per_us, what);
    }
}

// All PEs know it without a message.
bool FenceRun::writes(uint32_t from, uint32_t to, uint64_t round) const {
    Prng prng(seed_ ^ round << 40 ^ uint64_t{from} << 20 ^ to);
    return round % 3 == 0 || prng.below(3) == 0;
}

int FenceRun::algorithm_of(uint64_t round) const {
    const int algorithm = static_cast<int>(Prng(seed_ ^ round << 50).below(4));
    return algorithm == SYNCLINE_FENCE_COUNTS && !counts_ ? static_cast<int>(SYNCLINE_FENCE_AUTO) : algorithm;
}

void FenceRun::write(Endpoint* endpoint, uint64_t round) {
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
void FenceRun::check(uint32_t rank, uint64_t round) {
    for (uint32_t from = 0; from < world_->size(); from++) {
        const uint64_t found = world_->peek(rank, word_of(from));
        if (writes(from, rank, round) && found != round && !(found == round + 1 && writes(from, rank, round + 1))) {
            wrong(fmt::format("PE {} is behind round {} and has the store of round {} from PE {}", rank, round, found,
                              from));
        }
    }
}

// May it go on?
bool FenceRun::told(uint32_t rank, const char* what, int status) {
    if (status != SYNCLINE_OK && !crashes_) {
        wrong(fmt::format("PE {}: {} returns '{}' though no PE has died: {}", rank, what, status_text(status),
                          last_error_text()));
    }
    return status == SYNCLINE_OK;
}

void FenceRun::program(Endpoint* endpoint) {
    std::vector<uint32_t> all;
    for (uint32_t rank = 0; rank < endpoint->size(); rank++) {
        all.push_back(rank);
    }
    const uint32_t me = endpoint->rank();
    try {
        BarrierHistory history(endpoint);
        const std::unique_ptr<Barrier> barrier = open_barrier(endpoint, &history, barrier_number, all, barrier_);
        FenceBarrier fence(endpoint);
        for (uint64_t round = 1; round <= fence_rounds; round++) {
            arrives(me, {"fences", round});
            write(endpoint, round);
            if (!told(me, "the fence", fence.run(barrier.get(), all, algorithm_of(round)))) {
                break;
            }
            check(me, round);
        }
        arrives(me, {"closes", 0});
        (void)told(me, "closing", barrier->close());
    } catch (const Failure& failure) {
        (void)told(me, failure.what(), failure.status());
    }
    arrives(me, {"at the end", 0});
    // As syncline_finalize() does: a PE that ends breaks what it is still a member of.
    (void)told(me, "the end", JobBarrier(endpoint).run());
    (void)endpoint->posting().quiet();
    arrives(me, {"ended", 0});
}

std::string FenceRun::run() {
    if (!world_->run([this](Endpoint* endpoint) { program(endpoint); }, fence_time_limit_ns)) {
        wrong(fmt::format("some PE waits for ever:{}", where_all_are()));
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

TEST(Fences, KeepsItsPromisesOnEverySeed) {
    Coverage struck;
    for_each_seed(fence_seeds, fence_seeds / 10, [&](uint64_t seed) {
        FenceRun run(seed);
        const std::string wrong = run.run();
        if (seed <= fence_seeds || are_seeds_named()) {
            struck.note(run.struck());
        }
        return wrong;
    });
    Elements all = product({"killed process", "killed node"},
                           {"opens", "fences", "closes", "at the end", "hosts run it", "NICs run it"});
    for (const Elements& more : {product(product({"killed process", "killed node"}, {"fence"}),
                                         {"automatic", "acknowledged", "counts", "linear"}),
                                 product(product({"killed process", "killed node"}, {"barrier"}),
                                         {"exchange", "tree", "automatic", "signals"})}) {
        all.insert(all.end(), more.begin(), more.end());
    }
    struck.report(all);
}

}  // namespace
}  // namespace syncline::deterministic
