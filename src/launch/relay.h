// SPDX-License-Identifier: BSD-3-Clause
// Carries the bytes of connections between clients and one TCP port of this network namespace, both ways, until one
// side hangs up. The clients may be in other network namespaces: their sockets are handed in.
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

    // Connects it, or hangs up.
    void add(UniqueFd client);
    // Two entries for each connection, for poll(); serve() takes them back.
    void append_to(std::vector<pollfd>* polled) const;
    // `polled` begins with this relay's entries.
    void serve(const pollfd* polled);
    bool idle() const { return connections_.empty(); }

  private:
    struct Side {
        UniqueFd fd;
        std::vector<uint8_t> waiting;  // bytes that it has not taken yet; the other side is not read meanwhile
    };
    struct Connection {
        Side sides[2];
        bool ending = false;  // one side has hung up
    };

    static void read(Connection* connection, int side);
    static void write(Connection* connection, int side);

    const uint16_t port_;
    std::list<Connection> connections_;
};

}  // namespace syncline
