// SPDX-License-Identifier: BSD-3-Clause
// An in-process daemon, and clients that send it any messages.
#pragma once

#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <numeric>
#include <string>
#include <vector>

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

// A job's description, composed word by word, so that it may also be wrong. The ranks of `nodes` nodes, each with the
// spec's ports, are consecutive unless other ranks are given.
struct Description {
    JobSpec spec;
    std::vector<uint16_t> ports;
    std::vector<std::vector<uint8_t>> addresses;
    std::vector<uint8_t> kinds;
    std::vector<uint16_t> ranks;

    Description(const JobSpec& job, size_t nodes = 1)
        : spec(job),
          ports(nodes, static_cast<uint16_t>(job.config.ports)),
          addresses(nodes, {127, 0, 0, 1}),
          kinds(nodes, static_cast<uint8_t>(AddressKind::kIp4)),
          ranks(std::min<size_t>(job.config.ranks, SLW_RANKS_MAX)) {
        std::iota(ranks.begin(), ranks.end(), uint16_t{0});
    }

    Message message() const {
        Message create = message_of(MessageType::kCreateJob, spec);
        for (size_t i = 0; i < ports.size(); i++) {
            create.append(JobNode{ports[i], AddressKind{kinds[i]}, static_cast<uint8_t>(addresses[i].size())});
            create.append(addresses[i].data(), addresses[i].size());
        }
        create.append(ranks.data(), ranks.size() * sizeof(uint16_t));
        return create;
    }
};

inline Message create_message(const JobSpec& spec, size_t nodes = 1) {
    return Description(spec, nodes).message();
}

inline Message attach_message(const JobSpec& spec, uint32_t rank) {
    return message_of(MessageType::kAttach, AttachRequest{spec.token, spec.config.job, rank});
}

// The daemon, whose loop the test turns by hand: everything happens in one thread, in a known order.
class InProcess {
  public:
    explicit InProcess(const std::string& name, const AdmissionLimits& limits = {})
        : address("@syncline-test/" + std::to_string(::getpid()) + name),
          daemon({.address = address, .admission = limits}) {}

    explicit InProcess(const Daemon::Options& options) : address(options.address), daemon(options) {}

    void pump() {
        while (daemon.do_work(0) > 0) {
        }
    }

    Channel connect() const { return Channel::connect(address); }

    static constexpr int turns_of_a_build = 20'000;  // turns of a millisecond; only failures reach this limit

    // Returns the daemon's answer. If the daemon hung up instead, the type is kAbort, which no answer has.
    Message ask(Channel* channel, const Message& request, const std::vector<int>& fds = {}) {
        Message answer = message_of(MessageType::kAbort);
        if (channel->send(request, fds)) {
            pump();
            Channel::Received received = receive(channel, &answer);
            // A thread beside the loop builds a job.
            for (int turn = 0; turn < turns_of_a_build && request.type == MessageType::kCreateJob &&
                               received == Channel::Received::kNothing;
                 turn++, received = receive(channel, &answer)) {
                daemon.do_work(1);
            }
            if (received != Channel::Received::kMessage) {
                answer = message_of(MessageType::kAbort);
            }
        }
        return answer;
    }

    // Returns the next message that is not a notice of a member; keeps notices in `notices`.
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

    // Returns a connection that has said Hello.
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
