// SPDX-License-Identifier: BSD-3-Clause
#include "daemon/packet/agent.h"

#include <pthread.h>
#include <sched.h>
#include <sys/socket.h>
#include <sys/time.h>

#include "base/clock.h"
#include "base/failure.h"

namespace syncline {

namespace {
constexpr uint64_t spin_ns = 50 * ns_per_us;  // how long spin-block polls before it blocks
constexpr timeval block_limit = {0, 50'000};  // how long one blocking receive lasts, so that stop and mode are seen
}  // namespace

UdpAgent::UdpAgent(int socket, fw_target* target, AgentMode mode, int cpu)
    : socket_(socket), target_(target), mode_(mode) {
    ::setsockopt(socket_, SOL_SOCKET, SO_RCVTIMEO, &block_limit, sizeof(block_limit));
    thread_ = std::thread([this] { run(); });
    if (cpu >= 0) {
        cpu_set_t set;
        CPU_ZERO(&set);
        CPU_SET(static_cast<size_t>(cpu), &set);
        if (const int error = pthread_setaffinity_np(thread_.native_handle(), sizeof(set), &set); error != 0) {
            stop_.store(true, std::memory_order_relaxed);
            thread_.join();
            fail(SYNCLINE_ERR_INVALID, "the agent cannot run on CPU {}: {}", cpu, std::strerror(error));
        }
    }
    pthread_setname_np(thread_.native_handle(), "syncline-agent");
}

UdpAgent::~UdpAgent() {
    stop_.store(true, std::memory_order_relaxed);
    thread_.join();
}

int UdpAgent::do_work(bool block) {
    uint8_t packet[SLW_PACKET_MAX];
    sockaddr_storage from;
    socklen_t from_length = sizeof(from);
    const ssize_t length = ::recvfrom(socket_, packet, sizeof(packet), block ? 0 : MSG_DONTWAIT,
                                      reinterpret_cast<sockaddr*>(&from), &from_length);
    if (length <= 0) {
        return 0;  // an empty datagram is a nudge
    }
    uint32_t reply_length = 0;
    if (fw_execute_packet(target_, packet, static_cast<uint32_t>(length), &reply_length) == FW_REPLY) {
        // A reply that cannot be sent is like a lost reply: the request comes again.
        (void)::sendto(socket_, packet, reply_length, MSG_DONTWAIT, reinterpret_cast<sockaddr*>(&from), from_length);
    }
    return 1;
}

void UdpAgent::nudge() {
    sockaddr_storage own;
    socklen_t length = sizeof(own);
    if (::getsockname(socket_, reinterpret_cast<sockaddr*>(&own), &length) == 0) {
        for (int i = 0; i < 2; i++) {
            (void)::sendto(socket_, "", 0, MSG_DONTWAIT | MSG_NOSIGNAL, reinterpret_cast<sockaddr*>(&own), length);
        }
    }
}

void UdpAgent::run() {
    uint64_t idle_since = now_ns();
    while (!stop_.load(std::memory_order_relaxed)) {
        turns_.store(turns_.load(std::memory_order_relaxed) + 1, std::memory_order_release);
        const AgentMode mode = mode_.load(std::memory_order_relaxed);
        const bool spun = mode == AgentMode::kSpinBlock && now_ns() - idle_since > spin_ns;
        if (do_work(mode == AgentMode::kBlock || spun) != 0 && mode == AgentMode::kSpinBlock) {
            idle_since = now_ns();
        }
    }
}

}  // namespace syncline
