// SPDX-License-Identifier: BSD-3-Clause
// Something that does one job after the other: a processor, a NIC's processor, a link.
#pragma once

#include <deque>
#include <functional>
#include <utility>

#include "sim/kernel.h"

namespace syncline::sim {

class Worker final : public Component {
  public:
    explicit Worker(Kernel* kernel) : kernel_(kernel) {}

    // Takes `duration` once it is its turn; then `then` happens.
    void add(Time duration, std::function<void()> then) {
        jobs_.emplace_back(duration, std::move(then));
        if (jobs_.size() == 1) {
            kernel_->after(duration, this, 0);
        }
    }

    void handle(uint64_t /*what*/) override {
        const std::function<void()> then = std::move(jobs_.front().second);
        jobs_.pop_front();
        if (!jobs_.empty()) {
            kernel_->after(jobs_.front().first, this, 0);
        }
        then();
    }

  private:
    Kernel* const kernel_;
    std::deque<std::pair<Time, std::function<void()>>> jobs_;
};

}  // namespace syncline::sim
