// SPDX-License-Identifier: BSD-3-Clause
#include "sim/kernel/kernel.h"

#include <algorithm>
#include <cassert>

#include "base/failure.h"

namespace syncline::sim {

void Kernel::at(Time when, Component* target, uint64_t what) {
    assert(when >= now_);
    const Event event = {when, order_++, target, what};
    size_t hole = heap_.size();
    heap_.push_back(event);
    while (hole > 0 && event < heap_[(hole - 1) / arity]) {
        heap_[hole] = heap_[(hole - 1) / arity];
        hole = (hole - 1) / arity;
    }
    heap_[hole] = event;
}

bool Kernel::step() {
    if (heap_.empty()) {
        return false;
    }
    const Event first = heap_.front();
    const Event last = heap_.back();
    heap_.pop_back();
    if (!heap_.empty()) {
        sift_down(last);
    }
    now_ = first.time;
    first.target->handle(first.what);
    return true;
}

void Kernel::check(bool complete) const {
    if (!complete) {
        fail(SYNCLINE_ERR_SYSTEM, "the simulated machine has come to a halt after {:.3f} us", to_us(now_));
    }
}

// Puts `event` into the place of the root, which has been taken.
void Kernel::sift_down(const Event& event) {
    size_t hole = 0;
    for (size_t child = 1; child < heap_.size(); child = arity * hole + 1) {
        const size_t end = std::min(child + arity, heap_.size());
        size_t least = child;
        for (size_t i = child + 1; i < end; i++) {
            least = heap_[i] < heap_[least] ? i : least;
        }
        if (event < heap_[least]) {
            break;
        }
        heap_[hole] = heap_[least];
        hole = least;
    }
    heap_[hole] = event;
}

}  // namespace syncline::sim
