// SPDX-License-Identifier: BSD-3-Clause
#include "launch/relay.h"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/socket.h>

#include <cerrno>
#include <utility>

namespace syncline {
namespace {

// Requests and answers are short, and each side waits for the other's.
void send_at_once(int socket) {
    const int on = 1;
    ::setsockopt(socket, IPPROTO_TCP, TCP_NODELAY, &on, sizeof(on));
}

bool would_block(int error) {
    return error == EAGAIN || error == EWOULDBLOCK || error == EINTR;
}

}  // namespace

void Relay::add(UniqueFd client) {
    UniqueFd server(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0));
    sockaddr_in address = {};
    address.sin_family = AF_INET;
    address.sin_port = htons(port_);
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    if (!server || ::connect(server.get(), reinterpret_cast<const sockaddr*>(&address), sizeof(address)) != 0) {
        return;
    }
    send_at_once(client.get());
    send_at_once(server.get());
    Connection connection;
    connection.sides[0].fd = std::move(client);
    connection.sides[1].fd = std::move(server);
    connections_.push_back(std::move(connection));
}

void Relay::append_to(std::vector<pollfd>* polled) const {
    for (const Connection& connection : connections_) {
        for (int side = 0; side < 2; side++) {
            const bool may_read = connection.sides[1 - side].waiting.empty() && !connection.ending;
            const bool must_write = !connection.sides[side].waiting.empty();
            polled->push_back({connection.sides[side].fd.get(),
                               static_cast<short>((may_read ? POLLIN : 0) | (must_write ? POLLOUT : 0)), 0});
        }
    }
}

void Relay::read(Connection* connection, int side) {
    uint8_t bytes[65536];
    const ssize_t count = ::recv(connection->sides[side].fd.get(), bytes, sizeof(bytes), MSG_DONTWAIT);
    if (count > 0) {
        connection->sides[1 - side].waiting.assign(bytes, bytes + count);
        write(connection, 1 - side);
    } else if (count == 0 || !would_block(errno)) {
        connection->ending = true;
    }
}

void Relay::write(Connection* connection, int side) {
    std::vector<uint8_t>& waiting = connection->sides[side].waiting;
    const ssize_t count =
        ::send(connection->sides[side].fd.get(), waiting.data(), waiting.size(), MSG_DONTWAIT | MSG_NOSIGNAL);
    if (count >= 0) {
        waiting.erase(waiting.begin(), waiting.begin() + count);
    } else if (!would_block(errno)) {
        waiting.clear();
        connection->ending = true;
    }
}

void Relay::serve(const pollfd* polled) {
    for (auto connection = connections_.begin(); connection != connections_.end(); polled += 2) {
        for (int side = 0; side < 2; side++) {
            if (polled[side].revents == 0) {
                continue;
            }
            if (!connection->sides[side].waiting.empty()) {
                write(&*connection, side);
            }
            if (connection->sides[1 - side].waiting.empty() && !connection->ending) {
                read(&*connection, side);
            }
        }
        const bool done =
            connection->ending && connection->sides[0].waiting.empty() && connection->sides[1].waiting.empty();
        connection = done ? connections_.erase(connection) : std::next(connection);
    }
}

}  // namespace syncline
