// SPDX-License-Identifier: BSD-3-Clause
// Method: beside a well-behaved client with its job, another user crowds an in-process daemon: with thousands of idle
// connections, with connections that never speak, with floods of requests whose answers it does not read, with nonsense
// again and again. New jobs start, and each turn of the daemon's loop does a bounded amount of work for the crowd.
#include <sys/resource.h>
#include <sys/wait.h>

#include <atomic>
#include <csignal>
#include <thread>

#include "base/clock.h"
#include "tests/daemon/protocol_fixture.h"

namespace syncline {
namespace {

using namespace testing_daemon;

constexpr uid_t other_user = 65534;

class Crowd : public Protocol {
  protected:
    void SetUp() override {
        if (::geteuid() != 0) {
            GTEST_SKIP() << "becoming another user needs root";
        }
    }
    // Also where the test was skipped.
    void TearDown() override {
        if (child > 0) {
            ::kill(child, SIGKILL);
            ::waitpid(child, nullptr, 0);
        }
        server.pump();
        Protocol::TearDown();
    }

    // A child that is another user and does `body` until it is killed.
    template <typename Body>
    void start_crowd(Body body) {
        child = ::fork();
        ASSERT_GE(child, 0);
        if (child == 0) {
            if (::setresgid(other_user, other_user, other_user) != 0 ||
                ::setresuid(other_user, other_user, other_user) != 0) {
                ::_exit(10);
            }
            try {
                body();
            } catch (const Failure&) {
            }
            for (;;) {
                ::pause();
            }
        }
    }

    void turn_for(int ms) {
        const uint64_t end = now_ns() + static_cast<uint64_t>(ms) * ns_per_ms;
        while (now_ns() < end) {
            server.daemon.do_work(5);
        }
    }

    // The talk of a launcher and a PE, on new connections, while the crowd is at it: in a thread of their own, for they
    // wait.
    void expect_job_starts(uint32_t id) {
        std::atomic<bool> ended{false};
        std::string refused;
        std::thread clients([&] {
            try {
                const JobSpec late = small_job(id, 1);
                Channel launcher = Channel::connect(server.address);
                launcher.call(hello());
                launcher.call(create_message(late));
                Channel pe = Channel::connect(server.address);
                pe.call(hello());
                pe.call(attach_message(late, 0));
            } catch (const Failure& failure) {
                refused = failure.what();
            }
            ended = true;
        });
        while (!ended) {
            server.daemon.do_work(5);
        }
        clients.join();
        EXPECT_EQ(refused, "");
    }

    pid_t child = -1;
};

TEST_F(Crowd, ThousandsOfIdleConnectionsOfAUser) {
    start_crowd([&] {
        const rlimit descriptors = {6000, 6000};
        ::setrlimit(RLIMIT_NOFILE, &descriptors);
        std::vector<Channel> idle;
        for (int i = 0; i < 5000; i++) {
            idle.push_back(Channel::connect(server.address));
            idle.back().send(hello());
        }
        ::pause();
    });
    turn_for(1500);
    EXPECT_LT(server.daemon.clients(), 50u);
    expect_job_starts(0xa2);
}

TEST_F(Crowd, ConnectionsThatOpenAndCloseAllTheTime) {
    start_crowd([&] {
        for (;;) {
            Channel::connect(server.address).send(message_of(static_cast<MessageType>(77)));
        }
    });
    turn_for(300);
    expect_job_starts(0xa3);
}

// Its requests wait in the sockets while the daemon serves the others; then it is hung up on.
TEST_F(Crowd, FloodsOfRequestsWithoutReading) {
    start_crowd([&] {
        for (;;) {
            Channel flood = Channel::connect(server.address);
            flood.send(hello());
            while (flood.send(message_of(MessageType::kStat))) {
            }
        }
    });
    turn_for(2500);  // its burst is used up
    const uint64_t before = server.daemon.requests();
    turn_for(1000);
    EXPECT_LT(server.daemon.requests() - before, 2000u) << "1000 a second are allowed";
    expect_job_starts(0xa4);
}

TEST_F(Protocol, TheFirstMessageHasADeadline) {
    Daemon::Options options;
    options.address = "@syncline-test/" + std::to_string(::getpid()) + "/silent";
    options.admission.first_message_ns = 50 * ns_per_ms;
    options.admission.idle_ns = 1000 * ns_per_ms;
    Daemon daemon(options);
    Channel silent = Channel::connect(options.address);
    Channel greeted = Channel::connect(options.address);
    greeted.send(hello());
    Channel launcher = Channel::connect(options.address);
    launcher.send(hello());
    daemon.do_work(1000);
    launcher.send(create_message(small_job(0xa5, 1)));
    Message answer;
    const auto closes = [&](Channel* channel) {
        const uint64_t end = now_ns() + 20 * ns_per_s;
        auto received = Channel::Received::kNothing;
        while (received != Channel::Received::kClosed && now_ns() < end) {
            daemon.do_work(50);
            received = channel->receive(&answer, false);
        }
        return received == Channel::Received::kClosed;
    };
    EXPECT_TRUE(closes(&silent));
    EXPECT_EQ(greeted.receive(&answer, false), Channel::Received::kMessage);
    EXPECT_EQ(greeted.receive(&answer, false), Channel::Received::kNothing) << "it has said hello";
    EXPECT_TRUE(closes(&greeted));
    EXPECT_EQ(launcher.receive(&answer, false), Channel::Received::kMessage);
    EXPECT_EQ(launcher.receive(&answer, false), Channel::Received::kMessage);
    EXPECT_EQ(launcher.receive(&answer, false), Channel::Received::kNothing) << "a job may last";
}

}  // namespace
}  // namespace syncline
