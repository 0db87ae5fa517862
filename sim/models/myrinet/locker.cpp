// SPDX-License-Identifier: BSD-3-Clause
#include "sim/models/myrinet/locker.h"

#include <utility>

namespace syncline::sim {

void LockWitness::tail(uint64_t value) {
    if (value != tail_ && value != 0) {
        queue_.push_back(value);
    }
    tail_ = value;
}

void LockWitness::enter(uint32_t node) {
    right_ = right_ && inside_ == 0 && !queue_.empty() && queue_.front() == node;
    inside_ = node;
}

void LockWitness::leave(uint32_t node) {
    right_ = right_ && inside_ == node;
    inside_ = 0;
    if (!queue_.empty()) {
        queue_.pop_front();
    }
}

void Locker::run(std::function<bool()> again) {
    again_ = std::move(again);
    begin();
}

void Locker::begin() {
    if (again_()) {
        acquire();
    }
}

void Locker::acquire() {
    began_ = machine_->kernel().now();
    word(kNext) = 0;
    access({SLW_SWAP | SLW_FETCH, home, kTail, node_, 0}, [this](uint64_t before) {
        if (before == 0) {
            enter();
        } else {
            queue_behind(static_cast<uint32_t>(before));
        }
    });
}

void Locker::queue_behind(uint32_t predecessor) {
    word(kLocked) = 1;
    put(predecessor, kNext, node_, [this] { await([this] { return word(kLocked) == 0; }, [this] { enter(); }); });
}

void Locker::enter() {
    witness_->enter(node_);
    locking_ += machine_->kernel().now() - began_;
    machine_->after(machine_->parameters().delay_ns, [this] { release(); });
}

void Locker::release() {
    began_ = machine_->kernel().now();
    witness_->leave(node_);
    if (word(kNext) != 0) {
        hand_over();
    } else {
        access({SLW_CAS | SLW_FETCH, home, kTail, 0, node_}, [this](uint64_t before) { leave_alone(before == node_); });
    }
}

void Locker::leave_alone(bool was_last) {
    if (was_last) {
        finish();
    } else {
        await([this] { return word(kNext) != 0; }, [this] { hand_over(); });
    }
}

void Locker::hand_over() {
    put(static_cast<uint32_t>(word(kNext)), kLocked, 0, [this] { finish(); });
}

void Locker::finish() {
    locking_ += machine_->kernel().now() - began_;
    sections_++;
    machine_->after(machine_->parameters().delay_ns, [this] { begin(); });
}

void Locker::access(const MyrinetNode::Access& access, std::function<void(uint64_t)> then) {
    on_reply_ = std::move(then);
    machine_->request(node_, access);
}

void Locker::put(uint32_t target, Word which, uint64_t value, Then then) {
    access({SLW_SWAP, target, which, value, 0}, [then = std::move(then)](uint64_t /*before*/) { then(); });
}

void Locker::await(std::function<bool()> condition, Then then) {
    condition_ = std::move(condition);
    on_condition_ = std::move(then);
    changed();
}

void Locker::replied() {
    if (const std::optional<uint64_t> before = machine_->node(node_).reply(); before && on_reply_) {
        std::exchange(on_reply_, {})(*before);
    }
}

void Locker::changed() {
    if (condition_ && condition_()) {
        condition_ = {};
        std::exchange(on_condition_, {})();
    }
}

}  // namespace syncline::sim
