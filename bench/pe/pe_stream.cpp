// SPDX-License-Identifier: BSD-3-Clause
// A TCP stream between two PEs' nodes, by plain sockets: the bandwidth test of Buntinas 2002, section V.C.
#include <arpa/inet.h>
#include <netinet/in.h>
#include <sys/socket.h>

#include <cstring>

#include "base/clock.h"
#include "base/unique_fd.h"
#include "bench/pe/pe.h"

namespace syncline::bench {
namespace {

constexpr size_t message_bytes = 64 << 10;

UniqueFd make_socket() {
    UniqueFd made(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0));
    if (!made) {
        fail_errno(SYNCLINE_ERR_SYSTEM, "cannot make a TCP socket");
    }
    return made;
}

void check(bool good, const char* what) {
    if (!good) {
        fail_errno(SYNCLINE_ERR_SYSTEM, "the stream cannot {}", what);
    }
}

}  // namespace

Outcome stream_listen(Pe* pe) {
    if (pe->listener < 0) {
        UniqueFd made = make_socket();
        check(::listen(made.get(), 1) == 0, "listen");
        pe->listener = made.release();
    }
    sockaddr_in bound = {};
    socklen_t length = sizeof(bound);
    check(::getsockname(pe->listener, reinterpret_cast<sockaddr*>(&bound), &length) == 0, "tell its port");
    return {.value = ntohs(bound.sin_port)};
}

Outcome stream_sink(const Pe& pe) {
    const UniqueFd source(::accept4(pe.listener, nullptr, nullptr, SOCK_CLOEXEC));
    check(source.valid(), "be accepted");
    std::vector<char> buffer(4 * message_bytes);
    Outcome outcome;
    for (;;) {
        const ssize_t got = ::recv(source.get(), buffer.data(), buffer.size(), 0);
        check(got >= 0, "be read");
        if (got == 0) {
            break;
        }
        outcome.bytes += static_cast<uint64_t>(got);
    }
    check(::send(source.get(), "", 1, MSG_NOSIGNAL) == 1, "be answered");
    return outcome;
}

Outcome stream_send(const Command& command) {
    const UniqueFd sink = make_socket();
    sockaddr_in to = {};
    to.sin_family = AF_INET;
    to.sin_port = htons(static_cast<uint16_t>(command.port));
    std::memcpy(&to.sin_addr, command.address, sizeof(command.address));
    check(::connect(sink.get(), reinterpret_cast<sockaddr*>(&to), sizeof(to)) == 0, "connect");
    const std::vector<char> message(message_bytes);
    Outcome outcome;
    const uint64_t start = now_ns();
    while (now_ns() - start < command.duration_ns) {
        const ssize_t sent = ::send(sink.get(), message.data(), message.size(), MSG_NOSIGNAL);
        check(sent > 0, "be sent");
        outcome.bytes += static_cast<uint64_t>(sent);
    }
    char reply;
    check(::shutdown(sink.get(), SHUT_WR) == 0, "end");
    check(::recv(sink.get(), &reply, 1, 0) == 1, "be confirmed");
    outcome.elapsed_ns = now_ns() - start;
    return outcome;
}

}  // namespace syncline::bench
