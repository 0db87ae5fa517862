// SPDX-License-Identifier: BSD-3-Clause
// The connections of a PE to all nodes, and their common work: lists of connections that have packets under way or
// gather posts, bursts, progress and retransmission. The fabric of packets makes all calls under its lock.
#pragma once

#include <algorithm>
#include <memory>
#include <vector>

#include "fabric/packet/connection/connection.h"
#include "fabric/packet/tables.h"
#include "fabric/packet/transport.h"

namespace syncline {

class Links {
  public:
    // `sink` takes packets that arrive; `gathering` receives the number of connections that gather, see Fabric.
    Links(Attachment* attachment, const PacketTables& tables, Transport* transport, Transport::Sink sink,
          uint64_t peer_timeout_ns, size_t* gathering);

    // Returns the connection, which the first call makes; from then on probes find out how long its packets may be. No
    // call waits for that.
    Connection* to_node(uint32_t node);
    // NULL: no packet has been sent to this node yet.
    Connection* known(uint32_t node) const { return connections_[node].get(); }

    // Sends a packet, behind the posts that have gathered for the node. `fill` writes the packet into the slot that it
    // is given, and returns how long the datagram has to be at least. Returns OK; BUSY: no slot is free; _PEER: the
    // node was given up.
    template <typename Fill>
    int send(Connection* connection, Completion* completion, bool runtime, Fill&& fill) {
        flush(connection);
        const int slot = take_slot(connection, runtime);
        if (slot < 0) {
            return slot;
        }
        const auto taken = static_cast<uint32_t>(slot);
        connection->slot(taken).completion = completion;
        completion->raise();
        const uint32_t pad_to = fill(taken);
        start(connection, taken, pad_to);
        return SYNCLINE_OK;
    }
    // From now on posts of one completion fill a packet. Returns as send() does.
    int gather(Connection* connection, Completion* completion);
    void flush(Connection* connection) {
        if (__builtin_expect(connection->posted.slot >= 0, 0)) {
            send_posted(connection);
        }
    }
    void flush_all();
    // Called when there is more to send than a packet holds: longer packets may be possible.
    void ask_for_longer(Connection* connection);
    // While a burst is on, packets may wait for each other. It ends by itself when no slot is free.
    void set_burst(bool on);

    void receive();
    void progress();
    // See Fabric::retry().
    uint64_t retry(uint64_t now);
    bool is_quiet() const;
    void forget(Completion* completion);

  private:
    int take_slot(Connection* connection, bool runtime) {
        const int slot = connection->dead() ? -1 : connection->take_slot(runtime);
        return __builtin_expect(slot >= 0, 1) ? slot : make_room(connection, runtime);
    }
    int make_room(Connection* connection, bool runtime);
    void start(Connection* connection, uint32_t slot, uint32_t pad_to) {
        watch(connection);
        connection->start(slot, pad_to, bursting_ ? Connection::Departure::kInBurst : Connection::Departure::kNow);
    }
    void watch(Connection* connection) {
        SYNCLINE_CHECK(connection->busy == (std::find(busy_.begin(), busy_.end(), connection) != busy_.end()),
                       "node %u, busy %d", connection->node(), connection->busy);
        if (!connection->busy) {
            connection->busy = true;
            busy_.push_back(connection);
        }
    }
    void send_posted(Connection* connection);

    Attachment* const attachment_;
    Transport* const transport_;
    const Transport::Sink sink_;
    const uint64_t peer_timeout_ns_;
    Buffers buffers_;
    std::vector<std::unique_ptr<Connection>> connections_;  // one for each node; NULL before it is needed
    std::vector<Connection*> busy_;                         // connections with packets under way
    std::vector<Connection*> filling_;                      // connections with posted operations that are not sent yet
    size_t* const gathering_;                               // number of connections in filling_
    bool bursting_ = false;                                 // the transport may hold packets back
};

}  // namespace syncline
