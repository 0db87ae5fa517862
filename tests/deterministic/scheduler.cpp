// SPDX-License-Identifier: BSD-3-Clause
#include "tests/deterministic/scheduler.h"

#include <algorithm>
#include <cassert>
#include <cstdlib>

#include "base/clock.h"

namespace syncline::deterministic {
namespace {

constexpr uint64_t moment_ns = 200;
constexpr uint32_t spins_of_a_moment = 32;
constexpr uint64_t preempted_ns_max = 2 * ns_per_ms;
Scheduler* active_scheduler = nullptr;

// How long the n-th look in vain in a row takes: an idle hour must not cost an hour of looks.
uint64_t idle_ns(uint32_t looks) {
    return looks < 64 ? 2 * ns_per_us : looks < 128 ? 20 * ns_per_us : looks < 256 ? 100 * ns_per_us : 500 * ns_per_us;
}

}  // namespace

struct Scheduler::Task {
    Task(uint32_t owner, Action body) : process(owner), fibre(std::move(body)) {}
    const uint32_t process;
    Fibre fibre;
    uint64_t number = 0;  // of its last schedule: earlier ones are void
    uint64_t when = 0;
    uint32_t looks = 0;
    uint32_t spins = 0;
    bool idle = false;
    bool sleeping = false;
};

class Scheduler::Thread {
  public:
    explicit Thread(const Task* task) : task_(task) {}
    bool ended() const { return task_->fibre.ended(); }

  private:
    const Task* const task_;
};

Scheduler::Scheduler(uint64_t seed, uint32_t processes, uint32_t preemption)
    : prng_(seed), preemption_(preemption), processes_(processes) {
    assert(active_scheduler == nullptr);
    active_scheduler = this;
}

Scheduler::~Scheduler() {
    active_scheduler = nullptr;
}

Scheduler* Scheduler::active() {
    return active_scheduler;
}

uint32_t Scheduler::running() const {
    return running_->process;
}

void Scheduler::note(uint64_t what) {
    digest_ = (digest_ ^ what ^ now_ << 8) * 0x9E3779B97F4A7C15u;
    digest_ ^= digest_ >> 29;
}

void Scheduler::at(uint64_t when, Action action) {
    uint64_t place = actions_.size();
    if (spare_actions_.empty()) {
        actions_.push_back(std::move(action));
    } else {
        place = spare_actions_.back();
        spare_actions_.pop_back();
        actions_[place] = std::move(action);
    }
    events_.push({std::max(when, now_), order_++, nullptr, place});
}

void Scheduler::spawn(uint32_t process, Action body) {
    tasks_.push_back(std::make_unique<Task>(process, std::move(body)));
    processes_[process].tasks.push_back(tasks_.back().get());
    living_++;
    schedule(tasks_.back().get(), now_ + prng_.below(moment_ns));
}

void Scheduler::schedule(Task* task, uint64_t when) {
    task->when = when;
    events_.push({when, order_++, task, ++task->number});
}

void Scheduler::run_task(Task* task) {
    note(task->process);
    running_ = task;
    resuming_(task->process);
    task->fibre.resume();
    running_ = nullptr;
    living_ -= task->fibre.ended() ? 1 : 0;
}

bool Scheduler::run(uint64_t time_limit) {
    while (living_ != 0 && !events_.empty() && !stopped_) {
        const Event event = events_.top();
        events_.pop();
        if (event.task != nullptr && (processes_[event.task->process].dead || event.number != event.task->number)) {
            continue;
        }
        if (event.when > time_limit) {
            return false;
        }
        now_ = event.when;
        if (event.task != nullptr) {
            run_task(event.task);
        } else {
            note(UINT32_MAX);
            const Action action = std::move(actions_[event.number]);
            spare_actions_.push_back(event.number);
            action();
        }
    }
    return living_ == 0;
}

void Scheduler::stop_if_dead() {
    if (processes_[running_->process].dead) {
        running_->fibre.suspend();
        std::abort();  // a dead process would go on
    }
}

void Scheduler::go_on_at(uint64_t when) {
    if (events_.empty() || when < events_.top().when) {
        now_ = when;
        return;
    }
    schedule(running_, when);
    running_->fibre.suspend();
}

void Scheduler::compute(uint64_t ns) {
    if (running_ == nullptr) {
        return;
    }
    Process& process = processes_[running_->process];
    if (++process.steps >= process.action_at) {
        process.action_at = UINT64_MAX;
        process.action();
    }
    stop_if_dead();
    go_on_at(now_ + ns + std::exchange(process.stopped_for, 0));
}

void Scheduler::step() {
    const bool preempted = preemption_ != 0 && prng_.below(preemption_) == 0;
    compute(20 + prng_.below(preempted ? preempted_ns_max : moment_ns));
}

void Scheduler::spin() {
    if (running_ != nullptr && ++running_->spins % spins_of_a_moment == 0) {
        compute(prng_.below(spins_of_a_moment * 100));
    }
}

void Scheduler::idle() {
    if (running_ == nullptr) {
        return;
    }
    Task* const self = running_;
    const uint64_t pause = idle_ns(self->looks++);
    self->idle = true;
    compute(pause / 2 + prng_.below(pause));
    self->idle = false;
}

bool Scheduler::sleep(uint64_t ns) {
    if (running_ == nullptr || processes_[running_->process].signalled) {
        return running_ != nullptr;
    }
    Task* const self = running_;
    self->sleeping = true;
    compute(ns);
    self->sleeping = false;
    return processes_[self->process].signalled;
}

std::shared_ptr<Scheduler::Thread> Scheduler::start_thread(Action body) {
    assert(running_ != nullptr);
    spawn(running_->process, std::move(body));
    return std::make_shared<Thread>(tasks_.back().get());
}

void Scheduler::join(const Thread& thread) {
    while (!thread.ended()) {
        idle();
    }
}

void Scheduler::knock(uint32_t process) {
    for (Task* const task : processes_[process].tasks) {
        task->looks = 0;
        const uint64_t soon = now_ + prng_.below(moment_ns * 4);
        if (task != running_ && task->idle && task->when > soon) {
            schedule(task, soon);
        }
    }
}

void Scheduler::signal(uint32_t process) {
    processes_[process].signalled = true;
    for (Task* const task : processes_[process].tasks) {
        if (task->sleeping && task->when > now_) {
            schedule(task, now_ + prng_.below(moment_ns * 20));
        }
    }
    knock(process);
}

void Scheduler::kill(uint32_t process) {
    if (std::exchange(processes_[process].dead, true)) {
        return;
    }
    for (const Task* const task : processes_[process].tasks) {
        living_ -= task->fibre.ended() ? 0 : 1;
    }
}

void Scheduler::at_step(uint32_t process, uint64_t step, Action action) {
    processes_[process].action_at = step;
    processes_[process].action = std::move(action);
}

}  // namespace syncline::deterministic
