// SPDX-License-Identifier: BSD-3-Clause
// Method: real jobs in trouble: a node that falls silent for longer than the peer timeout, a target that computes and
// helps no other, a UDP port that is taken, PEs without any privilege.
#include <arpa/inet.h>
#include <fmt/format.h>
#include <gtest/gtest.h>
#include <sys/socket.h>

#include <algorithm>
#include <csignal>

#include "tests/daemon/job_run.h"

namespace syncline {
namespace {

Strings options_of(const std::string& transport, const std::string& nodes) {
    return {"-N", nodes, "-t", transport, "--udp-port", std::to_string(free_port())};
}

class Progress : public testing::TestWithParam<const char*> {};

TEST_P(Progress, OperationsNeedNobodyAtTheTarget) {
    const std::string transport = GetParam();
    if (transport == "xdp" && ::geteuid() != 0) {
        GTEST_SKIP() << "the xdp transport needs root";
    }
    JobRun job(options_of(transport, transport == "shm" ? "1" : "2"), 3, {"progress"});
    ASSERT_EQ(job.launcher().wait(patience_ms), 0) << job.launcher().output();
    EXPECT_EQ(job.launcher().values("seen")[2], 400) << "some operation waited for the target's help";
}

INSTANTIATE_TEST_SUITE_P(Transports, Progress, testing::Values("shm", "udp", "xdp"),
                         [](const auto& transport) { return std::string(transport.param); });

// Node 1 says nothing any more: its agent is stopped, or its link is down. It comes back when the others have given it
// up, and the job still comes to its end.
class SilentNode : public testing::TestWithParam<const char*> {
  protected:
    void silence(JobRun* job, bool silent) const {
        const auto daemon =
            std::find_if(job->daemons().begin(), job->daemons().end(), [](const auto& one) { return one.second == 1; });
        ASSERT_NE(daemon, job->daemons().end());
        if (std::string(GetParam()) == "udp") {
            ::kill(daemon->first, silent ? SIGSTOP : SIGCONT);
            return;
        }
        Program change({"nsenter", "-t", std::to_string(daemon->first), "-n", "ip", "link", "set", "group", "default",
                        silent ? "down" : "up"});
        ASSERT_EQ(change.wait(patience_ms), 0) << change.output();
    }
};

TEST_P(SilentNode, TheOthersGoOn) {
    const std::string transport = GetParam();
    if (transport == "xdp" && ::geteuid() != 0) {
        GTEST_SKIP() << "the xdp transport needs root";
    }
    constexpr int64_t timeout_ms = 1000;
    Strings options = options_of(transport, "3");
    options.insert(options.end(), {"--peer-timeout", std::to_string(timeout_ms)});
    JobRun job(options, 3, {"silent", "1"});
    ASSERT_TRUE(job.ready()) << job.launcher().output();
    ASSERT_NO_FATAL_FAILURE(silence(&job, true));
    const bool survived = job.launcher().wait_for("survived ", 2, patience_ms);
    ASSERT_NO_FATAL_FAILURE(silence(&job, false));
    ASSERT_TRUE(survived) << job.launcher().output();
    for (const int rank : {0, 2}) {
        EXPECT_EQ(job.launcher().values("status")[rank], -9) << "SYNCLINE_ERR_PEER";
        EXPECT_GE(job.launcher().values("failed_after_ms")[rank], timeout_ms);
    }
    ::kill(job.pe(1), SIGTERM);  // the PE that pauses
    EXPECT_EQ(job.launcher().wait(patience_ms), 128 + SIGTERM) << job.launcher().output();
    EXPECT_TRUE(job.leftovers(10000).empty());
}

INSTANTIATE_TEST_SUITE_P(Transports, SilentNode, testing::Values("udp", "xdp"),
                         [](const auto& transport) { return std::string(transport.param); });

class Waiting : public testing::TestWithParam<const char*> {};

TEST_P(Waiting, WithoutADeadlineTellsOfADeathOnce) {
    const std::string transport = GetParam();
    if (transport == "xdp" && ::geteuid() != 0) {
        GTEST_SKIP() << "the xdp transport needs root";
    }
    JobRun job(options_of(transport, transport == "shm" ? "1" : "3"), 3, {"wait-twice", "1"});
    ASSERT_TRUE(job.ready()) << job.launcher().output();
    ::kill(job.pe(1), SIGKILL);
    EXPECT_EQ(job.launcher().wait(patience_ms), 128 + SIGKILL) << job.launcher().output();
    for (const int rank : {0, 2}) {
        EXPECT_EQ(job.launcher().values("told")[rank], -9) << "SYNCLINE_ERR_PEER";
        EXPECT_EQ(job.launcher().values("waited")[rank], 0);
    }
    EXPECT_TRUE(job.leftovers(10000).empty());
}

TEST_P(Waiting, IsNotDisturbedByAChildOfFork) {
    const std::string transport = GetParam();
    if (transport == "xdp" && ::geteuid() != 0) {
        GTEST_SKIP() << "the xdp transport needs root";
    }
    JobRun job(options_of(transport, transport == "shm" ? "1" : "2"), 3, {"fork"});
    EXPECT_EQ(job.launcher().wait(patience_ms), 0) << job.launcher().output();
    for (const int rank : {0, 1, 2}) {
        EXPECT_EQ(job.launcher().values("child")[rank], 7) << job.launcher().output();
    }
}

INSTANTIATE_TEST_SUITE_P(Transports, Waiting, testing::Values("shm", "udp", "xdp"),
                         [](const auto& transport) { return std::string(transport.param); });

class BarrierMember : public testing::TestWithParam<std::tuple<const char*, const char*, const char*>> {};

// A member of a barrier, or of a fence and barrier, is killed: the others are told, also those that its node's NIC
// does not talk to.
TEST_P(BarrierMember, IsMissed) {
    const auto [transport, mode, what] = GetParam();
    if (std::string(transport) == "xdp" && ::geteuid() != 0) {
        GTEST_SKIP() << "the xdp transport needs root";
    }
    ::setenv("SYNCLINE_WAIT", mode, 1);
    JobRun job(options_of(transport, std::string(transport) == "shm" ? "1" : "4"), 4, {what, "2"});
    ::unsetenv("SYNCLINE_WAIT");
    ASSERT_TRUE(job.ready()) << job.launcher().output();
    ASSERT_TRUE(job.launcher().wait_for("passed ", 4, patience_ms)) << job.launcher().output();
    ::kill(job.pe(2), SIGKILL);
    ASSERT_TRUE(job.launcher().wait_for("barrier_status ", 3, patience_ms)) << job.launcher().output();
    EXPECT_EQ(job.launcher().wait(patience_ms), 128 + SIGKILL) << job.launcher().output();
    for (const char* const call : {"barrier_status", "next_status", "close_status"}) {
        for (const int rank : {0, 1, 3}) {
            EXPECT_EQ(job.launcher().values(call)[rank], -9) << call << " of PE " << rank;
        }
    }
    EXPECT_TRUE(job.leftovers(10000).empty());
}

INSTANTIATE_TEST_SUITE_P(
    Transports, BarrierMember,
    testing::Values(std::tuple{"shm", "poll", "barriers"}, std::tuple{"udp", "poll", "barriers"},
                    std::tuple{"udp", "block", "barriers"}, std::tuple{"xdp", "poll", "barriers"},
                    std::tuple{"xdp", "block", "barriers"}, std::tuple{"shm", "block", "signal-barriers"},
                    std::tuple{"udp", "poll", "signal-barriers"}, std::tuple{"xdp", "block", "signal-barriers"},
                    std::tuple{"shm", "poll", "fence-counts"}, std::tuple{"udp", "block", "fence-counts"},
                    std::tuple{"xdp", "poll", "fence-counts"}, std::tuple{"xdp", "block", "fence-acknowledged"}),
    [](const auto& tested) {
        std::string name =
            fmt::format("{}_{}_{}", std::get<0>(tested.param), std::get<1>(tested.param), std::get<2>(tested.param));
        std::replace(name.begin(), name.end(), '-', '_');
        return name;
    });

TEST(TakenPort, IsSaidAndNothingIsLeft) {
    const UniqueFd taken(::socket(AF_INET, SOCK_DGRAM, 0));
    sockaddr_in address = {};
    address.sin_family = AF_INET;
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK + 1);  // node 1's
    address.sin_port = htons(free_port());
    ASSERT_EQ(::bind(taken.get(), reinterpret_cast<sockaddr*>(&address), sizeof(address)), 0);
    JobRun job(options_of("udp", "2"), 2, {"end"});
    EXPECT_FALSE(job.ready());
    EXPECT_EQ(job.launcher().wait(patience_ms), 1);
    const std::string& said = job.launcher().output();
    EXPECT_NE(said.find("is taken by another program"), std::string::npos) << said;
    EXPECT_NE(said.find("--udp-port"), std::string::npos) << said;
    EXPECT_TRUE(job.leftovers(5000).empty());
}

class Unprivileged : public testing::TestWithParam<const char*> {};

TEST_P(Unprivileged, PesNeedNoPrivilege) {
    if (::geteuid() != 0) {
        GTEST_SKIP() << "running PEs as another user needs root";
    }
    if (!everybody_can_run(node_pe_program())) {
        GTEST_SKIP() << "other users cannot reach the build folder";
    }
    const std::string transport = GetParam();
    Strings options = options_of(transport, transport == "shm" ? "1" : "2");
    options.insert(options.end(), {"--user", "nobody"});
    JobRun job(options, 4, {"users"});
    ASSERT_EQ(job.launcher().wait(patience_ms), 0) << job.launcher().output();
    for (int rank = 0; rank < 4; rank++) {
        EXPECT_EQ(job.launcher().values("uid")[rank], 65534);
        EXPECT_EQ(job.launcher().values("counted")[rank], 4);
    }
}

INSTANTIATE_TEST_SUITE_P(Transports, Unprivileged, testing::Values("shm", "udp", "xdp"),
                         [](const auto& transport) { return std::string(transport.param); });

}  // namespace
}  // namespace syncline
