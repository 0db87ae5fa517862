// SPDX-License-Identifier: BSD-3-Clause
// A part of a machine that does one job after the other: a thread, a NIC's processor, a bus, a link.
#pragma once

#include <deque>
#include <functional>
#include <utility>

#include "sim/kernel/kernel.h"

namespace syncline::sim {

class Worker final : public Component {
  public:
    explicit Worker(Kernel* kernel) : kernel_(kernel) {}

    // Queues a job. Once its turn comes, it takes `duration`; then `then` happens, before the next job begins.
    void add(Time duration, std::function<void()> then) {
        waiting_.push_back({duration, std::move(then)});
        begin_next();
    }
    // Queues a job before all jobs that wait.
    void add_next(Time duration, std::function<void()> then) {
        waiting_.push_front({duration, std::move(then)});
        begin_next();
    }

    // The worker stands still until release(), in the middle of a job if there is one.
    void hold() {
        if (!held_ && state_ == State::kWorking) {
            job_.left -= kernel_->now() - began_;
        }
        held_ = true;
        turn_++;
    }
    void release() {
        held_ = false;
        if (state_ == State::kWorking) {
            go_on();
        } else {
            begin_next();
        }
    }

    void handle(uint64_t turn) override {
        if (turn != turn_) {
            return;  // hold() has been called since
        }
        state_ = State::kFinishing;
        std::exchange(job_.then, {})();
        state_ = State::kIdle;
        begin_next();
    }

  private:
    enum class State { kIdle, kWorking, kFinishing };
    struct Job {
        Time left = 0;
        std::function<void()> then;
    };

    void begin_next() {
        if (state_ == State::kIdle && !held_ && !waiting_.empty()) {
            state_ = State::kWorking;
            job_ = std::move(waiting_.front());
            waiting_.pop_front();
            go_on();
        }
    }
    void go_on() {
        began_ = kernel_->now();
        kernel_->after(job_.left, this, ++turn_);
    }

    Kernel* const kernel_;
    std::deque<Job> waiting_;
    Job job_;
    State state_ = State::kIdle;
    bool held_ = false;
    uint64_t turn_ = 0;
    Time began_ = 0;
};

}  // namespace syncline::sim
