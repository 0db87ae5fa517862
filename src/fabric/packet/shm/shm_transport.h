// SPDX-License-Identifier: BSD-3-Clause
// The packet path of shm: the initiator executes the request itself, on the tables and memory that all PEs of the node
// map.
//
// PEs of one node normally do not come here: they use loads, stores and CPU atomics on the mapped segments. The fault
// wrapper and the contract tests use this path, with real concurrency between processes.
#pragma once

#include <deque>
#include <vector>

#include "fabric/node/local_memory.h"
#include "fabric/packet/tables.h"
#include "fabric/packet/transport.h"
#include "firmware/native.h"

namespace syncline {

class ShmTransport final : public Transport {
  public:
    ShmTransport(Attachment* attachment, const PacketTables& tables, LocalMemory* memory);

    static constexpr TransportCapabilities own = {
        .name = "shm", .nic_executed = true, .deposits = false, .pad_gets = false, .retransmit_us = 500};
    const TransportCapabilities& capabilities() const override { return own; }
    int send(uint32_t node, const uint8_t* packet, uint32_t length, uint32_t pad_to) override;
    int poll(const Sink& sink) override;

  private:
    std::vector<fw_completion*> no_completions_;  // replies are taken in as those of any other transport
    fw_counters counters_ = {};
    fw_target target_ = {};
    std::deque<std::vector<uint8_t>> replies_;
};

}  // namespace syncline
