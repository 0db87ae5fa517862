// SPDX-License-Identifier: BSD-3-Clause
#include "sim/models/cluster/barrier.h"

#include <algorithm>
#include <bit>

namespace syncline::sim::cluster {

Barrier::Barrier(Machine* machine, const Shape& shape, uint16_t first_kind, std::function<void(uint32_t)> left)
    : machine_(machine),
      shape_(shape),
      first_kind_(first_kind),
      left_(std::move(left)),
      count_(machine->nodes()),
      phases_(static_cast<uint32_t>(std::bit_width(count_ - 1))),
      nodes_(count_) {}

void Barrier::start(uint32_t node) {
    started_++;
    if (shape_.executed_by == ExecutedBy::kNic) {
        machine_->start_nic({.from = node, .to = node, .kind = kind(kToken)});
    } else {
        enter(node);
    }
}

bool Barrier::receive(const Message& message) {
    if (message.kind < first_kind_ || message.kind >= first_kind_ + kinds) {
        return false;
    }
    if (message.kind == kind(kToken)) {
        enter(message.to);
    } else if (message.kind == kind(kStep)) {
        step(message);
    } else {
        leave(message.to);
    }
    return true;
}

void Barrier::enter(uint32_t node) {
    Node& here = nodes_[node];
    here.epoch++;
    here.phase = 0;
    here.waiting = true;
    if (shape_.dimension != 0) {
        gather(node);
    } else {
        emit(node, std::has_single_bit(count_) ? node ^ 1 : (node + 1) % count_, 0, here.epoch);
        exchange(node);
    }
}

void Barrier::step(const Message& message) {
    Node& here = nodes_[message.to];
    const uint32_t parity = message.value & 1;
    if (shape_.dimension == 0) {
        here.heard[parity] |= uint64_t{1} << message.phase;
        if (here.waiting && here.epoch == message.value) {
            exchange(message.to);
        }
    } else if (message.phase == kDown) {
        release(message.to);
    } else {
        here.gathered[parity]++;
        if (here.waiting && here.epoch == message.value) {
            gather(message.to);
        }
    }
}

// Advances the node as far as the messages that it has heard allow.
void Barrier::exchange(uint32_t node) {
    Node& here = nodes_[node];
    uint64_t& heard = here.heard[here.epoch & 1];
    while ((heard >> here.phase & 1) != 0) {
        here.phase++;
        if (here.phase == phases_) {
            heard = 0;
            finish(node);
            return;
        }
        const uint32_t distance = 1u << here.phase;
        emit(node, std::has_single_bit(count_) ? node ^ distance : (node + distance) % count_, here.phase, here.epoch);
    }
}

uint32_t Barrier::children(uint32_t node) const {
    const uint64_t first = shape_.dimension * node + 1;
    return first >= count_ ? 0 : static_cast<uint32_t>(std::min<uint64_t>(shape_.dimension, count_ - first));
}

void Barrier::gather(uint32_t node) {
    Node& here = nodes_[node];
    if (here.gathered[here.epoch & 1] < children(node)) {
        return;
    }
    here.gathered[here.epoch & 1] = 0;
    if (node == 0) {
        release(node);
    } else {
        emit(node, static_cast<uint32_t>((node - 1) / shape_.dimension), kUp, here.epoch);
    }
}

void Barrier::release(uint32_t node) {
    const uint32_t epoch = nodes_[node].epoch;
    finish(node);
    const uint32_t count = children(node);
    for (uint32_t i = 0; i < count; i++) {
        emit(node, static_cast<uint32_t>(shape_.dimension * node + 1 + i), kDown, epoch);
    }
}

void Barrier::finish(uint32_t node) {
    nodes_[node].waiting = false;
    if (shape_.executed_by == ExecutedBy::kNic) {
        machine_->tell_process({.from = node, .to = node, .kind = kind(kDone)});
    } else {
        leave(node);
    }
}

void Barrier::leave(uint32_t node) {
    right_ = right_ && started_ >= uint64_t{count_} * nodes_[node].epoch;
    left_(node);
}

void Barrier::emit(uint32_t from, uint32_t to, uint16_t phase, uint32_t epoch) {
    const Place place = shape_.executed_by == ExecutedBy::kNic ? Place::kNic : Place::kProcess;
    machine_->send(place, place,
                   {.from = from,
                    .to = to,
                    .kind = kind(kStep),
                    .phase = phase,
                    .value = epoch,
                    .bytes = shape_.halving ? shape_.bytes >> (phase + 1) : shape_.bytes});
}

}  // namespace syncline::sim::cluster
