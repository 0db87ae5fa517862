// SPDX-License-Identifier: BSD-3-Clause
// Method: PEs use a lock again and again: they wait for it, wait with a deadline, or try in a loop; some read. A first
// run of a seed counts the steps that one PE makes meanwhile. Then the daemon of a node, its own or another, is killed
// at each of these steps in turn. Checked: no PE waits for ever. A PE of that node has _NODE and no other failure,
// soon; on one node, where memory is all that a lock needs, it may also go on. A PE of another node goes on, or has
// _BROKEN when the silence has lasted for the peer timeout. No two have the lock.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include "base/status.h"
#include "runtime/collective/job_barrier.h"
#include "tests/deterministic/any_lock.h"
#include "tests/deterministic/world.h"
#include "tests/seeds.h"

namespace syncline::deterministic {
namespace {

constexpr syncline_address_t daemons_lock_at = heap_reserved_bytes;
constexpr uint32_t counted_rounds = 3;
constexpr uint64_t counted_until_ns = 200 * ns_per_ms;  // or as a PE that tries has had no luck for that long
constexpr uint32_t rounds_after = 8;
constexpr uint64_t patience_ms_of_peers = 300;
constexpr uint64_t told_ns_max = 200 * ns_per_ms;  // that its daemon is gone
constexpr uint64_t told_of_others_ns_max = 2 * ns_per_s;
constexpr uint64_t daemons_end_ns = 5 * ns_per_s;
constexpr uint64_t never = UINT64_MAX;

enum class Way { kWait, kDeadline, kTries };

// A job of one seed, with a daemon that is killed at one step.
class DaemonDeath {
  public:
    DaemonDeath(uint64_t seed, LockKind kind, uint64_t at_step);
    std::string run();
    uint64_t steps() const { return steps_; }  // of the PE that counts

  private:
    struct Pe {
        Way way = Way::kWait;
        bool reads = false;
        int status = SYNCLINE_OK;  // its last
    };
    void program(Endpoint* endpoint);
    bool round(uint32_t rank, AnyLock* lock);
    int enter(uint32_t rank, AnyLock* lock);
    void count(uint32_t rank, bool is_last_round);
    void told(uint32_t rank, int status, uint64_t since);
    bool is_dead() const { return killed_at_ != never; }
    uint64_t now() const { return world_->scheduler().now(); }
    void wrong(const std::string& what) { wrong_ += wrong_.empty() ? what : ""; }

