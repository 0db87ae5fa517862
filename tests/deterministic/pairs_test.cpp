// SPDX-License-Identifier: BSD-3-Clause
// Method: 128-bit compare&swaps and swaps of pairs at all PEs, in runs like those of the locks (see locks_test.cpp),
// with a step between any two stores of an operation that a process executes by itself. In half of the seeds a PE is
// killed, or its node; most of these PEs have a pair then, and die in front of a drawn store. Checked: no result is a
// pair of halves that do not belong together; each operation happens once, or at most once if its call failed or its
// PE died; the daemon finishes the operation of a PE that died behind its commit, undoes nothing else and frees the
// pair; no call waits for a dead PE's pair, and none fails unless a PE has died.
//
// Which seeds are run, and how to replay one: tests/seeds.h.
#include <fmt/format.h>

#include <array>
#include <map>
#include <memory>
#include <set>

#include "base/status.h"
#include "runtime/collective/job_barrier.h"
#include "runtime/ground/error_text.h"
#include "tests/deterministic/coverage.h"
#include "tests/deterministic/draw.h"
#include "tests/seeds.h"

namespace syncline::deterministic {
namespace {

constexpr uint64_t pair_seeds = DETERMINISTIC_SEEDS;
constexpr uint64_t pair_time_limit_ns = 60 * ns_per_s;
constexpr uint64_t pair_turns = 30;
constexpr uint64_t half_factor = 0x9E3779B97F4A7C15u;  // of a pair's second half, by its first

// An operation's stores and exchanges: the record's address and two halves, the commit, the pair's two halves, the
// lock.
constexpr uint32_t stores = 7;
constexpr uint32_t commit = 4;

// In each PE's heap, under one pair lock each.
constexpr syncline_address_t pair_counter_at = heap_reserved_bytes;
constexpr syncline_address_t token_at = heap_reserved_bytes + 16;

class PairRun {
  public:
    explicit PairRun(uint64_t seed);
    // An account of what went wrong, or "".
    std::string run();
    const Elements& struck() const { return struck_; }

  private:
    struct Account {  // of the pairs at one PE
        uint64_t added = 0, perhaps_added = 0;
        std::map<uint64_t, int> tokens;  // all that calls were to leave: how often each was taken
        std::set<uint64_t> surely;       // left by calls that succeeded
    };

    using Pair = std::array<uint64_t, 2>;
    struct Doing {  // the operation that a PE has begun
        uint32_t at = 0;
        syncline_address_t target = 0;
        Pair becomes = {};
    };

    void draw_crash();
    void aim();
    void strike();
    void strike_at(uint32_t store);
    int execute(Endpoint* endpoint, const AtomicCall& call);
    Pair peek(uint32_t at, syncline_address_t target) const {
        return {world_->peek(at, target), world_->peek(at, target + 8)};
    }
    void program(Endpoint* endpoint);
    void count(Endpoint* endpoint, uint32_t at);
    void swap(Endpoint* endpoint, uint32_t at, uint64_t token);
    bool ended(uint32_t rank, int status, const uint64_t (&old)[2]);
    void check_accounts();
    // The victim had a pair, and its daemon did not live to do its part, or did not come to it before all PEs had
    // ended.
    bool may_be_halved(uint32_t at) const { return unsettled_ && world_->node_of(at) == world_->node_of(victim_); }
    void wrong(const std::string& what);

