// SPDX-License-Identifier: BSD-3-Clause
#include "traffic.h"

#include <arpa/inet.h>
#include <gtest/gtest.h>
#include <netinet/in.h>
#include <netinet/udp.h>
#include <poll.h>
#include <sys/socket.h>

#include <chrono>
#include <cstring>
#include <thread>

#include "base/failure.h"
#include "testbed/netns.h"

namespace syncline::testbed {
namespace {

constexpr uint16_t stream_port = 4711;
constexpr uint32_t datagrams_per_burst = 32;  // a veth queue holds 256 frames
constexpr int receive_buffer_bytes = 8 << 20;
constexpr size_t datagram_max = 65536;

struct Address {
    sockaddr_storage storage{};
    socklen_t bytes = 0;
    sockaddr* get() { return reinterpret_cast<sockaddr*>(&storage); }
};

Address address_of(const Node& node, int family, uint16_t port) {
    Address address;
    if (family == AF_INET) {
        auto* v4 = reinterpret_cast<sockaddr_in*>(&address.storage);
        v4->sin_family = AF_INET;
        v4->sin_port = htons(port);
        ::inet_pton(AF_INET, node.address4.c_str(), &v4->sin_addr);
        address.bytes = sizeof *v4;
    } else {
        auto* v6 = reinterpret_cast<sockaddr_in6*>(&address.storage);
        v6->sin6_family = AF_INET6;
        v6->sin6_port = htons(port);
        ::inet_pton(AF_INET6, node.address6.c_str(), &v6->sin6_addr);
        address.bytes = sizeof *v6;
    }
    return address;
}

UniqueFd bound_socket(const Node& node, int family, int type, uint16_t port) {
    const NetnsScope scope(node.netns.get());
    UniqueFd fd(::socket(family, type | SOCK_CLOEXEC, 0));
    Address address = address_of(node, family, port);
    const int yes = 1;
    ::setsockopt(fd.get(), SOL_SOCKET, SO_REUSEADDR, &yes, sizeof yes);
    if (::bind(fd.get(), address.get(), address.bytes) != 0) {
        fail_errno(SYNCLINE_ERR_SYSTEM, "binding a socket to {} failed", node.address4);
    }
    return fd;
}

// The node's kernel sends whole datagrams or none. The mark (DF) forbids others to fragment them.
void mark_whole(int socket, int family, bool mark) {
    const int discover = mark ? IP_PMTUDISC_PROBE : IP_PMTUDISC_INTERFACE;  // IPv6 has the same numbers
    ::setsockopt(socket, family == AF_INET ? IPPROTO_IP : IPPROTO_IPV6,
                 family == AF_INET ? IP_MTU_DISCOVER : IPV6_MTU_DISCOVER, &discover, sizeof discover);
}

// As many letters, so that a part of another text is not taken for it.
std::string text_of(size_t bytes) {
    std::string text(bytes, 'a');
    for (size_t i = 0; i < bytes; i++) {
        text[i] = static_cast<char>('a' + (bytes + i) % 26);
    }
    return text;
}

std::vector<uint8_t> datagram(uint32_t number, size_t bytes) {
    std::vector<uint8_t> payload(bytes);
    for (size_t i = 0; i < bytes; i++) {
        payload[i] = static_cast<uint8_t>(number * 31 + i);
    }
    std::memcpy(payload.data(), &number, sizeof number);
    return payload;
}

void note(Arrivals& arrivals, const std::vector<uint8_t>& payload) {
    uint32_t number = 0;
    std::memcpy(&number, payload.data(), std::min(payload.size(), sizeof number));
    if (payload == datagram(number, payload.size())) {
        arrivals.numbers.push_back(number);
    } else {
        arrivals.damaged++;
    }
}

void drain(int socket, Arrivals& arrivals, int timeout_ms) {
    std::vector<uint8_t> buffer(datagram_max);
    for (;;) {
        const ssize_t got = ::recv(socket, buffer.data(), buffer.size(), MSG_DONTWAIT);
        if (got >= 0) {
            note(arrivals, {buffer.begin(), buffer.begin() + got});
            continue;
        }
        pollfd ready{socket, POLLIN, 0};
        if (timeout_ms == 0 || ::poll(&ready, 1, timeout_ms) <= 0) {
            return;
        }
    }
}

}  // namespace

UniqueFd udp_socket(const Node& node, int family, uint16_t port) {
    UniqueFd socket = bound_socket(node, family, SOCK_DGRAM, port);
    mark_whole(socket.get(), family, true);
    ::setsockopt(socket.get(), SOL_SOCKET, SO_RCVBUFFORCE, &receive_buffer_bytes, sizeof receive_buffer_bytes);
    return socket;
}

void udp_send(int socket, const Node& to, int family, uint16_t port, const std::string& text) {
    Address address = address_of(to, family, port);
    ASSERT_EQ(::sendto(socket, text.data(), text.size(), 0, address.get(), address.bytes),
              static_cast<ssize_t>(text.size()))
        << std::strerror(errno);
}

std::string udp_receive(int socket, int timeout_ms) {
    pollfd ready{socket, POLLIN, 0};
    std::string text(datagram_max, '\0');
    const ssize_t got = ::poll(&ready, 1, timeout_ms) > 0 ? ::recv(socket, text.data(), text.size(), 0) : 0;
    text.resize(static_cast<size_t>(std::max<ssize_t>(got, 0)));
    return text;
}

void expect_udp_everywhere(const Testbed& bed) {
    for (const int family : {AF_INET, AF_INET6}) {
        std::vector<UniqueFd> sockets;
        for (const Node& node : bed.nodes()) {
            sockets.push_back(udp_socket(node, family, stream_port));
        }
        for (size_t from = 0; from < sockets.size(); from++) {
            for (size_t to = 0; to < sockets.size(); to++) {
                const std::string text = fmt::format("from {} to {}", from, to);
                udp_send(sockets[from].get(), bed.nodes()[to], family, stream_port, text);
                EXPECT_EQ(udp_receive(sockets[to].get()), text) << "family " << family;
            }
        }
    }
}

size_t longest_datagram(int mtu, int family) {
    return static_cast<size_t>(mtu) - (family == AF_INET ? 20 : 40) - 8;
}

void expect_longest_everywhere(const Testbed& bed, size_t excess) {
    for (const int family : {AF_INET, AF_INET6}) {
        std::vector<UniqueFd> sockets;
        for (const Node& node : bed.nodes()) {
            sockets.push_back(udp_socket(node, family, stream_port));
        }
        for (size_t from = 0; from < sockets.size(); from++) {
            for (size_t to = 0; to < sockets.size(); to++) {
                const Node& target = bed.nodes()[to];
                const size_t sendable = longest_datagram(bed.nodes()[from].mtu, family);
                const size_t longest = std::min(sendable, longest_datagram(target.mtu, family));
                for (const bool mark : {false, true}) {
                    mark_whole(sockets[from].get(), family, mark);
                    if (longest + excess <= sendable) {
                        udp_send(sockets[from].get(), target, family, stream_port, text_of(longest + excess));
                    }
                    udp_send(sockets[from].get(), target, family, stream_port, text_of(longest));
                    EXPECT_TRUE(udp_receive(sockets[to].get()) == text_of(longest))
                        << "family " << family << ", from " << from << " to " << to << ", mark " << mark;
                }
            }
        }
    }
}

void expect_segments(const Node& from, const Node& to, size_t bytes) {
    const UniqueFd sender = udp_socket(from, AF_INET, stream_port);
    const UniqueFd receiver = udp_socket(to, AF_INET, stream_port);
    const int segment = static_cast<int>(bytes);
    ASSERT_EQ(::setsockopt(sender.get(), IPPROTO_UDP, UDP_SEGMENT, &segment, sizeof segment), 0);
    const size_t count = 65000 / bytes;
    std::string all;
    for (size_t i = 0; i < count; i++) {
        all += text_of(bytes);
    }
    Address address = address_of(to, AF_INET, stream_port);
    if (::sendto(sender.get(), all.data(), all.size(), 0, address.get(), address.bytes) < 0 && errno == EIO) {
        return;  // before Linux 6.11 the kernel cuts only where the link computes checksums
    }
    for (size_t i = 0; i < count; i++) {
        EXPECT_EQ(udp_receive(receiver.get()), text_of(bytes)) << i;
    }
}

void expect_tcp(const Node& from, const Node& to, int family, size_t bytes) {
    const UniqueFd listener = bound_socket(to, family, SOCK_STREAM, stream_port);
    ASSERT_EQ(::listen(listener.get(), 1), 0);
    const UniqueFd client = bound_socket(from, family, SOCK_STREAM, 0);
    const timeval patience{5, 0};
    ::setsockopt(client.get(), SOL_SOCKET, SO_SNDTIMEO, &patience, sizeof patience);  // connect() too
    Address address = address_of(to, family, stream_port);
    ASSERT_EQ(::connect(client.get(), address.get(), address.bytes), 0) << std::strerror(errno);
    const UniqueFd server(::accept4(listener.get(), nullptr, nullptr, SOCK_CLOEXEC));
    ::setsockopt(server.get(), SOL_SOCKET, SO_RCVTIMEO, &patience, sizeof patience);
    const std::vector<uint8_t> sent = datagram(7, bytes);
    std::thread writer([&] { EXPECT_EQ(::send(client.get(), sent.data(), bytes, 0), static_cast<ssize_t>(bytes)); });
    std::vector<uint8_t> received(bytes);
    EXPECT_EQ(::recv(server.get(), received.data(), bytes, MSG_WAITALL), static_cast<ssize_t>(bytes));
    writer.join();
    EXPECT_TRUE(received == sent);
}

uint64_t Arrivals::late() const {
    uint64_t count = 0;
    uint32_t greatest = 0;
    for (const uint32_t number : numbers) {
        count += number < greatest;
        greatest = std::max(greatest, number);
    }
    return count;
}

Arrivals stream(const Testbed& bed, const StreamOptions& options) {
    const UniqueFd sender = udp_socket(bed.nodes()[options.from], AF_INET, stream_port);
    const UniqueFd receiver = udp_socket(bed.nodes()[options.from + 1], AF_INET, stream_port);
    const int no_check = options.checksums ? 0 : 1;
    ::setsockopt(sender.get(), SOL_SOCKET, SO_NO_CHECK, &no_check, sizeof no_check);
    Address address = address_of(bed.nodes()[options.from + 1], AF_INET, stream_port);
    Arrivals arrivals;
    for (uint32_t number = 0; number < options.datagrams; number++) {
        const size_t bytes = options.lengths[number % options.lengths.size()];
        const auto payload = datagram(number, bytes);
        EXPECT_EQ(::sendto(sender.get(), payload.data(), bytes, 0, address.get(), address.bytes),
                  static_cast<ssize_t>(bytes));
        if (number % datagrams_per_burst == datagrams_per_burst - 1) {
            drain(receiver.get(), arrivals, 1);
        }
    }
    drain(receiver.get(), arrivals, 50);
    return arrivals;
}

}  // namespace syncline::testbed
