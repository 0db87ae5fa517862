// SPDX-License-Identifier: BSD-3-Clause
// A node of the machine of Underwood 2008: memory, host bus, NIC with its atomic unit, processors.
#pragma once

#include <deque>
#include <memory>
#include <vector>

#include "sim/models/atomic_unit/atomic_unit.h"
#include "sim/models/atomic_unit/host_interface.h"
#include "sim/models/atomic_unit/memory.h"
#include "sim/models/atomic_unit/model.h"
#include "sim/models/atomic_unit/torus.h"

namespace syncline::sim::atomic_unit {

// The machine, to its nodes.
class NodeClient {
  public:
    // An operation of a processor was executed, or its message delivered, at `node`.
    virtual void completed(uint32_t node, uint32_t initiator) = 0;
    virtual void room_for_commands(uint32_t node) = 0;
    virtual void message(uint32_t receiver, const Packet& packet) = 0;

  protected:
    ~NodeClient() = default;
};

class Node final : public Component, private HostClient, private UnitClient {
  public:
    Node(Kernel* kernel, const Parameters& parameters, uint32_t index, uint64_t words, Torus* torus,
         NodeClient* client);

    // For a processor: says whether it may hand over a command, and takes the command.
    bool takes_commands() const { return commands_ < parameters_.command_queue; }
    void command(const Packet& packet);

    // These calls come from the torus.
    bool reserve();
    void take(const Packet& packet);
    void transmit();

    void handle(uint64_t what) override;

    Memory* memory() { return &memory_; }
    const Memory* memory() const { return &memory_; }
    const AtomicUnit& unit() const { return unit_; }
    const HostInterface& host() const { return host_; }
    bool idle() const { return unit_.idle() && commands_ == 0 && reserved_ == 0 && results_.empty(); }

  private:
    enum Event : uint64_t { kTransmitted, kReceived, kCredit };

    void read_done(uint32_t ticket, uint64_t value) override { unit_.read_done(ticket, value); }
    void write_acknowledged(uint64_t word) override { unit_.write_acknowledged(word); }
    void flushed() override { unit_.flushed(); }
    void host_moved() override;
    void command_arrived(uint64_t command) override;
    void message_visible(uint64_t message) override;
    void operation_done(const Request& request, uint64_t old) override;
    void input_moved() override { deliver(); }

    void receive();
    void deliver();

    Kernel* const kernel_;
    const NicParameters parameters_;
    const uint64_t pes_per_node_;
    const uint32_t index_;
    Torus* const torus_;
    NodeClient* const client_;
    const Time transmit_time_, receive_time_, host_latency_;
    Memory memory_;
    HostInterface host_;
    AtomicUnit unit_;

    std::deque<Packet> posted_;  // commands on the bus
    std::deque<Packet> commands_here_, results_;
    std::deque<Packet> received_;
    std::deque<Packet> messages_;  // messages on the bus to the host
    uint64_t commands_ = 0;        // number of commands that a processor has handed over and the network has not taken
    uint64_t reserved_ = 0;        // number of reserved places of the receive queue
    bool transmitting_ = false, receiving_ = false, delivering_ = false;
};

}  // namespace syncline::sim::atomic_unit
