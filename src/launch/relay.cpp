// SPDX-License-Identifier: BSD-3-Clause
#include "launch/relay.h"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/socket.h>

#include <algorithm>
#include <cerrno>
#include <iterator>
#include <utility>

#include "base/clock.h"

namespace syncline {
namespace {

constexpr uint64_t until_told_ns = 1'500'000'000;  // from a death until the server hears of it

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
    send_at_once(client.get());
    connections_.emplace_back().client.fd = std::move(client);
}

// Once the first bytes are there, for the server waits for them and does nothing else. False if none will come.
bool Relay::connect(const Side& client, Side* server) const {
    if (char byte; ::recv(client.fd.get(), &byte, 1, MSG_DONTWAIT | MSG_PEEK) <= 0) {
        return false;
    }
    server->fd.reset(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0));
    sockaddr_in address = {};
    address.sin_family = AF_INET;
    address.sin_port = htons(port_);
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    send_at_once(server->fd.get());
    return ::connect(server->fd.get(), reinterpret_cast<const sockaddr*>(&address), sizeof(address)) == 0;
}

void Relay::append_to(std::vector<pollfd>* polled) const {
    const auto append = [&](const Side& side, const Side& other) {
        const int events = (other.waiting.empty() && !side.ended ? POLLIN : 0) | (side.waiting.empty() ? 0 : POLLOUT);
        polled->push_back({events != 0 ? side.fd.get() : -1, static_cast<short>(events), 0});
    };
    for (const Connection& connection : connections_) {
        append(connection.client, connection.server);
        append(connection.server, connection.client);
    }
}

void Relay::read(Side* from, Side* to) {
    uint8_t bytes[65536];
    const ssize_t count = ::recv(from->fd.get(), bytes, sizeof(bytes), MSG_DONTWAIT);
    if (count > 0 && to->fd.valid()) {
        to->waiting.assign(bytes, bytes + count);
        write(to);
    } else if (count == 0 || (count < 0 && !would_block(errno))) {
        from->ended = true;
    }
}

// A side that takes nothing any more has died: what it has sent before may still be read.
void Relay::write(Side* to) {
    const ssize_t count = ::send(to->fd.get(), to->waiting.data(), to->waiting.size(), MSG_DONTWAIT | MSG_NOSIGNAL);
    if (count >= 0) {
        to->waiting.erase(to->waiting.begin(), to->waiting.begin() + count);
    } else if (!would_block(errno)) {
        to->waiting.clear();
    }
}

// False at its end: the server has hung up, and the client has all that it has sent.
bool Relay::serve(Connection* connection, const pollfd* polled) {
    Side& client = connection->client;
    Side& server = connection->server;
    if (!server.fd && polled[0].revents != 0 && !connect(client, &server)) {
        return false;
    }
    if (!client.waiting.empty() && polled[0].revents != 0) {
        write(&client);
    }
    if (!server.waiting.empty() && polled[1].revents != 0) {
        write(&server);
    }
    if (server.waiting.empty() && !client.ended && polled[0].revents != 0) {
        read(&client, &server);
    }
    if (client.waiting.empty() && !server.ended && polled[1].revents != 0) {
        read(&server, &client);
    }
    if (client.ended && client.fd) {
        connection->ended_ns = now_ns();
        client.fd.reset();
        client.waiting.clear();
    }
    return !server.ended || !client.waiting.empty();
}

void Relay::serve(const pollfd* polled) {
    for (auto connection = connections_.begin(); connection != connections_.end(); polled += 2) {
        connection = serve(&*connection, polled) ? std::next(connection) : connections_.erase(connection);
    }
}

bool Relay::tell_of_deaths(uint64_t now) {
    bool any_left = false;
    for (Connection& connection : connections_) {
        if (!connection.client.ended || connection.told) {
            continue;
        }
        if (connection.server.waiting.empty() && now > connection.ended_ns + until_told_ns) {
            ::shutdown(connection.server.fd.get(), SHUT_WR);
            connection.told = true;
        }
        any_left |= !connection.told;
    }
    return any_left;
}

bool Relay::all_ended() const {
    return std::all_of(connections_.begin(), connections_.end(), [](const Connection& connection) {
        return connection.client.ended && connection.server.waiting.empty();
    });
}

}  // namespace syncline
