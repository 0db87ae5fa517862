// SPDX-License-Identifier: BSD-3-Clause
// Method: the four deaths around a lock that tests/daemon/locks_test.cpp brings about in real jobs, for each kind of
// lock, each kind of transport and both ways to wait: the holder, the first or the last waiter, or the home is killed
// while the others stand in the queue. When, and when the holder then releases, is drawn. Checked, as there: every call
// ends, no two PEs are in, the holder's death and the home's are told to all; a waiter that dies last in a queue
// (mcs; local release, for those in the queue) leaves no trace; all PEs that come later have one and the same answer.
//
// Which seeds are run, and how to replay one: tests/seeds.h.
#include <fmt/format.h>

#include <algorithm>

#include "base/status.h"
#include "runtime/collective/job_barrier.h"
#include "tests/deterministic/any_lock.h"
#include "tests/deterministic/world.h"
#include "tests/seeds.h"

namespace syncline::deterministic {
namespace {

constexpr syncline_address_t queued_lock_at = heap_reserved_bytes;
constexpr uint32_t queued_ranks = 4;
constexpr uint32_t victim = 3;
// All have met by then; every other time counts from it. A PE's own way out of the barrier would not do: late packets
// hold it up, and the holder could release before the victim dies.
constexpr uint64_t start_ns = 100 * ns_per_ms;
constexpr uint64_t place_ns = 200 * ns_per_ms;  // a place in the queue is taken in less, late packets included
constexpr uint64_t killed_ns = 4 * place_ns;
constexpr uint64_t later_ns = 6 * ns_per_s;

enum class Role { kHolder, kFirstWaiter, kLastWaiter, kHome };

struct Situation {
    LockKind kind;
    bool victim_reads;
    Role role;
};

std::string name_of(const Situation& situation) {
    const char* const roles[] = {"holder", "first_waiter", "last_waiter", "home"};
    return std::string(lock_names[static_cast<int>(situation.kind)]) + (situation.victim_reads ? "_reading_" : "_") +
           roles[static_cast<int>(situation.role)];
}

// One job: transports as shm, udp and xdp are, by the seed.
class Death {
  public:
    Death(uint64_t seed, const Situation& situation);
    std::string run();

  private:
    struct Answer {
        int status = 1;  // none yet
        int released = SYNCLINE_OK;
    };
    bool is(Role role) const { return situation_.role == role; }
    uint32_t home() const { return is(Role::kHome) ? victim : 0; }
    uint32_t holder() const { return is(Role::kHolder) ? victim : 0; }
    uint32_t place_of(uint32_t rank) const;
    void program(Endpoint* endpoint);
    void hold(AnyLock* lock);
    Answer use(uint32_t rank, AnyLock* lock, bool reader);
    void wait_until(uint64_t ns) const;
    void check(uint32_t rank);
    void wrong(const std::string& what);