    Prng prng_;
    WorldOptions options_;
    bool crashes_ = false;
    bool whole_node_ = false;
    bool aimed_ = false;  // at an operation of the victim
    bool unsettled_ = false;
    uint32_t victim_ = 0;
    std::unique_ptr<World> world_;
    std::vector<Doing> doing_;  // of each PE
    std::vector<Account> accounts_;
    Elements struck_;
    std::string wrong_;
};

PairRun::PairRun(uint64_t seed) : prng_(seed * 3) {
    draw_world(&prng_, &options_);
    crashes_ = prng_.below(2) == 0;
    whole_node_ = crashes_ && prng_.below(4) == 0;
    aimed_ = crashes_ && !whole_node_ && prng_.below(4) != 0;
    options_.endpoint.direct |= aimed_;
    options_.endpoint.peer_timeout_ms = 5000;
    if (whole_node_) {  // silence must be told from loss
        options_.endpoint.peer_timeout_ms = 300;
        options_.faults.loss = std::min(options_.faults.loss, 0.01);
    }
    world_ = std::make_unique<World>(seed, options_);
    accounts_.resize(world_->size());
    doing_.resize(world_->size());
    if (crashes_) {
        draw_crash();
    }
}

void PairRun::draw_crash() {
    victim_ = static_cast<uint32_t>(prng_.below(world_->size()));
    if (aimed_) {
        aim();
    } else {
        world_->scheduler().at_step(victim_, 1 + prng_.below(one_of(&prng_, {100, 1000})), [this] { strike(); });
    }
}

// In front of a store of the first operation, or of a later one, that comes to it.
void PairRun::aim() {
    const auto store = static_cast<uint32_t>(1 + prng_.below(stores));
    world_->at_pair_steps([this, store, before = prng_.below(4)](uint32_t rank, uint32_t next) mutable {
        if (rank == victim_ && next == store && before-- == 0) {
            strike_at(store);
        }
    });
}

// The pair's lock keeps all others from the pair until the daemon has done its part.
void PairRun::strike_at(uint32_t store) {
    const Doing doing = doing_[victim_];
    const Pair expected = store > commit ? doing.becomes : peek(doing.at, doing.target);
    struck_ = {fmt::format("killed process: in front of store {} of a pair", store)};
    unsettled_ = true;
    world_->kill(victim_, [this, store, doing, expected] {
        unsettled_ = false;
        if (peek(doing.at, doing.target) != expected) {
            wrong(fmt::format("PE {} died in front of store {} of an operation at PE {}, whose pair is not {:#x} after",
                              victim_, store, doing.at, expected[0]));
        }
        if (world_->pair_lock_of(victim_) != 0) {
            wrong(fmt::format("PE {} is dead and has a pair", victim_));
        }
    });
}

void PairRun::strike() {
    const uint64_t lock = world_->pair_lock_of(victim_);
    struck_ = {fmt::format("killed {}: {}", whole_node_ ? "node" : "process",
                           lock == 0         ? "has no pair"
                           : (lock & 1) != 0 ? "has committed"
                                             : "has a pair")};
    unsettled_ = true;
    if (whole_node_) {
        world_->kill_node(world_->node_of(victim_));
    } else {
        world_->kill(victim_, [this] { unsettled_ = false; });
    }
}

void PairRun::wrong(const std::string& what) {
    if (wrong_.empty()) {
        wrong_ = fmt::format("at {} us: {}", world_->scheduler().now() / ns_per_us, what);
        world_->scheduler().stop();
    }
}

// After a call: did it succeed?
bool PairRun::ended(uint32_t rank, int status, const uint64_t (&old)[2]) {
    if (status != SYNCLINE_OK) {
        if (!crashes_) {
            wrong(fmt::format("PE {}: '{}', though no PE has died: {}", rank, status_text(status), last_error_text()));
        }
        return false;
    }
    if (old[1] != old[0] * half_factor) {
        wrong(fmt::format("PE {} finds halves that do not belong together: {:#x}, {:#x}", rank, old[0], old[1]));
    }
    return true;
}

int PairRun::execute(Endpoint* endpoint, const AtomicCall& call) {
    doing_[endpoint->rank()] = {static_cast<uint32_t>(call.rank), call.target, {call.operand[0], call.operand[1]}};
    return endpoint->atomics().execute(call);
}

// Adds one, by compare&swap.
void PairRun::count(Endpoint* endpoint, uint32_t at) {
    Account& account = accounts_[at];
    uint64_t old[2] = {0, 0};
    for (uint64_t expected = 0;; expected = old[0]) {
        AtomicCall call = {.operation = SYNCLINE_CAS | SYNCLINE_128 | SYNCLINE_FETCH,
                           .rank = static_cast<int>(at),
                           .target = pair_counter_at};
        call.operand[0] = expected + 1;
        call.operand[1] = (expected + 1) * half_factor;
        call.comparand[0] = expected;
        call.comparand[1] = expected * half_factor;
        call.result = old;
        account.perhaps_added++;  // it may die within
        if (!ended(endpoint->rank(), execute(endpoint, call), old)) {
            return;
        }
        account.perhaps_added--;
        if (old[0] == expected) {
            account.added++;
            return;
        }
    }
}

// Leaves a token that no other call leaves, and takes the one that was there.
void PairRun::swap(Endpoint* endpoint, uint32_t at, uint64_t token) {
    Account& account = accounts_[at];
    uint64_t old[2] = {0, 0};
    AtomicCall call = {
        .operation = SYNCLINE_SWAP | SYNCLINE_128 | SYNCLINE_FETCH, .rank = static_cast<int>(at), .target = token_at};
    call.operand[0] = token;
    call.operand[1] = token * half_factor;
    call.result = old;
    account.tokens[token] = 0;
    if (!ended(endpoint->rank(), execute(endpoint, call), old)) {
        return;
    }
    account.surely.insert(token);
    if (old[0] != 0 && (!account.tokens.contains(old[0]) || account.tokens[old[0]]++ != 0)) {
        wrong(fmt::format("PE {} takes token {:#x} from PE {}, which was taken before or never left", endpoint->rank(),
                          old[0], at));
    }
}

void PairRun::program(Endpoint* endpoint) {
    for (uint64_t turn = 1; turn <= pair_turns; turn++) {
        const auto at = static_cast<uint32_t>(world_->scheduler().prng().below(endpoint->size()));
        if (world_->scheduler().prng().below(2) == 0) {
            count(endpoint, at);
        } else {
            swap(endpoint, at, uint64_t{endpoint->rank() + 1} << 32 | turn);
        }
    }
    (void)JobBarrier(endpoint).run();
    (void)endpoint->posting().quiet();
}

// Only the PEs that have taken tokens there before know of a PE whose node is gone.
void PairRun::check_accounts() {
    for (uint32_t at = 0; at < accounts_.size(); at++) {
        const Account& account = accounts_[at];
        const uint64_t counted = world_->peek(at, pair_counter_at);
        if (counted < account.added || counted > account.added + account.perhaps_added) {
            wrong(fmt::format("PE {} was counted up to {}, by {} calls, and {} that may have failed", at, counted,
                              account.added, account.perhaps_added));
        }
        const uint64_t last = world_->peek(at, token_at);
        for (const syncline_address_t target : {pair_counter_at, token_at}) {
            if (const Pair pair = peek(at, target); pair[1] != pair[0] * half_factor && !may_be_halved(at)) {
                wrong(fmt::format("halves that do not belong together are left at PE {}", at));
            }
        }
        uint64_t lost = 0;
        for (const uint64_t token : account.surely) {
            lost += account.tokens.at(token) == 0 && token != last ? 1 : 0;
        }
        // A call that failed may have taken one.
        if (lost > account.tokens.size() - account.surely.size()) {
            wrong(fmt::format("{} tokens that were left at PE {} are gone", lost, at));
        }
    }
}

std::string PairRun::run() {
    if (!world_->run([this](Endpoint* endpoint) { program(endpoint); }, pair_time_limit_ns)) {
        wrong("some PE waits for ever");
    }
    check_accounts();
    return wrong_.empty() ? ""
                          : fmt::format("{}\n({} nodes, {} PEs, window {}, {}, {}, {}, loss {}, {})", wrong_,
                                        options_.ports.size(), world_->size(), options_.window,
                                        options_.deposits ? "NICs deposit" : "sockets",
                                        options_.endpoint.direct ? "direct" : "packets only",
                                        options_.endpoint.wait_mode == SYNCLINE_WAIT_POLL ? "poll" : "block",
                                        options_.faults.loss, struck_.empty() ? "no crash" : struck_[0]);
}

TEST(Pairs, KeepTheirPromisesOnEverySeed) {
    Coverage struck;
    for_each_seed(pair_seeds, pair_seeds / 10, [&](uint64_t seed) {
        PairRun run(seed);
        const std::string wrong = run.run();
        if (seed <= pair_seeds || are_seeds_named()) {
            struck.note(run.struck());
        }
        return wrong;
    });
    Elements expected = {"killed process: has no pair", "killed node: has no pair"};
    for (uint32_t store = 1; store <= stores; store++) {
        expected.push_back(fmt::format("killed process: in front of store {} of a pair", store));
    }
    struck.report(expected);
}

}  // namespace
}  // namespace syncline::deterministic
