// SPDX-License-Identifier: BSD-3-Clause
// base/os.h over virtual time, linked in the place of src/base/os.cpp. An event's descriptor is -2 - rank: no
// descriptor at all, so every other use of it fails.
#include "base/os.h"

#include "base/clock.h"
#include "tests/deterministic/scheduler.h"
#include "tests/deterministic/world.h"

namespace syncline {

using deterministic::Scheduler;

uint64_t now_ns() {
    Scheduler* const scheduler = Scheduler::active();
    scheduler->step();
    return scheduler->now();
}

void cpu_relax() {
    Scheduler::active()->spin();
}

void yield_cpu() {
    Scheduler::active()->idle();
}

CpuSet allowed_cpus() {
    return {};
}

bool sleep_on(const std::vector<int>&, uint64_t duration_ns) {
    return Scheduler::active()->sleep(duration_ns);
}

// The simulated World hands out the events, by rank.
int make_event() {
    return -1;
}

void signal_event(int fd) {
    deterministic::World::active()->signal(deterministic::rank_of_event(fd));
}

void drain_event(int fd) {
    Scheduler::active()->drain(deterministic::rank_of_event(fd));
}

namespace {

class FibreInBackground final : public Background {
  public:
    explicit FibreInBackground(std::function<void()> body)
        : thread_(Scheduler::active()->start_thread(std::move(body))) {}
    ~FibreInBackground() override { Scheduler::active()->join(*thread_); }

  private:
    std::shared_ptr<Scheduler::Thread> thread_;
};

class FibreDoorbell final : public Doorbell {
  public:
    void ring() override { rung_ = true; }
    void wait() override {
        while (!rung_) {
            Scheduler::active()->idle();
        }
        rung_ = false;
    }

  private:
    bool rung_ = false;
};

}  // namespace

// For pair_steps.c and add_steps.c.
extern "C" void deterministic_before_sum(void* word, uint32_t bytes);
extern "C" void deterministic_pair_begin();
extern "C" void deterministic_pair_step();
extern "C" void deterministic_idle();

void deterministic_before_sum(void* word, uint32_t bytes) {
    deterministic::World::active()->before_sum(static_cast<uint8_t*>(word), bytes);
}

void deterministic_pair_begin() {
    deterministic::World::active()->begin_pair();
}

void deterministic_pair_step() {
    deterministic::World::active()->step_in_pair();
}

void deterministic_idle() {
    Scheduler::active()->idle();
}

std::unique_ptr<Background> run_in_background(std::function<void()> body) {
    return std::make_unique<FibreInBackground>(std::move(body));
}

std::unique_ptr<Doorbell> make_doorbell() {
    return std::make_unique<FibreDoorbell>();
}

void end_process(int) {
    deterministic::World::active()->end_running();
}

}  // namespace syncline