    const Situation situation_;
    Prng prng_;
    WorldOptions options_;
    uint64_t killed_at_ = 0;
    uint64_t released_at_ = 0;
    std::unique_ptr<World> world_;
    uint32_t inside_ = 0;
    Answer first_[queued_ranks], later_[queued_ranks];
    std::string wrong_;
};

Death::Death(uint64_t seed, const Situation& situation) : situation_(situation), prng_(seed * 5) {
    const std::vector<uint32_t> nodes[] = {{4}, {2, 2}, {2, 2}, {1, 1, 1, 1}};
    const uint64_t transport = seed % 4;  // 0: shm; 1: udp; 2, 3: xdp
    options_.ports = nodes[transport];
    options_.deposits = transport != 1;
    options_.endpoint.direct = transport == 0 || prng_.below(2) == 0;
    options_.endpoint.wait_mode = (seed / 4) % 2 == 0 ? SYNCLINE_WAIT_POLL : SYNCLINE_WAIT_BLOCK;
    options_.faults.repeat = 0.1;
    options_.faults.late = 0.1;
    killed_at_ = killed_ns + prng_.below(300 * ns_per_ms);
    // The holder releases when the daemon has seen the death: a grant before that goes to the victim. Waiters
    // look at the home every 0.1 s: they are to have their answer from it, not from the holder.
    released_at_ = killed_at_ + (is(Role::kHome) ? ns_per_s : ns_per_ms) + prng_.below(500 * ns_per_ms);
    world_ = std::make_unique<World>(seed, options_);
}

void Death::wrong(const std::string& what) {
    wrong_ += wrong_.empty() ? what : "; " + what;
}

void Death::wait_until(uint64_t ns) const {
    Scheduler& scheduler = world_->scheduler();
    scheduler.compute(start_ns + ns > scheduler.now() ? start_ns + ns - scheduler.now() : 1);
}

// In the queue, from 1 on.
uint32_t Death::place_of(uint32_t rank) const {
    if (is(Role::kFirstWaiter)) {
        return rank == victim ? 1 : rank + 1;
    }
    return is(Role::kHolder) ? rank + 1 : rank;
}

Death::Answer Death::use(uint32_t rank, AnyLock* lock, bool reader) {
    Answer answer;
    answer.status = lock->acquire(reader, no_deadline);
    if (answer.status == SYNCLINE_OK) {
        if (rank == victim) {
            wrong("the victim has the lock that it was to wait for until its end");
        }
        if (++inside_ != 1) {
            wrong(fmt::format("PE {} is not alone", rank));
        }
        world_->scheduler().compute(10 * ns_per_us);
        inside_--;
        answer.released = lock->release();
    }
    return answer;
}

void Death::hold(AnyLock* lock) {
    if (lock->acquire(is(Role::kHolder) && situation_.victim_reads, no_deadline) != SYNCLINE_OK) {
        wrong("the first PE did not get the lock");
    }
    inside_ += is(Role::kHolder) ? 0 : 1;
    wait_until(is(Role::kHolder) ? later_ns : released_at_);  // the victim does not live to see that
    inside_--;
    first_[holder()] = {SYNCLINE_OK, lock->release()};
}

void Death::program(Endpoint* endpoint) {
    const uint32_t rank = endpoint->rank();
    AnyLock lock(situation_.kind, endpoint, queued_lock_at, static_cast<int>(home()), 1);
    JobBarrier barrier(endpoint);
    (void)barrier.run();
    if (world_->scheduler().now() > start_ns) {
        wrong(fmt::format("PE {} is late", rank));
    }
    wait_until(0);
    if (rank == holder()) {
        hold(&lock);
    } else if (rank == home() && is(Role::kHome)) {
        wait_until(later_ns);
    } else {
        wait_until(place_of(rank) * place_ns);
        first_[rank] = use(rank, &lock, false);
    }
    wait_until(later_ns);
    later_[rank] = use(rank, &lock, false);
    // A PE that left now would be one more death to the others.
    wait_until(2 * later_ns);
}

void Death::check(uint32_t rank) {
    const Answer& first = first_[rank];
    const Answer& later = later_[rank];
    const auto either = [](int status) { return status == SYNCLINE_OK || status == SYNCLINE_ERR_BROKEN; };
    const bool queue = situation_.kind == LockKind::kMcs || situation_.kind == LockKind::kLocalRelease;
    bool right = either(first.status) && either(later.status);
    if (is(Role::kHolder) || is(Role::kHome)) {
        right = right && (rank == holder() || first.status == SYNCLINE_ERR_BROKEN);
        right = right && later.status == SYNCLINE_ERR_BROKEN;
    } else if (is(Role::kLastWaiter) && queue) {
        right = right && first.status == SYNCLINE_OK && first.released == SYNCLINE_OK;
        right = right && later.status == SYNCLINE_OK && later.released == SYNCLINE_OK;
    } else if (is(Role::kFirstWaiter)) {
        right = right && later.status == later_[0].status;
    }
    if (!right) {
        wrong(fmt::format("PE {} has {} and {} for its release, later {} and {}", rank, status_text(first.status),
                          status_text(first.released), status_text(later.status), status_text(later.released)));
    }
}

std::string Death::run() {
    world_->scheduler().at(start_ns + killed_at_, [this] { world_->kill(victim); });
    if (!world_->run([this](Endpoint* endpoint) { program(endpoint); }, 60 * ns_per_s)) {
        wrong("some PE waits for ever");
    }
    for (uint32_t rank = 0; rank < victim && wrong_.empty(); rank++) {
        check(rank);
    }
    return wrong_.empty() ? "" : fmt::format("{}: {}", name_of(situation_), wrong_);
}

std::vector<Situation> situations() {
    std::vector<Situation> all;
    for (const Role role : {Role::kHolder, Role::kFirstWaiter, Role::kLastWaiter, Role::kHome}) {
        for (int kind = 0; kind < lock_kinds; kind++) {
            all.push_back({static_cast<LockKind>(kind), false, role});
        }
    }
    all.push_back({LockKind::kReadersWriter, true, Role::kHolder});
    return all;
}

class LockDeaths : public testing::TestWithParam<Situation> {};

TEST_P(LockDeaths, AreToldAsPromised) {
    // Eight are all transports with both ways to wait. Sanitizers see the same code in the deaths of each kind of lock.
    for_each_seed(DETERMINISTIC_SEEDS < 100 ? 1 : std::max(8, DETERMINISTIC_SEEDS / 12),
                  std::max(1, DETERMINISTIC_SEEDS / 40), [](uint64_t seed) { return Death(seed, GetParam()).run(); });
}

INSTANTIATE_TEST_SUITE_P(Product, LockDeaths, testing::ValuesIn(situations()),
                         [](const auto& one) { return name_of(one.param); });

}  // namespace
}  // namespace syncline::deterministic
