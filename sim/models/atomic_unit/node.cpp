// SPDX-License-Identifier: BSD-3-Clause
#include "sim/models/atomic_unit/node.h"

#include <algorithm>

namespace syncline::sim::atomic_unit {

namespace {

Time cycles(const Parameters& parameters, uint64_t count) {
    return from_ns(1000 / parameters.unit.clock_mhz) * count;
}

}  // namespace

Node::Node(Kernel* kernel, const Parameters& parameters, uint32_t index, uint64_t words, Torus* torus,
           NodeClient* client)
    : kernel_(kernel),
      parameters_(parameters.nic),
      pes_per_node_(parameters.processor.per_node),
      index_(index),
      torus_(torus),
      client_(client),
      transmit_time_(std::max(cycles(parameters, parameters.nic.command_cycles), torus->packet_time())),
      receive_time_(cycles(parameters, parameters.nic.receive_cycles)),
      host_latency_(from_ns(parameters.host.latency_ns)),
      memory_(parameters.memory, words),
      host_(kernel, parameters.host, &memory_, this),
      unit_(kernel, parameters.unit, &host_, this) {}

void Node::command(const Packet& packet) {
    commands_++;
    posted_.push_back(packet);
    host_.command(0);
}

void Node::command_arrived(uint64_t /*command*/) {
    commands_here_.push_back(posted_.front());
    posted_.pop_front();
    transmit();
}

// Results go first: no other packet waits for them.
void Node::transmit() {
    if (transmitting_ || (commands_here_.empty() && results_.empty()) || !torus_->room(index_)) {
        return;
    }
    std::deque<Packet>& from = results_.empty() ? commands_here_ : results_;
    const bool command = results_.empty();
    Packet packet = from.front();
    from.pop_front();
    packet.sent = kernel_->now();
    transmitting_ = true;
    kernel_->after(transmit_time_, this, kTransmitted);
    torus_->inject(index_, packet);
    if (command) {
        kernel_->after(host_latency_, this, kCredit);
    }
}

bool Node::reserve() {
    if (reserved_ == parameters_.receive_queue) {
        return false;
    }
    reserved_++;
    return true;
}

void Node::take(const Packet& packet) {
    received_.push_back(packet);
    receive();
}

void Node::receive() {
    if (!receiving_ && !received_.empty()) {
        receiving_ = true;
        kernel_->after(receive_time_, this, kReceived);
    }
}

// Hands on the received packet as soon as its receiver has room.
void Node::deliver() {
    if (!delivering_) {
        return;
    }
    const Packet& packet = received_.front();
    const bool atomic = packet.kind == MessageKind::kAtomic;
    if (atomic ? unit_.full() : host_.full()) {
        return;
    }
    delivering_ = false;
    const Packet delivered = packet;
    received_.pop_front();
    reserved_--;
    receiving_ = false;
    if (atomic) {
        unit_.accept(delivered.request);
    } else {
        messages_.push_back(delivered);
        host_.message(0);
    }
    torus_->ready(index_);
    receive();
}

void Node::host_moved() {
    unit_.host_moved();
    deliver();
}

void Node::message_visible(uint64_t /*message*/) {
    const Packet packet = messages_.front();
    messages_.pop_front();
    if (packet.kind == MessageKind::kPut) {
        client_->completed(index_, packet.request.initiator);
    }
    client_->message(packet.receiver, packet);
}

void Node::operation_done(const Request& request, uint64_t old) {
    if (!request.fetch) {
        client_->completed(index_, request.initiator);
        return;
    }
    Packet packet;
    packet.source = index_;
    packet.target = static_cast<uint32_t>(request.initiator / pes_per_node_);
    packet.kind = MessageKind::kResult;
    packet.receiver = request.initiator;
    packet.request = request;
    packet.request.operand = old;
    results_.push_back(packet);
    transmit();
}

void Node::handle(uint64_t what) {
    switch (what) {
        case kTransmitted:
            transmitting_ = false;
            transmit();
            break;
        case kReceived:
            delivering_ = true;
            deliver();
            break;
        default:
            commands_--;
            client_->room_for_commands(index_);
    }
}

}  // namespace syncline::sim::atomic_unit
