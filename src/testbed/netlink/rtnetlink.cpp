// SPDX-License-Identifier: BSD-3-Clause
#include "testbed/netlink/rtnetlink.h"

#include <linux/netlink.h>
#include <sys/socket.h>

#include <algorithm>
#include <cerrno>
#include <cstring>

#include "base/failure.h"

namespace syncline::testbed {
namespace {

// Requests per datagram: the largest request, a veth pair, has under 300 bytes, and the socket takes 200 KiB.
constexpr size_t requests_per_datagram = 256;

int status_of(int error) {
    switch (error) {
        case EPERM:
            return SYNCLINE_ERR_PERMISSION;
        case EEXIST:
        case EBUSY:
            return SYNCLINE_ERR_BUSY;
        case EOPNOTSUPP:
            return SYNCLINE_ERR_UNSUPPORTED;
        case ENOMEM:
        case ENOBUFS:
            return SYNCLINE_ERR_NO_MEMORY;
        default:
            return SYNCLINE_ERR_SYSTEM;
    }
}

[[noreturn]] void fail_code(int error, const std::string& what) {
    errno = error;
    fail_errno(status_of(error), "{} failed", what);
}

}  // namespace

NetlinkRequest::NetlinkRequest(uint16_t type, uint16_t flags, const void* body, size_t bytes, std::string what)
    : what_(std::move(what)) {
    nlmsghdr header{};
    header.nlmsg_type = type;
    header.nlmsg_flags = static_cast<uint16_t>(NLM_F_REQUEST | flags);
    append(&header, sizeof header);
    append(body, bytes);
}

void NetlinkRequest::append(const void* data, size_t bytes) {
    const size_t at = bytes_.size();
    bytes_.resize(at + NLMSG_ALIGN(bytes));
    if (bytes > 0) {
        std::memcpy(&bytes_[at], data, bytes);
    }
}

NetlinkRequest& NetlinkRequest::add(uint16_t type, const void* data, size_t bytes) {
    nlattr attribute{};
    attribute.nla_type = type;
    attribute.nla_len = static_cast<uint16_t>(sizeof attribute + bytes);
    append(&attribute, sizeof attribute);
    append(data, bytes);
    return *this;
}

NetlinkRequest& NetlinkRequest::add_text(uint16_t type, const std::string& text) {
    return add(type, text.c_str(), text.size() + 1);
}

size_t NetlinkRequest::begin(uint16_t type) {
    const size_t nest = bytes_.size();
    add(type, nullptr, 0);
    return nest;
}

void NetlinkRequest::end(size_t nest) {
    const auto length = static_cast<uint16_t>(bytes_.size() - nest);
    std::memcpy(&bytes_[nest + offsetof(nlattr, nla_len)], &length, sizeof length);
}

std::vector<uint8_t>& NetlinkRequest::finish(uint32_t sequence, bool acknowledge) {
    nlmsghdr header;
    std::memcpy(&header, bytes_.data(), sizeof header);
    header.nlmsg_len = static_cast<uint32_t>(bytes_.size());
    header.nlmsg_seq = sequence;
    if (acknowledge) {
        header.nlmsg_flags |= NLM_F_ACK;
    }
    std::memcpy(bytes_.data(), &header, sizeof header);
    return bytes_;
}

Rtnetlink::Rtnetlink() : socket_(::socket(AF_NETLINK, SOCK_RAW | SOCK_CLOEXEC, NETLINK_ROUTE)) {
    if (!socket_) {
        fail_errno(SYNCLINE_ERR_SYSTEM, "opening a NETLINK_ROUTE socket failed");
    }
    const int yes = 1;
    // Errors come back without a copy of the request, so that a whole chunk of errors fits the socket.
    ::setsockopt(socket_.get(), SOL_NETLINK, NETLINK_CAP_ACK, &yes, sizeof yes);
}

void Rtnetlink::execute(NetlinkRequest& request) {
    send_chunk(&request, 1);
}

void Rtnetlink::execute(std::vector<NetlinkRequest>& requests) {
    for (size_t at = 0; at < requests.size(); at += requests_per_datagram) {
        send_chunk(&requests[at], std::min(requests_per_datagram, requests.size() - at));
    }
}

// Sends one datagram with all requests; only the last asks for an acknowledgement, the others answer if they fail.
void Rtnetlink::send_chunk(NetlinkRequest* first, size_t count) {
    const uint32_t sequence = sequence_ + 1;
    sequence_ += static_cast<uint32_t>(count);
    std::vector<uint8_t> datagram;
    for (size_t i = 0; i < count; i++) {
        const auto& bytes = first[i].finish(sequence + static_cast<uint32_t>(i), i + 1 == count);
        datagram.insert(datagram.end(), bytes.begin(), bytes.end());
    }
    if (::send(socket_.get(), datagram.data(), datagram.size(), 0) < 0) {
        fail_errno(SYNCLINE_ERR_SYSTEM, "sending {} rtnetlink requests ({}) failed", count, first->what());
    }
    await_last(first, count, sequence);
}

std::vector<char> Rtnetlink::receive(const std::string& what) {
    std::vector<char> buffer(16384);
    ssize_t got = 0;
    do {
        got = ::recv(socket_.get(), buffer.data(), buffer.size(), 0);
    } while (got < 0 && errno == EINTR);
    if (got < 0) {
        fail_errno(SYNCLINE_ERR_SYSTEM, "receiving rtnetlink answers ({}) failed", what);
    }
    buffer.resize(static_cast<size_t>(got));
    return buffer;
}

void Rtnetlink::await_last(const NetlinkRequest* first, size_t count, uint32_t sequence) {
    int error = 0;
    const NetlinkRequest* failed = nullptr;
    for (bool done = false; !done;) {
        std::vector<char> buffer = receive(first->what());
        auto left = static_cast<uint32_t>(buffer.size());
        for (auto* header = reinterpret_cast<nlmsghdr*>(buffer.data()); NLMSG_OK(header, left);
             header = NLMSG_NEXT(header, left)) {
            const uint32_t index = header->nlmsg_seq - sequence;
            if (header->nlmsg_type != NLMSG_ERROR || index >= count) {
                continue;
            }
            const int answer = -static_cast<const nlmsgerr*>(NLMSG_DATA(header))->error;
            if (answer != 0 && failed == nullptr) {
                failed = &first[index];
                error = answer;
            }
            done |= index + 1 == count;
        }
    }
    if (failed != nullptr) {
        fail_code(error, failed->what());
    }
}

std::vector<char> Rtnetlink::ask(NetlinkRequest& request) {
    const auto& bytes = request.finish(++sequence_, false);
    if (::send(socket_.get(), bytes.data(), bytes.size(), 0) < 0) {
        fail_errno(SYNCLINE_ERR_SYSTEM, "{} failed", request.what());
    }
    const std::vector<char> buffer = receive(request.what());
    const auto* header = reinterpret_cast<const nlmsghdr*>(buffer.data());
    if (!NLMSG_OK(header, static_cast<uint32_t>(buffer.size()))) {
        fail(SYNCLINE_ERR_SYSTEM, "{} failed: the kernel's answer is cut short", request.what());
    }
    if (header->nlmsg_type == NLMSG_ERROR) {
        fail_code(-reinterpret_cast<const nlmsgerr*>(buffer.data() + NLMSG_HDRLEN)->error, request.what());
    }
    return {buffer.begin() + NLMSG_HDRLEN, buffer.begin() + header->nlmsg_len};
}

}  // namespace syncline::testbed
