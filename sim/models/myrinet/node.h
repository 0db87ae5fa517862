// SPDX-License-Identifier: BSD-3-Clause
// A node of the Myrinet model: the firmware's tables, and the processors that may run it.
#pragma once

#include <optional>
#include <vector>

#include "firmware/native.h"
#include "firmware/records.h"
#include "sim/models/myrinet/host.h"

namespace syncline::sim::myrinet {

class Node {
  public:
    using Bytes = std::vector<uint8_t>;
    struct Outgoing {
        uint32_t to;
        Bytes packet;
    };

    // A remote access of 8 bytes to the word with this number of a node.
    struct Access {
        uint8_t code;  // operation of wire.h, without its width
        uint32_t target, word;
        uint64_t operand, comparand;
    };

    Node(Kernel* kernel, uint32_t index, const Parameters& parameters);
    Node(const Node&) = delete;
    Node& operator=(const Node&) = delete;

    void open_barrier(uint32_t dimension);
    // Starts the next epoch, and returns the messages that the firmware sends.
    std::vector<Outgoing> start_barrier();
    bool barrier_complete() const;
    uint32_t epoch() const { return epoch_; }

    // Returns the packet of an access. One access is under way at a time.
    Bytes request(const Access& access);
    // Returns the word's value before the last access, 0 if the access does not fetch; nothing while there is no reply.
    // Throws Failure if the target has refused the access.
    std::optional<uint64_t> reply();
    // Has the firmware execute a packet that came from `from`. Returns the packets that the firmware sends; a reply is
    // among them.
    std::vector<Outgoing> execute(uint32_t from, const Bytes& packet);
    // Returns a word of the node's memory, which others access.
    uint64_t& word(uint32_t number) { return memory_[number]; }

    Host host;
    Worker lanai, dma, wire;

  private:
    const uint32_t index_, nodes_;
    fw_config config_ = {};
    uint16_t rank_ = 0;
    Records records_;
    std::vector<fw_segment> segments_;
    std::vector<uint8_t*> bases_;
    std::vector<uint64_t> memory_;
    std::vector<uint64_t> completion_;  // one access is under way at a time
    fw_completion* completion_base_;
    std::vector<fw_port> ports_;
    std::vector<fw_barrier> barriers_;
    fw_counters counters_ = {};
    fw_target nic_ = {};
    std::vector<Outgoing> emitted_;
    uint32_t epoch_ = 0;
    uint32_t sequence_ = 0, target_ = 0;  // sequence and target of the last access
};

}  // namespace syncline::sim::myrinet
