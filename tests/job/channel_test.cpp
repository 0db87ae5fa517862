// SPDX-License-Identifier: BSD-3-Clause
// Method: one end of a connection sends until the socket is full, and blocks. A signal whose handler does not restart
// system calls arrives then; the message is sent all the same, as soon as the other end reads.
#include <gtest/gtest.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <atomic>
#include <csignal>
#include <fstream>
#include <future>

#include "job/protocol/channel.h"

namespace syncline {
namespace {

std::atomic<int> handled = 0;

void count_signal(int /*signal*/) {
    handled++;
}

// Signals of this process interrupt its system calls while this object exists.
class InterruptingSignals {
  public:
    InterruptingSignals() {
        struct sigaction action = {};
        action.sa_handler = count_signal;
        ::sigaction(SIGUSR1, &action, &before_);
    }
    ~InterruptingSignals() { ::sigaction(SIGUSR1, &before_, nullptr); }

  private:
    struct sigaction before_ = {};
};

bool sleeps(pid_t thread) {
    std::ifstream file("/proc/self/task/" + std::to_string(thread) + "/stat");
    std::string stat;
    std::getline(file, stat);
    return stat.find(") S ") != std::string::npos;
}

Message filler() {
    Message message;
    message.type = MessageType::kStat;
    message.body.resize(daemon_inline_max);
    return message;
}

// Returns the number of messages for which the socket has room.
int fill(int socket) {
    const timeval moment = {0, 20'000};
    const timeval for_ever = {};
    int count = 0;
    ::setsockopt(socket, SOL_SOCKET, SO_SNDTIMEO, &moment, sizeof(moment));
    Channel channel{UniqueFd(::dup(socket))};
    while (channel.send(filler())) {
        count++;
    }
    ::setsockopt(socket, SOL_SOCKET, SO_SNDTIMEO, &for_ever, sizeof(for_ever));
    return count;
}

TEST(Channel, SendsAcrossASignal) {
    int pair[2];
    ASSERT_EQ(::socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, pair), 0);
    Channel sender{UniqueFd(pair[0])};
    Channel receiver{UniqueFd(pair[1])};
    const InterruptingSignals interrupting;
    const int there = fill(sender.fd());
    ASSERT_GT(there, 0);

    std::atomic<pid_t> thread = 0;
    std::future<bool> sent = std::async(std::launch::async, [&] {
        thread = ::gettid();
        return sender.send(filler());
    });
    const auto is_over = [&] { return sent.wait_for(std::chrono::seconds(0)) == std::future_status::ready; };
    const auto wait_until_it_sleeps = [&] {
        while (thread == 0 || (!sleeps(thread) && !is_over())) {
            ::usleep(1000);
        }
    };
    wait_until_it_sleeps();
    EXPECT_FALSE(is_over()) << "the socket had room";
    ::syscall(SYS_tgkill, ::getpid(), thread.load(), SIGUSR1);
    while (handled == 0) {
        ::usleep(1000);
    }
    wait_until_it_sleeps();
    Message message;
    for (int received = 0; received < there; received++) {
        EXPECT_EQ(receiver.receive(&message, false), Channel::Received::kMessage);
    }
    EXPECT_TRUE(sent.get());
    EXPECT_EQ(receiver.receive(&message, false), Channel::Received::kMessage) << "the message that was interrupted";
}

}  // namespace
}  // namespace syncline
