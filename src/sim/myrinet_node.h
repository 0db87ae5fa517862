// SPDX-License-Identifier: BSD-3-Clause
// A node of the Myrinet model: the firmware's tables, and the two processors that may run it.
#pragma once

#include <memory>
#include <vector>

#include "firmware/native.h"
#include "sim/myrinet.h"
#include "sim/worker.h"

namespace syncline::sim {

class MyrinetNode {
  public:
    using Bytes = std::vector<uint8_t>;
    struct Outgoing {
        uint32_t to;
        Bytes packet;
    };

    MyrinetNode(Kernel* kernel, uint32_t index, uint32_t nodes);
    MyrinetNode(const MyrinetNode&) = delete;
    MyrinetNode& operator=(const MyrinetNode&) = delete;

    void open_barrier(uint32_t dimension);
    // Starts the next epoch. What the firmware sends is in the return value.
    std::vector<Outgoing> start_barrier();
    bool barrier_complete() const;
    uint32_t epoch() const { return epoch_; }

    // A compare&swap of this node's first word at `target`, from its value to the next.
    Bytes compare_swap(uint32_t target);
    // The firmware executes a packet that came from `from`; a reply is among what it sends.
    std::vector<Outgoing> execute(uint32_t from, const Bytes& packet);
    // The compare&swap has come back, with the value that was expected.
    bool succeeded() const;
    uint64_t word() const { return memory_[0]; }

    Worker host, lanai, wire;

  private:
    const uint32_t index_, nodes_;
    fw_config config_ = {};
    std::vector<fw_slot> slots_;
    std::vector<fw_segment> segments_;
    std::vector<uint8_t*> bases_;
    std::vector<uint64_t> memory_;
    std::vector<fw_completion> completions_;
    std::vector<fw_completion*> completion_bases_;
    std::vector<fw_port> ports_;
    std::vector<fw_barrier> barriers_;
    fw_counters counters_ = {};
    fw_nic nic_ = {};
    std::vector<Outgoing> emitted_;
    uint32_t epoch_ = 0;
    uint32_t sequence_ = 0;
};

}  // namespace syncline::sim
