// SPDX-License-Identifier: BSD-3-Clause
// Method: short programs on shared memory, whose order of events random programs (dsm_test.cpp) seldom have.
//   Beside a barrier  a thread of a process writes under a lock while another thread of that process is in a barrier
//                     already. The next holder of the lock comes to the barrier as the last one, so the write happens
//                     before every return from it: all other processes, which had read the page before, read what was
//                     written. With more than four processes the barrier has boards (dsm/core/notices.h).
//   Signals           a process lets values be seen one after another, each under a lock, and signals each. The others
//                     wait for each of them. No signal between the release of their lock and their wait is lost.
//   Flags             a process sets a flag to one value after another, and the others wait for each of them.
//   Trials            a process tries a lock in vain. As soon as it knows that, the holder releases the lock, and then
//   the
//                     process tries again: the lock is free.
//
// Which seeds are run, and how to replay one: tests/seeds.h.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <memory>
#include <numeric>

#include "base/status.h"
#include "runtime/collective/job_barrier.h"
#include "tests/deterministic/draw.h"
#include "tests/deterministic/dsm_machine.h"
#include "tests/seeds.h"

namespace syncline::deterministic {
namespace {

constexpr uint64_t orders_seeds = 6 + DETERMINISTIC_SEEDS / 8;
constexpr uint64_t orders_time_limit_ns = 100 * ns_per_s;

class OrderRun {
  public:
    OrderRun(uint64_t seed, dsm::Protocol protocol, const std::vector<uint32_t>& ports) : protocol_(protocol) {
        Prng prng(seed * 17);
        options_.ports = ports;
        draw_conditions(&prng, &options_);
        const auto processes = std::accumulate(ports.begin(), ports.end(), 0u);
        home_ = static_cast<uint32_t>(prng.below(processes));
        shape_ = {.processes = processes, .pages = 4, .locks = 2, .handled = protocol != dsm::Protocol::kNic};
        options_.heap_bytes = heap_reserved_bytes + dsm::Layout(shape_).bytes;
        world_ = std::make_unique<World>(seed, options_);
        referee_.doing.assign(processes + 1, "starting");
        referee_.begins = [](uint32_t) {};
        referee_.wrong = [this](const std::string& what) {
            wrong(what);
            world_->end_running();
        };
    }
    virtual ~OrderRun() = default;

    std::string run() {
        if (!world_->run([this](Endpoint* endpoint) { process(endpoint); }, orders_time_limit_ns)) {
            wrong("some process waits for ever");
        }
        return wrong_.empty() ? ""
                              : fmt::format("{} ({} processes, protocol {}, home {})", wrong_, shape_.processes,
                                            static_cast<int>(protocol_), home_);
    }

  protected:
    virtual void use_memory(SimulatedProcess* own, uint32_t rank) = 0;
    SimulatedMachine machine(SimulatedProcess* own, uint32_t actor) { return {world_.get(), own, &referee_, actor}; }
    Scheduler& scheduler() { return world_->scheduler(); }
    void wrong(const std::string& what) { wrong_ += wrong_.empty() ? what : ""; }
    void pause() {
        Prng& prng = scheduler().prng();
        scheduler().compute(1 + prng.below(one_of(&prng, {ns_per_us, 100 * ns_per_us, 3 * ns_per_ms})));
    }

    dsm::Shape shape_ = {};
    uint32_t home_ = 0;  // of a page, if the run says so

  private:
    void check(int status) {
        if (status != SYNCLINE_OK) {
            wrong(fmt::format("a barrier at the end: {}", status_text(status)));
        }
    }
    void process(Endpoint* endpoint) {
        std::vector<uint32_t> all(endpoint->size());
        std::iota(all.begin(), all.end(), 0u);
        BarrierHistory history(endpoint);
        const std::unique_ptr<Barrier> barrier = open_barrier(endpoint, &history, 0, all, {});
        const auto slots =
            static_cast<uint8_t*>(endpoint->memory().local(heap_reserved_bytes + dsm::Layout(shape_).slots));
        {
            SimulatedView view(shape_.pages, slots, {.mappings = 1000, .hides = 0}, &scheduler(), referee_.wrong);
            dsm::SharedMemory shared(
                {endpoint, heap_reserved_bytes, barrier.get(), &view, [this](int) { wrong("shared memory is lost"); }},
                shape_, protocol_);
            SimulatedProcess own = {.shared = &shared, .view = &view};
            use_memory(&own, endpoint->rank());
            check(barrier->pass());
        }
        check(barrier->close());
        JobBarrier leaving(endpoint);
        check(leaving.run());
        leaving.part();
    }

    const dsm::Protocol protocol_;
    WorldOptions options_;
    std::unique_ptr<World> world_;
    SimulatedMachine::Referee referee_;
    std::string wrong_;
};

class WriteBesideABarrier final : public OrderRun {
  public:
    using OrderRun::OrderRun;

  private:
    static constexpr uint32_t writer = 0, next_holder = 1;
    static constexpr uint64_t written = 42;

    void write(SimulatedProcess* own) {
        SimulatedMachine other = machine(own, shape_.processes);
        while (!is_in_barrier_) {
            scheduler().idle();
        }
        pause();
        other.lock(0);
        other.store(0, &written, sizeof written);
        other.unlock(0);
        is_written_ = true;
    }

