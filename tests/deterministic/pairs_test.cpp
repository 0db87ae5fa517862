// SPDX-License-Identifier: BSD-3-Clause
// Method: 128-bit compare&swaps and swaps of pairs at all PEs, in runs like those of the locks (see locks_test.cpp),
// with a step between any two stores of an operation that a process executes by itself. In half of the seeds a PE is
// killed at some step, or its node. Checked: no result is a pair of halves that do not belong together; each operation
// happens once, or at most once if its call failed or its PE died; no call waits for a dead PE's pair, and none fails
// unless a PE has died.
//
// Which seeds are run, and how to replay one: tests/seeds.h.
#include <fmt/format.h>

#include <map>
#include <memory>
#include <set>

#include "runtime/collective/job_barrier.h"
#include "runtime/process/error_text.h"
#include "tests/deterministic/coverage.h"
#include "tests/deterministic/draw.h"
#include "tests/seeds.h"

namespace syncline::deterministic {
namespace {

constexpr uint64_t seeds = DETERMINISTIC_SEEDS;
constexpr uint64_t time_limit_ns = 60 * ns_per_s;
constexpr uint64_t turns = 30;
constexpr uint64_t half_factor = 0x9E3779B97F4A7C15u;  // of a pair's second half, by its first

// In each PE's heap, under one pair lock each.
constexpr syncline_address_t counter_at = heap_reserved_bytes;
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

    void strike(uint32_t victim, bool whole_node);
    void program(Endpoint* endpoint);
    void count(Endpoint* endpoint, uint32_t at);
    void swap(Endpoint* endpoint, uint32_t at, uint64_t token);
    bool ended(uint32_t rank, int status, const uint64_t (&old)[2]);
    void check_accounts();
    void wrong(const std::string& what);

    Prng prng_;
    WorldOptions options_;
    bool crashes_ = false;
    std::unique_ptr<World> world_;
    std::vector<Account> accounts_;
    Elements struck_;
    std::string wrong_;
};

PairRun::PairRun(uint64_t seed) : prng_(seed * 3) {
    draw_world(&prng_, &options_);
    crashes_ = prng_.below(2) == 0;
    const bool whole_node = crashes_ && prng_.below(4) == 0;
    options_.endpoint.peer_timeout_ms = 5000;
    if (whole_node) {  // silence must be told from loss
        options_.endpoint.peer_timeout_ms = 300;
        options_.faults.loss = std::min(options_.faults.loss, 0.01);
    }
    world_ = std::make_unique<World>(seed, options_);
    accounts_.resize(world_->size());
    if (crashes_) {
        const auto victim = static_cast<uint32_t>(prng_.below(world_->size()));
        world_->scheduler().at_step(victim, 1 + prng_.below(one_of(&prng_, {100, 1000})),
                                    [this, victim, whole_node] { strike(victim, whole_node); });
    }
}

void PairRun::strike(uint32_t victim, bool whole_node) {
    const uint64_t lock = world_->pair_lock_of(victim);
    struck_ = {fmt::format("killed {}: {}", whole_node ? "node" : "process",
                           lock == 0         ? "has no pair"
                           : (lock & 1) != 0 ? "has committed"
                                             : "has a pair")};
    if (whole_node) {
        world_->kill_node(world_->node_of(victim));
    } else {
        world_->kill(victim);
    }
}

void PairRun::wrong(const std::string& what) {
    if (wrong_.empty()) {
        wrong_ = fmt::format("at {} us: {}", world_->scheduler().now() / ns_per_us, what);
    }
}

// After a call: did it succeed?
bool PairRun::ended(uint32_t rank, int status, const uint64_t (&old)[2]) {
    if (status != SYNCLINE_OK) {
        if (!crashes_) {
            wrong(fmt::format("PE {}: '{}', though no PE has died: {}", rank, syncline_error_string(status),
                              last_error_text()));
        }
        return false;
    }
    if (old[1] != old[0] * half_factor) {
        wrong(fmt::format("PE {} finds halves that do not belong together: {:#x}, {:#x}", rank, old[0], old[1]));
    }
    return true;
}

// Adds one, by compare&swap.
void PairRun::count(Endpoint* endpoint, uint32_t at) {
    Account& account = accounts_[at];
    uint64_t old[2] = {0, 0};
    for (uint64_t expected = 0;; expected = old[0]) {
        AtomicCall call = {.operation = SYNCLINE_CAS | SYNCLINE_128 | SYNCLINE_FETCH,
                           .rank = static_cast<int>(at),
                           .target = counter_at};
        call.operand[0] = expected + 1;
        call.operand[1] = (expected + 1) * half_factor;
        call.comparand[0] = expected;
        call.comparand[1] = expected * half_factor;
        call.result = old;
        account.perhaps_added++;  // it may die within
        if (!ended(endpoint->rank(), endpoint->atomics().execute(call), old)) {
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
    if (!ended(endpoint->rank(), endpoint->atomics().execute(call), old)) {
        return;
    }
    account.surely.insert(token);
    if (old[0] != 0 && (!account.tokens.contains(old[0]) || account.tokens[old[0]]++ != 0)) {
        wrong(fmt::format("PE {} takes token {:#x} from PE {}, which was taken before or never left", endpoint->rank(),
                          old[0], at));
    }
}

void PairRun::program(Endpoint* endpoint) {
    for (uint64_t turn = 1; turn <= turns; turn++) {
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
        const uint64_t counted = world_->peek(at, counter_at);
        if (counted < account.added || counted > account.added + account.perhaps_added) {
            wrong(fmt::format("PE {} was counted up to {}, by {} calls, and {} that may have failed", at, counted,
                              account.added, account.perhaps_added));
        }
        const uint64_t last = world_->peek(at, token_at);
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
    if (!world_->run([this](Endpoint* endpoint) { program(endpoint); }, time_limit_ns)) {
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
    for_each_seed(seeds, seeds / 4, [&](uint64_t seed) {
        PairRun run(seed);
        const std::string wrong = run.run();
        if (seed <= seeds || are_seeds_named()) {
            struck.note(run.struck());
        }
        return wrong;
    });
    struck.report(are_seeds_named() || seeds < 500
                      ? Elements{}
                      : Elements{"killed process: has no pair", "killed process: has a pair",
                                 "killed process: has committed", "killed node: has no pair"});
}

}  // namespace
}  // namespace syncline::deterministic
