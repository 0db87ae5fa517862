// SPDX-License-Identifier: BSD-3-Clause
// The connections of a PE to all nodes, and what they have in common: which have packets out, which gather, bursts,
// progress and retransmission. The fabric of packets calls all of it under its lock.
#pragma once

#include <memory>
#include <vector>

#include "fabric/packet/connection/connection.h"
#include "fabric/packet/transport.h"
#include "job/attachment.h"

namespace syncline {

class Links {
  public:
    // `sink` takes packets that arrive; `gathering`: where to say how many connections gather, see Fabric.
    Links(Attachment* attachment, Transport* transport, Transport::Sink sink, uint64_t peer_timeout_ns,
          size_t* gathering);

    Connection* to_node(uint32_t node) const { return connections_[node].get(); }

    // A free slot, or SYNCLINE_ERR_BUSY, or _PEER where the node was given up.
    int take_slot(Connection* connection, bool runtime);
    void start(Connection* connection, uint32_t slot, uint32_t pad_to);
    // The slot's packet is filled by posts of one completion from now on.
    void gather(Connection* connection, uint32_t slot, Completion* completion);
    void flush(Connection* connection);
    void flush_all();
    // Between the two calls packets may wait for each other. take_slot() ends it where it returns an error.
    void set_burst(bool on);

    void receive();
    void progress();
    // See Fabric::retry().
    uint64_t retry(uint64_t now);
    bool is_quiet() const { return busy_.empty(); }
    void forget(Completion* completion);

  private:
    Transport* const transport_;
    const Transport::Sink sink_;
    const uint64_t peer_timeout_ns_;
    std::vector<std::unique_ptr<Connection>> connections_;  // per node
    std::vector<Connection*> busy_;                         // with packets out
    std::vector<Connection*> filling_;                      // with posted operations not sent yet
    size_t* const gathering_;                               // how many these are
    bool bursting_ = false;                                 // the transport may hold packets back
};

}  // namespace syncline
