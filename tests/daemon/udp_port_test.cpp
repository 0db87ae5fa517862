// SPDX-License-Identifier: BSD-3-Clause
// Method: several udp jobs at once on the same loopback addresses, none of which names a port: of one user and of two,
// while another program holds the usual port, and while one takes the port that a daemon is about to use.
#include <arpa/inet.h>
#include <gtest/gtest.h>
#include <net/if.h>
#include <sched.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <unistd.h>

#include <csignal>
#include <cstdio>
#include <cstring>
#include <fstream>
#include <set>

#include "base/failure.h"
#include "firmware/wire.h"
#include "launch/launch.h"
#include "tests/daemon/program.h"

namespace syncline {
namespace {

constexpr int many_jobs_patience_ms = 40000;

UniqueFd take_port(uint16_t port, uint32_t node) {
    UniqueFd taken(::socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0));
    sockaddr_in address = {};
    address.sin_family = AF_INET;
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK + node);
    address.sin_port = htons(port);
    (void)::bind(taken.get(), reinterpret_cast<sockaddr*>(&address), sizeof(address));
    return taken;  // or another test's job holds the port, which is as good
}

Strings udp_job(const char* what) {
    return {tools_folder() + "/syncline", "run", "-q", "-n", "4", "-N", "2", "-t", "udp", node_pe_program(), what};
}

TEST(UdpPort, AnotherIsChosenWhereTheUsualOneIsTaken) {
    const UniqueFd taken = take_port(SLW_DEFAULT_UDP_PORT, 1);
    Program job(udp_job("users"));
    EXPECT_EQ(job.wait(many_jobs_patience_ms), 0) << job.output();
}

// The UDP ports that are bound at an IPv4 address of this network namespace.
std::set<uint16_t> bound_ports(in_addr_t address) {
    std::set<uint16_t> ports;
    std::ifstream sockets("/proc/net/udp");
    for (std::string line; std::getline(sockets, line);) {
        unsigned local = 0;
        unsigned port = 0;
        if (std::sscanf(line.c_str(), " %*u: %8X:%4X", &local, &port) == 2 && local == address) {
            ports.insert(static_cast<uint16_t>(port));
        }
    }
    return ports;
}

// A network namespace of the test's own, where it may have one: no other job's ports come and go in it.
bool leave_the_others() {
    if (::unshare(CLONE_NEWNET) != 0) {
        return false;
    }
    const UniqueFd socket(::socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0));
    ifreq loopback = {};
    std::strcpy(loopback.ifr_name, "lo");
    loopback.ifr_flags = IFF_UP;
    return ::ioctl(socket.get(), SIOCSIFFLAGS, &loopback) == 0;
}

// Node 0 has its port, or is about to, and another program is faster at node 1's: once, or whenever it is tried.
class LostPort : public testing::TestWithParam<bool> {
  protected:
    LaunchOptions options() {
        LaunchOptions wanted;
        wanted.ranks = wanted.nodes = 2;
        wanted.transport = TransportKind::kUdp;
        wanted.quiet = true;
        wanted.program = {node_pe_program(), "end"};
        wanted.node_begins = [this](uint32_t node) {
            begun.push_back(node);
            if (node == 1 && (thieves.empty() || GetParam())) {
                thieves.push_back(take_port(port_of_node_0(), 1));
            }
        };
        return wanted;
    }

    // Its daemon was asked for the job just now.
    uint16_t port_of_node_0() const {
        for (int turn = 0; turn < 1000; turn++) {
            for (const uint16_t port : bound_ports(htonl(INADDR_LOOPBACK))) {
                if (!before.contains(port)) {
                    return port;
                }
            }
            ::usleep(5000);
        }
        ADD_FAILURE() << "the daemon of node 0 binds no port";
        return 0;
    }

    const bool alone = leave_the_others();
    const std::set<uint16_t> before = bound_ports(htonl(INADDR_LOOPBACK));
    std::vector<UniqueFd> thieves;
    std::vector<uint32_t> begun;
};

TEST_P(LostPort, AnotherIsChosenForAWhile) {
    if (GetParam()) {
        EXPECT_THROW(Launch launch(options()), Failure);
        EXPECT_EQ(begun.size(), 10 * 2);
        EXPECT_EQ(thieves.size(), 10);
    } else {
        Launch launch(options());
        EXPECT_EQ(begun, (std::vector<uint32_t>{0, 1, 0, 1}));
        launch.start();
        EXPECT_EQ(launch.run(), 0);
    }
}

INSTANTIATE_TEST_SUITE_P(Often, LostPort, testing::Bool(),
                         [](const auto& always) { return always.param ? "always" : "once"; });

TEST(UdpPort, JobsRunBesideEachOther) {
    std::vector<std::unique_ptr<Program>> jobs;
    for (int i = 0; i < 3; i++) {
        jobs.push_back(std::make_unique<Program>(udp_job("wait")));
    }
    for (const auto& job : jobs) {
        EXPECT_TRUE(job->wait_for("ready ", 4, many_jobs_patience_ms)) << job->output();
    }
    for (const auto& job : jobs) {
        ::kill(job->pid(), SIGTERM);
        EXPECT_EQ(job->wait(many_jobs_patience_ms), 128 + SIGTERM) << job->output();
    }
}

TEST(UdpPort, AJobOfAnotherUserRunsBesideARunningOne) {
    if (::geteuid() != 0) {
        GTEST_SKIP() << "becoming another user needs root";
    }
    if (!everybody_can_run(node_pe_program())) {
        GTEST_SKIP() << "other users cannot reach the build folder";
    }
    Program first(udp_job("wait"));
    ASSERT_TRUE(first.wait_for("ready ", 4, many_jobs_patience_ms)) << first.output();
    Strings as_nobody = {"setpriv", "--reuid=65534", "--regid=65534", "--clear-groups"};
    const Strings command = udp_job("users");
    as_nobody.insert(as_nobody.end(), command.begin(), command.end());
    Program second(as_nobody);
    EXPECT_EQ(second.wait(many_jobs_patience_ms), 0) << second.output();
    EXPECT_EQ(second.values("uid")[0], 65534);
    EXPECT_EQ(first.wait(0), -1) << "the first one still runs";
}

}  // namespace
}  // namespace syncline
