// SPDX-License-Identifier: BSD-3-Clause
#include "sim/models/atomic_unit/processor.h"

#include <algorithm>

namespace syncline::sim::atomic_unit {

Processor::Processor(Kernel* kernel, const Parameters& parameters, Node* node, Stream* stream)
    : kernel_(kernel),
      issue_time_(from_ns(parameters.processor.issue_ns)),
      apply_time_(from_ns(parameters.processor.apply_ns)),
      outstanding_most_(parameters.workload.outstanding),
      node_(node),
      stream_(stream),
      item_(stream->next()) {}

void Processor::wake() {
    if (!busy_) {
        busy_ = true;
        kernel_->after(0, this, kTurn);
    }
}

void Processor::busy_until(Time time) {
    busy_ = true;
    kernel_->at(time, this, kTurn);
}

// Meanwhile the processor takes messages that arrive.
void Processor::wait_until(Time time) {
    if (!waiting_) {
        waiting_ = true;
        kernel_->at(time, this, kItsTime);
    }
}

void Processor::completed() {
    outstanding_--;
    completions_++;
    last_completion_ = kernel_->now();
    latencies_ += kernel_->now() - issued_at_.front();  // the mean does not depend on which operation this was
    issued_at_.pop_front();
    wake();
}

void Processor::message(const Packet& packet) {
    received_.push_back(packet);
    wake();
}

void Processor::handle(uint64_t what) {
    (what == kTurn ? busy_ : waiting_) = false;
    if (!busy_ && !apply_one()) {
        issue_one();
    }
}

// Misses overlap, so an update takes the processor's time, or its share of the memory's bandwidth if that is more.
void Processor::apply(const Packet& packet) {
    Memory* const memory = node_->memory();
    memory->store(packet.request.word, atomic_unit::apply(packet.request, memory->load(packet.request.word)));
    const Time accessed = memory->access(kernel_->now()) - memory->latency();
    applied_++;
    last_applied_ = std::max(kernel_->now() + apply_time_, accessed);
    busy_until(last_applied_);
}

bool Processor::apply_one() {
    if (received_.empty()) {
        return false;
    }
    const Packet packet = received_.front();
    received_.pop_front();
    if (packet.kind == MessageKind::kResult) {
        completed();
        return true;
    }
    apply(packet);
    return true;
}

bool Processor::issue_one() {
    if (!item_) {
        return false;
    }
    if (kernel_->now() < item_->not_before) {
        wait_until(item_->not_before);
        return false;
    }
    if (!item_->own && (outstanding_ == outstanding_most_ || !node_->takes_commands())) {
        return false;
    }
    const Stream::Item item = *item_;
    item_ = stream_->next();
    issued_++;
    if (item.own) {
        apply(item.packet);
        return true;
    }
    outstanding_++;
    issued_at_.push_back(kernel_->now());
    node_->command(item.packet);
    busy_until(kernel_->now() + issue_time_);
    return true;
}

}  // namespace syncline::sim::atomic_unit
