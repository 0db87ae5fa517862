// SPDX-License-Identifier: BSD-3-Clause
// Method: a thread of a process writes under a lock while another thread of that process is in a barrier already. The
// next holder of the lock comes to the barrier as the last one, so the write happens before every return from it.
// Checked: all other processes, which had read the page before, read what was written. With more than four processes
// the barrier has boards (dsm/core/notices.h).
//
// Which seeds are run, and how to replay one: tests/seeds.h.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <memory>
#include <numeric>

#include "base/failure.h"
#include "base/status.h"
#include "runtime/collective/job_barrier.h"
#include "tests/deterministic/draw.h"
#include "tests/deterministic/dsm_machine.h"
#include "tests/seeds.h"

namespace syncline::deterministic {
namespace {

constexpr uint64_t beside_seeds = (DETERMINISTIC_SEEDS + 19) / 20;
constexpr uint64_t beside_time_limit_ns = 100 * ns_per_s;

class WriteBesideABarrier {
  public:
    WriteBesideABarrier(uint64_t seed, dsm::Protocol protocol, const std::vector<uint32_t>& ports)
        : protocol_(protocol) {
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

    std::string run() {
        if (!world_->run([this](Endpoint* endpoint) { process(endpoint); }, beside_time_limit_ns)) {
            wrong("some process waits for ever");
        }
        return wrong_.empty() ? ""
                              : fmt::format("{} ({} processes, protocol {}, home {})", wrong_, shape_.processes,
                                            static_cast<int>(protocol_), home_);
    }

  private:
    static constexpr uint32_t writer = 0, next_holder = 1;
    static constexpr uint64_t written = 42;

    void wrong(const std::string& what) { wrong_ += wrong_.empty() ? what : ""; }
    void pause() {
        Prng& prng = world_->scheduler().prng();
        world_->scheduler().compute(1 + prng.below(one_of(&prng, {ns_per_us, 100 * ns_per_us, 3 * ns_per_ms})));
    }

    void write(SimulatedProcess* own) {
        SimulatedMachine machine(world_.get(), own, &referee_, shape_.processes);
        while (!is_in_barrier_) {
            world_->scheduler().idle();
        }
        pause();
        machine.lock(0);
        machine.store(0, &written, sizeof written);
        machine.unlock(0);
        is_written_ = true;
    }

    void use_memory(SimulatedProcess* own, uint32_t rank) {
        SimulatedMachine machine(world_.get(), own, &referee_, rank);
        if (rank == 0) {
            own->shared->assign_homes(0, shape_.pages, [this](uint32_t) { return home_; });
        }
        machine.barrier();
        uint64_t found = 0;
        machine.load(0, &found, sizeof found);
        machine.barrier();
        std::shared_ptr<Scheduler::Thread> other;
        if (rank == writer) {
            other = world_->scheduler().start_thread([this, own] { write(own); });
            is_in_barrier_ = true;
        } else if (rank == next_holder) {
            while (!is_written_) {
                pause();
            }
            machine.lock(0);
            machine.unlock(0);
        }
        machine.barrier();
        machine.load(0, &found, sizeof found);
        if (found != written) {
            wrong(fmt::format("PE {} finds {} behind the barrier", rank, found));
        }
        machine.barrier();
        if (other) {
            world_->scheduler().join(*other);
        }
    }

    void process(Endpoint* endpoint) {
        const uint32_t rank = endpoint->rank();
        std::vector<uint32_t> all(endpoint->size());
        std::iota(all.begin(), all.end(), 0u);
        BarrierHistory history(endpoint);
        const std::unique_ptr<Barrier> barrier = open_barrier(endpoint, &history, 0, all, {});
        const auto slots =
            static_cast<uint8_t*>(endpoint->memory().local(heap_reserved_bytes + dsm::Layout(shape_).slots));
        {
            SimulatedView view(shape_.pages, slots, {.mappings = 1000, .hides = 0}, &world_->scheduler(),
                               referee_.wrong);
            dsm::SharedMemory shared(
                {endpoint, heap_reserved_bytes, barrier.get(), &view, [this](int) { wrong("shared memory is lost"); }},
                shape_, protocol_);
            SimulatedProcess own = {.shared = &shared, .view = &view};
            use_memory(&own, rank);
            (void)barrier->pass();
        }
        (void)barrier->close();
        JobBarrier leaving(endpoint);
        (void)leaving.run();
        leaving.part();
    }

    const dsm::Protocol protocol_;
    WorldOptions options_;
    dsm::Shape shape_ = {};
    uint32_t home_ = 0;
    std::unique_ptr<World> world_;
    SimulatedMachine::Referee referee_;
    bool is_in_barrier_ = false;
    bool is_written_ = false;
    std::string wrong_;
};

TEST(SharedMemoryBarrier, TellsWhatAThreadBesideItHasWritten) {
    for (const dsm::Protocol protocol : {dsm::Protocol::kNic, dsm::Protocol::kArdmar, dsm::Protocol::kAsync}) {
        for (const std::vector<uint32_t>& ports : {std::vector<uint32_t>{1, 2}, {2, 1, 3}}) {
            for_each_seed(beside_seeds, beside_seeds / 10,
                          [&](uint64_t seed) { return WriteBesideABarrier(seed, protocol, ports).run(); });
        }
    }
}

}  // namespace
}  // namespace syncline::deterministic