    void use_memory(SimulatedProcess* own, uint32_t rank) override {
        SimulatedMachine first = machine(own, rank);
        if (rank == 0) {
            own->shared->assign_homes(0, shape_.pages, [this](uint32_t) { return home_; });
        }
        first.barrier();
        uint64_t found = 0;
        first.load(0, &found, sizeof found);
        first.barrier();
        std::shared_ptr<Scheduler::Thread> second;
        if (rank == writer) {
            second = scheduler().start_thread([this, own] { write(own); });
            is_in_barrier_ = true;
        } else if (rank == next_holder) {
            while (!is_written_) {
                pause();
            }
            first.lock(0);
            first.unlock(0);
        }
        first.barrier();
        first.load(0, &found, sizeof found);
        if (found != written) {
            wrong(fmt::format("PE {} finds {} behind the barrier", rank, found));
        }
        first.barrier();
        if (second) {
            scheduler().join(*second);
        }
    }

    bool is_in_barrier_ = false;
    bool is_written_ = false;
};

// A process lets values be seen one after another, and waits until all others have seen each.
class ValuesRun : public OrderRun {
  public:
    using OrderRun::OrderRun;

  private:
    static constexpr uint32_t teller = 0;
    static constexpr uint64_t values = 10;

    virtual void tell(SimulatedMachine* one, uint64_t value) = 0;
    virtual void wait_for(SimulatedMachine* one, uint64_t value) = 0;

    void use_memory(SimulatedProcess* own, uint32_t rank) override {
        SimulatedMachine one = machine(own, rank);
        for (uint64_t value = 1; value <= values; value++) {
            if (rank != teller) {
                wait_for(&one, value);
                seen_++;
                continue;
            }
            pause();
            tell(&one, value);
            while (seen_ < value * (shape_.processes - 1)) {
                scheduler().idle();
            }
        }
        one.barrier();
    }

    uint64_t seen_ = 0;
};

class Signals final : public ValuesRun {
  public:
    using ValuesRun::ValuesRun;

  private:
    void tell(SimulatedMachine* one, uint64_t value) override {
        one->lock(0);
        value_ = value;
        one->unlock(0);
        one->broadcast(0);
    }
    void wait_for(SimulatedMachine* one, uint64_t value) override {
        one->lock(0);
        while (value_ < value) {
            one->wait(0, 0);
        }
        one->unlock(0);
    }

    uint64_t value_ = 0;  // in whose place a program has anything that the lock guards
};

class Flags final : public ValuesRun {
  public:
    using ValuesRun::ValuesRun;

  private:
    void tell(SimulatedMachine* one, uint64_t value) override { one->set_flag(0, value); }
    void wait_for(SimulatedMachine* one, uint64_t value) override {
        if (const uint64_t found = one->wait_for_flag(0, value); found != value) {
            wrong(fmt::format("the flag is {} where it should be {}", found, value));
        }
    }
};

class Trials final : public OrderRun {
  public:
    using OrderRun::OrderRun;

  private:
    static constexpr uint32_t holder = 1;  // the manager of lock 0 is the process 0; the process 2 tries
    static constexpr uint64_t turns = 10;

    void use_memory(SimulatedProcess* own, uint32_t rank) override {
        SimulatedMachine one = machine(own, rank);
        for (uint64_t turn = 1; turn <= turns && rank != 0; turn++) {
            rank == holder ? hold(&one, turn) : try_twice(&one, turn);
        }
        one.barrier();
    }
    void hold(SimulatedMachine* one, uint64_t turn) {
        one->lock(0);
        held_ = turn;
        await(&refused_, turn);
        one->unlock(0);
        released_ = turn;
        await(&tried_, turn);
    }
    void try_twice(SimulatedMachine* one, uint64_t turn) {
        await(&held_, turn);
        if (one->try_lock(0)) {
            wrong("a trial takes a lock that another process holds");
        }
        refused_ = turn;
        await(&released_, turn);
        if (one->try_lock(0)) {
            one->unlock(0);
        } else {
            wrong("a trial of a free lock is refused");
        }
        tried_ = turn;
    }
    void await(const uint64_t* moment, uint64_t turn) {
        while (*moment < turn) {
            scheduler().idle();
        }
    }

    // The turns in which this has happened.
    uint64_t held_ = 0, refused_ = 0, released_ = 0, tried_ = 0;
};

// Each seed has one of the protocols and one of the two layouts.
template <typename Run>
void run_orders(const std::vector<uint32_t>& few, const std::vector<uint32_t>& more) {
    for_each_seed(orders_seeds, orders_seeds / 10, [&](uint64_t seed) {
        constexpr dsm::Protocol protocols[] = {dsm::Protocol::kNic, dsm::Protocol::kArdmar, dsm::Protocol::kAsync};
        return Run(seed, protocols[seed % 3], seed / 3 % 2 == 0 ? few : more).run();
    });
}

TEST(SharedMemoryOrders, ABarrierTellsWhatAThreadBesideItHasWritten) {
    run_orders<WriteBesideABarrier>({1, 2}, {2, 1, 3});
}

TEST(SharedMemoryOrders, NoSignalIsLost) {
    run_orders<Signals>({1, 1}, {2, 1});
}

TEST(SharedMemoryOrders, ATrialOfAFreeLockTakesIt) {
    run_orders<Trials>({1, 1, 1}, {2, 1});
}

TEST(SharedMemoryOrders, NoFlagIsMissed) {
    run_orders<Flags>({1, 1}, {2, 1});
}

}  // namespace
}  // namespace syncline::deterministic
