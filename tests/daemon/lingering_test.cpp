// SPDX-License-Identifier: BSD-3-Clause
// Method: another user sends an in-process daemon TCP sockets that have data to send and are to linger, and closes his
// own descriptors: the daemon's close is the last one. He does so in each state of a connection. The daemon is as with
// a kernel that lets descriptors through, then as with Linux 6.16. Meanwhile a client of the same user has his answers
// at once, and no process is left over.
#include <arpa/inet.h>
#include <fcntl.h>
#include <gtest/gtest.h>
#include <spdlog/spdlog.h>
#include <sys/wait.h>

#include "base/clock.h"
#include "tests/daemon/daemon_client.h"
#include "tests/daemon/other_user.h"

namespace syncline::testing_daemon {
namespace {

constexpr int linger_s = 8;
constexpr uint64_t at_once_ns = 2 * ns_per_s;

enum class State { kGreeted, kBeforeHello, kClosed, kTurnedAway, kOften };
constexpr const char* state_names[] = {"greeted", "before_hello", "closed", "turned_away", "often"};

// The last close of it waits, unless it is that of a process that ends.
class LingeringSocket {
  public:
    LingeringSocket() : socket_(::socket(AF_INET, SOCK_STREAM, 0)) {
        const UniqueFd listener(::socket(AF_INET, SOCK_STREAM, 0));
        const int little = 4096;
        (void)::setsockopt(listener.get(), SOL_SOCKET, SO_RCVBUF, &little, sizeof(little));
        sockaddr_in address = {
            .sin_family = AF_INET, .sin_port = 0, .sin_addr = {htonl(INADDR_LOOPBACK)}, .sin_zero = {}};
        socklen_t length = sizeof(address);
        auto* const any = reinterpret_cast<sockaddr*>(&address);
        (void)::bind(listener.get(), any, sizeof(address));
        (void)::listen(listener.get(), 1);
        (void)::getsockname(listener.get(), any, &length);
        (void)::connect(socket_.get(), any, sizeof(address));
        other_.reset(::accept(listener.get(), nullptr, nullptr));
        (void)::fcntl(socket_.get(), F_SETFL, O_NONBLOCK);
        const std::vector<char> bytes(65536);
        while (::write(socket_.get(), bytes.data(), bytes.size()) > 0) {
        }
        const linger wait = {1, linger_s};
        (void)::setsockopt(socket_.get(), SOL_SOCKET, SO_LINGER, &wait, sizeof(wait));
    }
    int fd() const { return socket_.get(); }
    bool valid() const { return socket_.valid() && other_.valid(); }
    void close() { socket_.reset(); }

  private:
    UniqueFd socket_, other_;
};

// 0: all clients were answered at once. Else what went wrong, as an exit code.
int attack(const std::string& address, State state, bool refused) {
    std::vector<Channel> idle;
    for (int i = 0; state == State::kTurnedAway && i < 32; i++) {
        idle.push_back(Channel::connect(address));
    }
    std::vector<LingeringSocket> sockets(state == State::kOften ? 20 : 1);
    std::vector<Channel> senders;
    for (LingeringSocket& socket : sockets) {
        Channel channel = Channel::connect(address);
        if (state == State::kGreeted || state == State::kOften) {
            channel.call(hello());
        }
        const bool sent =
            channel.send(state == State::kGreeted ? message_of(MessageType::kStat) : hello(), {socket.fd()});
        if (!socket.valid() || (sent && refused)) {
            return 2;
        }
        if (sent) {  // else this close would be the last one
            socket.close();
        }
        if (state != State::kClosed) {
            senders.push_back(std::move(channel));
        }
    }
    idle.clear();
    ::usleep(300'000);  // the daemon learns it
    for (int client = 0; client < 5; client++) {
        const uint64_t start = now_ns();
        try {
            Channel channel = Channel::greet(address);
            (void)channel.call(message_of(MessageType::kStat));
        } catch (const Failure&) {
            return 3;
        }
        if (now_ns() - start > at_once_ns) {
            return 1;
        }
        ::usleep(30'000);
    }
    return 0;
}

bool is_refused_by_kernel() {
    int value = 0;
    socklen_t length = sizeof(value);
    const UniqueFd socket(::socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0));
    constexpr int pass_rights = 83;
    return ::getsockopt(socket.get(), SOL_SOCKET, pass_rights, &value, &length) == 0;
}

struct Situation {
    State state;
    bool refuses;
};

class Lingering : public testing::TestWithParam<Situation> {};

TEST_P(Lingering, SocketsKeepNoClientWaiting) {
    if (::geteuid() != 0) {
        GTEST_SKIP() << "acting as another user needs root";
    }
    spdlog::set_level(spdlog::level::off);
    Daemon::Options options;
    options.address = "@syncline-test/" + std::to_string(::getpid()) + "/lingering";
    options.refuses_descriptors = GetParam().refuses;
    const bool refused = GetParam().refuses && is_refused_by_kernel();
    const uint64_t start = now_ns();
    {
        InProcess server(options);
        EXPECT_EQ(as_other_user(&server.daemon, [&] { return attack(server.address, GetParam().state, refused); }), 0)
            << "1: a client had to wait; 2: a socket did not get through, or did; 3: a client was refused";
        for (int turn = 0; turn < 100 && ::waitpid(-1, nullptr, WNOHANG) != -1; turn++) {
            (void)server.daemon.do_work(20);
        }
        EXPECT_EQ(::waitpid(-1, nullptr, WNOHANG), -1) << "a process is left";
    }
    EXPECT_LT(now_ns() - start, uint64_t{linger_s} * ns_per_s) << "also the daemon's end";
}

INSTANTIATE_TEST_SUITE_P(Descriptors, Lingering,
                         testing::Values(Situation{State::kGreeted, false}, Situation{State::kBeforeHello, false},
                                         Situation{State::kClosed, false}, Situation{State::kTurnedAway, false},
                                         Situation{State::kOften, false}, Situation{State::kGreeted, true}),
                         [](const auto& one) {
                             return std::string(state_names[static_cast<int>(one.param.state)]) +
                                    (one.param.refuses ? "_refused" : "");
                         });

}  // namespace
}  // namespace syncline::testing_daemon