    const LockKind kind_;
    const uint64_t at_step_;
    Prng prng_;
    WorldOptions options_;
    std::vector<Pe> pes_;
    int home_ = 0;
    uint32_t counting_ = 0;
    uint32_t dead_node_ = 0;
    std::unique_ptr<World> world_;
    uint64_t killed_at_ = never;
    uint64_t first_step_ = 0;
    uint64_t steps_ = 0;
    bool counted_ = false;
    uint32_t readers_ = 0;
    uint32_t others_ = 0;
    std::string wrong_;
};

DaemonDeath::DaemonDeath(uint64_t seed, LockKind kind, uint64_t at_step)
    : kind_(kind), at_step_(at_step), prng_(seed * 7 + static_cast<uint64_t>(kind)) {
    const std::vector<uint32_t> nodes[] = {{3}, {2, 1}, {1, 2}, {1, 1}};
    const uint64_t transport = seed % 4;  // 0: shm; 1: udp; 2, 3: xdp
    options_.ports = nodes[transport];
    options_.deposits = transport != 1;
    options_.endpoint.direct = transport == 0 || prng_.below(3) != 0;
    options_.endpoint.wait_mode = prng_.below(2) == 0 ? SYNCLINE_WAIT_POLL : SYNCLINE_WAIT_BLOCK;
    options_.endpoint.peer_timeout_ms = patience_ms_of_peers;
    world_ = std::make_unique<World>(seed, options_);
    home_ = static_cast<int>(prng_.below(world_->size()));
    counting_ = static_cast<uint32_t>(prng_.below(world_->size()));
    dead_node_ = static_cast<uint32_t>(prng_.below(options_.ports.size()));
    pes_.resize(world_->size());
    for (uint32_t rank = 0; rank < pes_.size(); rank++) {
        // A unit that is lost with its PE is missed by waits only.
        const bool may_try = kind_ != LockKind::kSemaphore || world_->node_of(rank) == dead_node_;
        pes_[rank].way = static_cast<Way>(prng_.below(may_try ? 3 : 2));
        pes_[rank].reads = kind_ == LockKind::kReadersWriter && prng_.below(2) == 0;
    }
}

// The counting PE has used the lock, or tries in vain. Tries are not fair: two PEs that wait by turns may leave one
// that tries without luck for ever.
void DaemonDeath::count(uint32_t rank, bool is_last_round) {
    if (rank == counting_ && !is_dead() && !counted_ && (is_last_round || now() > counted_until_ns)) {
        steps_ = world_->scheduler().steps(rank) - first_step_;
        counted_ = true;
    }
}

int DaemonDeath::enter(uint32_t rank, AnyLock* lock) {
    const Pe& pe = pes_[rank];
    if (pe.way != Way::kTries) {
        return lock->acquire(pe.reads, pe.way == Way::kWait ? no_deadline : now() + 2 * daemons_end_ns);
    }
    for (uint64_t pause = 10 * ns_per_us;; pause = std::min(2 * pause, 5 * ns_per_ms)) {
        const int status = lock->try_acquire(pe.reads);
        if (status != SYNCLINE_ERR_BUSY) {
            return status;
        }
        count(rank, false);
        world_->scheduler().compute(pause);
    }
}

// A call that began then has ended.
void DaemonDeath::told(uint32_t rank, int status, uint64_t since) {
    pes_[rank].status = status;
    if (status == SYNCLINE_OK) {
        return;
    }
    const bool own = world_->node_of(rank) == dead_node_;
    const uint64_t waited = is_dead() ? now() - std::max(since, killed_at_) : 0;
    if (!is_dead() || status != (own ? SYNCLINE_ERR_NODE : SYNCLINE_ERR_BROKEN)) {
        wrong(fmt::format("PE {}, {} node of the daemon, is told '{}'", rank, own ? "of the" : "of another",
                          status_text(status)));
    } else if (waited > (own ? told_ns_max : told_of_others_ns_max)) {
        wrong(fmt::format("PE {} is told after {} ms only", rank, waited / ns_per_ms));
    }
}

bool DaemonDeath::round(uint32_t rank, AnyLock* lock) {
    const uint64_t asked_at = now();
    told(rank, enter(rank, lock), asked_at);
    if (pes_[rank].status != SYNCLINE_OK) {
        return false;
    }
    uint32_t* const count = pes_[rank].reads ? &readers_ : &others_;
    if (others_ != 0 || (readers_ != 0 && !pes_[rank].reads)) {
        wrong(fmt::format("PE {} is not alone", rank));
    }
    ++*count;
    world_->scheduler().compute(2 * ns_per_us);
    --*count;
    const uint64_t left_at = now();
    int status = lock->release();
    if (status == SYNCLINE_ERR_PEER && world_->node_of(rank) != dead_node_) {
        status = SYNCLINE_OK;  // the barrier's words were still under way: the lock is released
    }
    told(rank, status, left_at);
    return pes_[rank].status == SYNCLINE_OK;
}

void DaemonDeath::program(Endpoint* endpoint) {
    const uint32_t rank = endpoint->rank();
    Scheduler& scheduler = world_->scheduler();
    AnyLock lock(kind_, endpoint, daemons_lock_at, home_, 1);
    JobBarrier barrier(endpoint);
    (void)barrier.run();
    if (rank == counting_) {
        first_step_ = scheduler.steps(rank);
        if (at_step_ != never) {
            scheduler.at_step(rank, first_step_ + at_step_, [this] {
                killed_at_ = now();
                world_->kill_daemon(dead_node_);
            });
        }
    }
    uint32_t after = 0;
    for (uint32_t number = 1; is_dead() ? after++ < rounds_after : !counted_; number++) {
        scheduler.compute(1 + scheduler.prng().below(40 * ns_per_us));
        if (!round(rank, &lock)) {
            break;
        }
        count(rank, number == counted_rounds);
    }
    // A PE that left now would be one more death to the others.
    scheduler.compute(daemons_end_ns - now());
}

std::string DaemonDeath::run() {
    if (!world_->run([this](Endpoint* endpoint) { program(endpoint); }, 2 * daemons_end_ns)) {
        wrong("some PE waits for ever");
    }
    world_.reset();  // there is one world at a time, and the next run has its own
    std::string ways;
    for (const Pe& pe : pes_) {
        ways += fmt::format(" {}{}: {};", pe.reads ? "reads, " : "", static_cast<int>(pe.way), pe.status);
    }
    return wrong_.empty()
               ? ""
               : fmt::format(
                     "the daemon of node {} dies at step {} of PE {}; home {}; {}, {}, ways and ends "
                     "of PEs{}: {}",
                     dead_node_, at_step_, counting_, home_, options_.endpoint.direct ? "direct" : "packets only",
                     options_.endpoint.wait_mode == SYNCLINE_WAIT_POLL ? "poll" : "block", ways, wrong_);
}

class LockDaemons : public testing::TestWithParam<int> {};

// Sanitizers and long runs of many seeds take some of the steps, others with each seed.
uint64_t stride() {
    return DETERMINISTIC_SEEDS < 100 || seeds_of_environment().count > 100 ? 50 : 1;
}

TEST_P(LockDaemons, AreMissedAtEachStep) {
    const auto kind = static_cast<LockKind>(GetParam());
    uint64_t steps = 0;
    for_each_seed(std::max(4, DETERMINISTIC_SEEDS / 40), 1, [&](uint64_t seed) -> std::string {
        DaemonDeath undisturbed(seed, kind, never);
        std::string found = undisturbed.run();
        for (uint64_t step = 1 + seed % stride(); step <= undisturbed.steps() && found.empty(); step += stride()) {
            found = DaemonDeath(seed, kind, step).run();
            steps++;
        }
        return found;
    });
    std::printf("%s: %lu steps at which a daemon died\n", lock_names[GetParam()], steps);
}

// A PE that never waits: the lock is its own, and no other comes.
TEST_P(LockDaemons, AreMissedWithoutAWait) {
    const auto kind = static_cast<LockKind>(GetParam());
    WorldOptions options;
    options.ports = {1, 1};
    World world(1, options);
    int status = SYNCLINE_OK;
    uint32_t rounds = 0;
    EXPECT_TRUE(world.run(
        [&](Endpoint* endpoint) {
            AnyLock lock(kind, endpoint, daemons_lock_at, 0, 1);
            (void)JobBarrier(endpoint).run();
            if (endpoint->rank() == 0) {
                world.kill_daemon(0);
                for (; status == SYNCLINE_OK && rounds < 1000; rounds++) {
                    status = lock.acquire(false, no_deadline);
                    status = status == SYNCLINE_OK ? lock.release() : status;
                }
            }
        },
        daemons_end_ns));
    EXPECT_EQ(status, SYNCLINE_ERR_NODE) << "after " << rounds << " rounds";
}

INSTANTIATE_TEST_SUITE_P(Locks, LockDaemons, testing::Range(0, lock_kinds),
                         [](const auto& kind) { return std::string(lock_names[kind.param]); });

}  // namespace
}  // namespace syncline::deterministic
