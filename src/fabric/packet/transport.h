// SPDX-License-Identifier: BSD-3-Clause
// The contract of a transport: packets to a node, replies from it. A transport is one class that meets it.
//
// A transport may lose, repeat, reorder and damage packets: the firmware's slots and the retransmission of links make
// every operation happen exactly once all the same. It need not be thread-safe: PacketFabric calls it under its lock.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

namespace syncline {

struct TransportCapabilities {
    const char* name;
    bool nic_executed;       // a request is executed without a process on the target node
    bool deposits;           // replies appear in the completions by themselves; poll() never delivers any
    bool pad_gets;           // the executor cannot lengthen a datagram: a get's request must be as long as its reply
    uint32_t retransmit_us;  // first retransmission of an unanswered request
};

class Transport {
  public:
    virtual ~Transport() = default;

    virtual const TransportCapabilities& capabilities() const = 0;

    // Sends one packet to a node, as a datagram of max(length, pad_to) bytes, zero-padded. Returns SYNCLINE_OK, _BUSY
    // (no room now: the packet is sent again later) or _SYSTEM. The packet is copied. Never blocks.
    virtual int send(uint32_t node, const uint8_t* packet, uint32_t length, uint32_t pad_to) = 0;

    // Between the two calls, packets may be held back to be sent together: they stay as they are until the second call.
    // A thread may only wait for packets that have been sent, so it does not wait in between.
    virtual void begin_burst() {}
    virtual void end_burst() {}

    // As send(), for a packet that asks for no reply.
    virtual int tell(uint32_t node, const uint8_t* packet, uint32_t length) { return send(node, packet, length, 0); }

    // Takes packets that have arrived, up to some bound, and hands each to `sink`, which may overwrite it and need not
    // keep it. Returns how many.
    using Sink = std::function<void(uint8_t* packet, uint32_t length)>;
    virtual int poll(const Sink& sink) = 0;

    // Returns whether the kernel has said, since the last call, that a packet to the node was too long: for this node's
    // own link, or for a hop that has sent ICMP. An ICMP packet may be forged, or late, so this is a hint.
    virtual bool was_too_long(uint32_t) { return false; }

    // See Fabric.
    virtual std::string trouble() const { return {}; }

    // Returns descriptors that become readable when poll() has packets; waiting threads block on them.
    virtual std::vector<int> wait_fds() const { return {}; }
};

}  // namespace syncline
