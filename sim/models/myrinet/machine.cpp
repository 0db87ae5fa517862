// SPDX-License-Identifier: BSD-3-Clause
#include "sim/models/myrinet/machine.h"

#include <cstring>

namespace syncline::sim::myrinet {

namespace {

uint8_t kind_of(const Node::Bytes& packet) {
    slw_header header;
    std::memcpy(&header, packet.data(), sizeof(header));
    return header.kind;
}

// Deletes itself at its end.
struct Delay final : Component {
    explicit Delay(Machine::Then what) : then(std::move(what)) {}
    void handle(uint64_t /*what*/) override {
        const std::unique_ptr<Delay> self(this);
        then();
    }
    Machine::Then then;
};

}  // namespace

Machine::Machine(const Parameters& parameters, Client* client) : p_(parameters), client_(client) {
    for (uint32_t i = 0; i < p_.workload.nodes; i++) {
        nodes_.push_back(std::make_unique<Node>(&kernel_, i, p_));
    }
}

void Machine::after(double ns, Then then) {
    kernel_.after(from_ns(ns), std::make_unique<Delay>(std::move(then)).release(), 0);
}

void Machine::request(uint32_t from, const Node::Access& access) {
    send_from_host(from, access.target, nodes_[from]->request(access));
}

void Machine::send_all(uint32_t node, const std::vector<Node::Outgoing>& outgoing) {
    for (const Node::Outgoing& message : outgoing) {
        if (nic()) {
            send_from_nic(node, message.to, message.packet);
        } else {
            send_from_host(node, message.to, message.packet);
        }
    }
}

void Machine::send_from_host(uint32_t node, uint32_t to, const Bytes& packet) {
    nodes_[node]->host.run(from_ns(p_.host.send_ns), [this, node, to, packet] { send_through_nic(node, to, packet); });
}

// Sends a message of the host: through SDMA, the bus and SEND.
void Machine::send_through_nic(uint32_t node, uint32_t to, const Bytes& packet) {
    nodes_[node]->lanai.add(cycles(p_.lanai.sdma_cycles), [this, node, to, packet] {
        nodes_[node]->dma.add(from_ns(p_.host.dma_ns), [this, node, to, packet] {
            nodes_[node]->lanai.add(cycles(p_.lanai.send_cycles),
                                    [this, node, to, packet] { cross(node, to, packet); });
        });
    });
}

void Machine::send_from_nic(uint32_t node, uint32_t to, const Bytes& packet) {
    nodes_[node]->lanai.add(cycles(p_.lanai.nic_send_cycles), [this, node, to, packet] { cross(node, to, packet); });
}

void Machine::cross(uint32_t node, uint32_t to, const Bytes& packet) {
    messages_++;
    nodes_[node]->wire.add(from_ns(p_.network.wire_ns), [this, node, to, packet] { arrive(node, to, packet); });
}

void Machine::arrive(uint32_t from, uint32_t node, const Bytes& packet) {
    if (nic() && kind_of(packet) != SLW_REPLY) {
        nodes_[node]->lanai.add(cycles(p_.lanai.nic_receive_cycles),
                                [this, from, node, packet] { execute_at_nic(from, node, packet); });
    } else {
        nodes_[node]->lanai.add(cycles(p_.lanai.receive_cycles + p_.lanai.rdma_cycles),
                                [this, from, node, packet] { bring_to_host(from, node, packet); });
    }
}

void Machine::execute_at_nic(uint32_t from, uint32_t node, const Bytes& packet) {
    if (kind_of(packet) != SLW_REQUEST) {
        send_all(node, execute(from, node, packet));
        return;
    }
    const double fetching = p_.host.dma_ns * static_cast<double>(p_.lanai.atomic_dma_transfers);
    nodes_[node]->dma.add(from_ns(fetching), [this, from, node, packet] {
        send_all(node, execute(from, node, packet));
        nodes_[node]->dma.add_next(from_ns(p_.host.dma_ns), [this, node] { notice(node); });
    });
}

void Machine::bring_to_host(uint32_t from, uint32_t node, const Bytes& packet) {
    nodes_[node]->dma.add(from_ns(p_.host.dma_ns), [this, from, node, packet] {
        const Time receiving = from_ns(p_.host.receive_ns);
        if (kind_of(packet) == SLW_REQUEST) {
            nodes_[node]->host.serve(receiving, [this, from, node, packet] { execute_by_server(from, node, packet); });
        } else {
            nodes_[node]->host.run(receiving, [this, from, node, packet] { execute_by_main(from, node, packet); });
        }
    });
}

void Machine::execute_by_main(uint32_t from, uint32_t node, const Bytes& packet) {
    send_all(node, execute(from, node, packet));
    if (kind_of(packet) == SLW_REPLY) {
        client_->replied(node);
    }
}

void Machine::execute_by_server(uint32_t from, uint32_t node, const Bytes& packet) {
    for (const Node::Outgoing& message : execute(from, node, packet)) {
        nodes_[node]->host.serve_on(from_ns(p_.host.send_ns),
                                    [this, node, message] { send_through_nic(node, message.to, message.packet); });
    }
    notice(node);
}

std::vector<Node::Outgoing> Machine::execute(uint32_t from, uint32_t node, const Bytes& packet) {
    std::vector<Node::Outgoing> outgoing = nodes_[node]->execute(from, packet);
    client_->executed(node);
    return outgoing;
}

// The main thread looks at its memory as soon as it has time.
void Machine::notice(uint32_t node) {
    nodes_[node]->host.run(0, [this, node] { client_->changed(node); });
}

Results Machine::results(Time end, bool right) const {
    const auto repeats = static_cast<double>(p_.workload.repeats);
    Results results;
    results.add("latency_us", to_us(end) / repeats);
    results.add("right", right);
    results.add("messages_each", static_cast<double>(messages_) / repeats);
    results.add("events", static_cast<int64_t>(kernel_.events()));
    return results;
}

}  // namespace syncline::sim::myrinet
