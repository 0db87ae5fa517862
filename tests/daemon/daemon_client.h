// SPDX-License-Identifier: BSD-3-Clause
// An in-process daemon and clients that say to it whatever they like.
#pragma once

#include <sys/socket.h>
#include <unistd.h>

#include <string>

#include "base/failure.h"
#include "daemon/daemon.h"

namespace syncline::testing_daemon {

// A shm job that a daemon accepts: `ports` PEs on one node, small heaps.
inline JobSpec small_job(uint32_t id, uint32_t ports) {
    JobSpec spec;
    spec.config.job = id;
    spec.config.nodes = 1;
    spec.config.ranks = ports;
    spec.config.ports = ports;
    spec.config.window = 4;
    spec.config.udp_port = 4000;
    spec.token = 0x1234567890u + id;
    spec.heap_bytes = 2 * heap_reserved_bytes;
    spec.owner_uid = ::geteuid();
    return spec;
}

inline Message hello() {
    return {};
}

inline Message message_of(MessageType type) {
    Message message;
    message.type = type;
    return message;
}

template <typename Body>
Message message_of(MessageType type, const Body& body) {
    Message message = message_of(type);
    message.append(body);
    return message;
}

inline Message create_message(const JobSpec& spec, size_t nodes = 1) {
    Message message = message_of(MessageType::kCreateJob, spec);
    for (size_t i = 0; i < nodes; i++) {
        JobNode node;
        node.ports = spec.config.ports;
        node.address.family = AF_INET;
        message.append(node);
    }
    return message;
}

inline Message attach_message(const JobSpec& spec, uint32_t rank) {
    return message_of(MessageType::kAttach, AttachRequest{spec.token, spec.config.job, rank});
}

// The daemon, and its loop turned by hand: everything happens in one thread, in a known order.
class InProcess {
  public:
    explicit InProcess(const std::string& name, const AdmissionLimits& limits = {})
        : address("@syncline-test/" + std::to_string(::getpid()) + name),
          daemon({address, false, UINT64_MAX, limits}) {}

    void pump() {
        while (daemon.do_work(0) > 0) {
        }
    }

    Channel connect() const { return Channel::connect(address); }

    // The daemon's answer; its type is kAbort, which no request is answered with, if it hung up instead.
    Message ask(Channel* channel, const Message& request, const std::vector<int>& fds = {}) {
        Message answer = message_of(MessageType::kAbort);
        if (channel->send(request, fds)) {
            pump();
            if (receive(channel, &answer) != Channel::Received::kMessage) {
                answer = message_of(MessageType::kAbort);
            }
        }
        return answer;
    }

    // The next message that is no notice of a member; those are kept in `notices`.
    Channel::Received receive(Channel* channel, Message* message) {
        Channel::Received received = channel->receive(message, false);
        for (MemberNotice notice; received == Channel::Received::kMessage && message->type == MessageType::kMember;
             received = channel->receive(message, false)) {
            if (message->read(&notice)) {
                notices.push_back(notice);
            }
        }
        return received;
    }

    // A connection that has said hello.
    Channel greeted() {
        Channel channel = connect();
        (void)ask(&channel, hello());
        return channel;
    }

    bool hung_up(Channel* channel) {
        pump();
        Message ignored;
        return channel->receive(&ignored, false) == Channel::Received::kClosed;
    }

    const std::string address;
    std::vector<MemberNotice> notices;
    Daemon daemon;
};

}  // namespace syncline::testing_daemon
