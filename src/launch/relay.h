// SPDX-License-Identifier: BSD-3-Clause
// Carries the bytes of connections between clients and the server at one TCP port of this network namespace, both ways.
// The clients may be in other network namespaces: their sockets are handed in.
//
// A client may die at any moment, and PMIx 4.2 frees memory twice if a send to a client fails that is just connecting,
// or if several die that are in one fence. So what the server sends to a dead client is lost without an error, and the
// server hears of the death when its job has had the time to end by it, or never.
#pragma once

#include <poll.h>

#include <cstddef>
#include <cstdint>
#include <list>
#include <vector>

#include "base/unique_fd.h"

namespace syncline {

class Relay {
  public:
    explicit Relay(uint16_t port) : port_(port) {}

    void add(UniqueFd client);
    // Two entries for each connection, for poll(); serve() takes them back.
    void append_to(std::vector<pollfd>* polled) const;
    // `polled` begins with this relay's entries.
    void serve(const pollfd* polled);
    // Tells the server of clients that have died long ago; false if none is left that it has to be told of.
    bool tell_of_deaths(uint64_t now);
    // All clients have hung up, and the server has what they have sent.
    bool all_ended() const;

  private:
    struct Side {
        UniqueFd fd;
        std::vector<uint8_t> waiting;  // bytes that it has not taken yet; the other side is not read meanwhile
        bool ended = false;            // it sends no more
    };
    struct Connection {
        Side client;
        Side server;
        uint64_t ended_ns = 0;  // when the client did
        bool told = false;
    };

    bool connect(const Side& client, Side* server) const;
    static void read(Side* from, Side* to);
    static void write(Side* to);
    bool serve(Connection* connection, const pollfd* polled);

    const uint16_t port_;
    std::list<Connection> connections_;
};

}  // namespace syncline
