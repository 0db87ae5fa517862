// SPDX-License-Identifier: BSD-3-Clause
#include "sim/models/atomic_unit/torus.h"

#include <algorithm>
#include <bit>
#include <cstdlib>

namespace syncline::sim::atomic_unit {

Dimensions dimensions_of(uint32_t nodes) {
    Dimensions best = {nodes, 1, 1};
    for (uint32_t z = 1; z * z * z <= nodes; z++) {
        for (uint32_t y = z; nodes % z == 0 && z * y * y <= nodes; y++) {
            if (nodes / z % y == 0 && nodes / z / y - z <= best.x - best.z) {
                best = {nodes / z / y, y, z};
            }
        }
    }
    return best;
}

Torus::Torus(Kernel* kernel, const NetworkParameters& parameters, Dimensions dimensions, TorusClient* client)
    : kernel_(kernel),
      dimensions_(dimensions),
      client_(client),
      router_latency_(from_ns(parameters.router_latency_ns)),
      packet_time_(
          transfer_time(parameters.packet_bytes,
                        parameters.link_gbps * (parameters.overhead_included ? 1 : 1 - parameters.link_overhead))),
      buffer_packets_(parameters.buffer_packets),
      routers_(size_t{dimensions.x} * dimensions.y * dimensions.z) {}

uint32_t Torus::coordinate(uint32_t node, uint32_t dimension) const {
    switch (dimension) {
        case 0:
            return node % dimensions_.x;
        case 1:
            return node / dimensions_.x % dimensions_.y;
        default:
            return node / dimensions_.x / dimensions_.y;
    }
}

uint32_t Torus::neighbour(uint32_t node, uint32_t port) const {
    const uint32_t sizes[] = {dimensions_.x, dimensions_.y, dimensions_.z};
    const uint32_t strides[] = {1, dimensions_.x, dimensions_.x * dimensions_.y};
    const uint32_t dimension = port / 2, size = sizes[dimension], here = coordinate(node, dimension);
    const uint32_t there = port % 2 == 0 ? (here + 1) % size : (here + size - 1) % size;
    return node + there * strides[dimension] - here * strides[dimension];
}

// Returns the next step, and whether it passes the end of a ring. Where both ways are equally long, half of the nodes
// take each.
Torus::Hop Torus::route(uint32_t node, uint32_t target) const {
    const uint32_t sizes[] = {dimensions_.x, dimensions_.y, dimensions_.z};
    for (uint32_t dimension = 0; dimension < 3; dimension++) {
        const uint32_t size = sizes[dimension], here = coordinate(node, dimension),
                       there = coordinate(target, dimension);
        const uint32_t ahead = (there + size - here) % size;
        if (ahead == 0) {
            continue;
        }
        const bool up =
            2 * ahead < size || (2 * ahead == size && (here + coordinate(node, (dimension + 1) % 3)) % 2 == 0);
        return {2 * dimension + (up ? 0 : 1), up ? here + 1 == size : here == 0};
    }
    return {local, false};
}

uint32_t Torus::hops(uint32_t from, uint32_t to) const {
    const uint32_t sizes[] = {dimensions_.x, dimensions_.y, dimensions_.z};
    uint32_t sum = 1;  // the router of the source itself
    for (uint32_t dimension = 0; dimension < 3; dimension++) {
        const uint32_t ahead =
            (coordinate(to, dimension) + sizes[dimension] - coordinate(from, dimension)) % sizes[dimension];
        sum += std::min(ahead, sizes[dimension] - ahead);
    }
    return sum;
}

bool Torus::room(uint32_t node) const {
    return routers_[node].reserved[local * channels] < buffer_packets_ &&
           routers_[node].reserved[local * channels + 2] < buffer_packets_;
}

uint32_t Torus::allocate(const Packet& packet) {
    if (free_.empty()) {
        free_.push_back(static_cast<uint32_t>(packets_.size()));
        packets_.emplace_back();
    }
    const uint32_t index = free_.back();
    free_.pop_back();
    packets_[index] = {packet, 0};
    return index;
}

void Torus::inject(uint32_t node, const Packet& packet) {
    const uint32_t input = local * channels + (packet.kind == MessageKind::kResult ? 2 : 0);
    routers_[node].reserved[input]++;
    arrive(node, input, allocate(packet));
}

void Torus::arrive(uint32_t node, uint32_t input, uint32_t packet) {
    Router& router = routers_[node];
    router.queues[input].push_back(packet);
    if (router.queues[input].size() == 1) {
        want(node, input);
    }
}

// Makes the first packet of an input ask for its output.
void Torus::want(uint32_t node, uint32_t input) {
    const uint32_t packet = routers_[node].queues[input].front();
    const uint32_t port = route(node, packets_[packet].packet.target).port;
    routers_[node].wanting[port] |= 1u << input;
    serve(node, port);
}

void Torus::serve(uint32_t node, uint32_t port) {
    Router& router = routers_[node];
    if (router.busy[port] != 0 || router.wanting[port] == 0) {
        return;
    }
    const uint32_t all = router.wanting[port], turn = router.turn[port];
    // Tries the inputs from the turn on, then the inputs before it.
    for (uint32_t round = 0; round < 2; round++) {
        uint32_t left = round == 0 ? all >> turn << turn : all & ((1u << turn) - 1);
        for (; left != 0; left &= left - 1) {
            const auto input = static_cast<uint32_t>(std::countr_zero(left));
            if (send(node, port, input)) {
                router.turn[port] = static_cast<uint8_t>((input + 1) % inputs);
                return;
            }
        }
    }
}

uint32_t Torus::channel_after(const Flight& flight, uint32_t dimension, bool wraps) const {
    const uint32_t first = flight.packet.kind == MessageKind::kResult ? 2 : 0;
    return first + (wraps || (flight.wrapped >> dimension & 1) != 0 ? 1 : 0);
}

// Sends the first packet of `input` on, if there is room for it at the next router.
bool Torus::send(uint32_t node, uint32_t port, uint32_t input) {
    const uint32_t packet = routers_[node].queues[input].front();
    Flight& flight = packets_[packet];
    if (port == local) {
        if (!client_->reserve(node)) {
            return false;
        }
        leave(node, port, input);
        kernel_->after(packet_time_ + router_latency_, this, event(What::kArrive, node, inputs, packet));
        return true;
    }
    const bool wraps = route(node, flight.packet.target).wraps;
    const uint32_t next = neighbour(node, port);
    // The packet comes in by the port that leads back.
    const uint32_t there = (port ^ 1) * channels + channel_after(flight, port / 2, wraps);
    if (routers_[next].reserved[there] == buffer_packets_) {
        return false;
    }
    routers_[next].reserved[there]++;
    flight.wrapped |= static_cast<uint8_t>(wraps ? 1u << (port / 2) : 0);
    leave(node, port, input);
    kernel_->after(router_latency_, this, event(What::kArrive, next, there, packet));
    return true;
}

// The packet begins to cross the output; its place is free when its last byte has left.
void Torus::leave(uint32_t node, uint32_t port, uint32_t input) {
    Router& router = routers_[node];
    router.queues[input].pop_front();
    router.wanting[port] &= ~(1u << input);
    router.busy[port] = 1;
    kernel_->after(packet_time_, this, event(What::kFree, node, port, input));
}

void Torus::handle(uint64_t what) {
    const auto node = static_cast<uint32_t>(what >> 40 & 0x3FFFFF);
    const auto index = static_cast<uint32_t>(what >> 32 & 255);
    const auto rest = static_cast<uint32_t>(what);
    if (static_cast<What>(what >> 62) == What::kArrive) {
        if (index == inputs) {
            const Packet packet = packets_[rest].packet;
            free_.push_back(rest);
            client_->take(node, packet);
        } else {
            arrive(node, index, rest);
        }
        return;
    }
    Router& router = routers_[node];
    router.busy[index] = 0;
    router.reserved[rest]--;
    if (!router.queues[rest].empty()) {
        want(node, rest);
    }
    serve(node, index);
    if (rest / channels == local) {
        client_->can_inject(node);
    } else {
        serve(neighbour(node, rest / channels), (rest / channels) ^ 1);
    }
}

}  // namespace syncline::sim::atomic_unit
