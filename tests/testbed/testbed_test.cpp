// SPDX-License-Identifier: BSD-3-Clause
// Method: makes anonymous test beds of a few nodes, sends kernel UDP and TCP between them (inside their own
// network namespaces only), and looks at what is left afterwards. An owner is killed with SIGKILL while veth
// "probes" join its namespaces to one of ours: a probe disappears only when the namespace at its far end
// does. Skipped when not root.
#include "testbed/testbed.h"

#include <linux/bpf.h>
#include <net/if.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <sys/wait.h>

#include <algorithm>
#include <chrono>
#include <csignal>
#include <limits>

#include "base/failure.h"
#include "fixture.h"
#include "nic_program.h"
#include "testbed/netns.h"
#include "traffic.h"

namespace syncline::testbed {
namespace {

const std::vector<std::vector<int>> tested_mtus = {{mtu_min}, {1500}, {3498}, {9000}, {9000, 1500}};

class EachSwitch : public TestbedTest, public ::testing::WithParamInterface<SwitchKind> {};

INSTANTIATE_TEST_SUITE_P(Testbed, EachSwitch, ::testing::Values(SwitchKind::kXdp, SwitchKind::kBridge),
                         [](const auto& kind) { return std::string(switch_kind_name(kind.param)); });

TEST_P(EachSwitch, CarriesUdpBetweenAllNodes) {
    const Testbed bed = Testbed::create({.nodes = 3, .kind = GetParam()});
    expect_udp_everywhere(bed);
    EXPECT_GE(bed.counters().forwarded, 12u);
}

TEST_P(EachSwitch, CarriesWhatEachLinkTakes) {
    // A bridge leaves four bytes for a VLAN tag.
    const size_t excess = GetParam() == SwitchKind::kXdp ? 1 : 5;
    for (const std::vector<int>& mtus : tested_mtus) {
        const Testbed bed = Testbed::create({.nodes = 3, .kind = GetParam(), .mtus = mtus});
        expect_longest_everywhere(bed, excess);
        EXPECT_EQ(bed.counters().too_long, GetParam() == SwitchKind::kXdp && mtus.size() > 1 ? 8u : 0u);
    }
}

TEST_P(EachSwitch, CarriesTcp) {
    for (const std::vector<int>& mtus : tested_mtus) {
        const Testbed bed = Testbed::create({.nodes = 2, .kind = GetParam(), .mtus = mtus});
        expect_tcp(bed.nodes()[0], bed.nodes()[1], AF_INET, 1 << 20);
        expect_tcp(bed.nodes()[1], bed.nodes()[0], AF_INET6, 1 << 20);
    }
}

TEST_P(EachSwitch, CarriesWhatTheKernelSegments) {
    for (const std::vector<int>& mtus : tested_mtus) {
        const Testbed bed = Testbed::create({.nodes = 2, .kind = GetParam(), .mtus = mtus});
        const int mtu = std::min(bed.nodes()[0].mtu, bed.nodes()[1].mtu);
        expect_segments(bed.nodes()[0], bed.nodes()[1], longest_datagram(mtu, AF_INET));
        expect_segments(bed.nodes()[1], bed.nodes()[0], longest_datagram(mtu, AF_INET));
    }
}

TEST_P(EachSwitch, FloodsBroadcastsToAllOthers) {
    const Testbed bed = Testbed::create({.nodes = 4, .kind = GetParam(), .mtus = {9000, 1500}});
    std::vector<UniqueFd> sockets;
    Node everyone;
    everyone.address4 = "10.83.0.255";
    for (const Node& node : bed.nodes()) {
        const NetnsScope scope(node.netns.get());
        sockets.emplace_back(::socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0));
        const int yes = 1;
        ::setsockopt(sockets.back().get(), SOL_SOCKET, SO_BROADCAST, &yes, sizeof yes);
        sockaddr_in any{};
        any.sin_family = AF_INET;
        any.sin_port = htons(4712);
        ASSERT_EQ(::bind(sockets.back().get(), reinterpret_cast<sockaddr*>(&any), sizeof any), 0);
    }
    const std::string long_text(8000, 'x');
    udp_send(sockets[2].get(), everyone, AF_INET, 4712, long_text);
    udp_send(sockets[2].get(), everyone, AF_INET, 4712, "all");
    for (size_t i = 0; i < sockets.size(); i++) {
        if (bed.nodes()[i].mtu > 8000) {
            EXPECT_EQ(udp_receive(sockets[i].get()), long_text);  // the sender's own kernel loops it back
        }
        EXPECT_EQ(udp_receive(sockets[i].get()), "all");
        EXPECT_EQ(udp_receive(sockets[i].get(), 20), "");
    }
}

TEST_P(EachSwitch, WorksWhileNicProgramsComeAndGo) {
    const Testbed bed = Testbed::create({.nodes = 3, .kind = GetParam(), .mtus = {9000}});
    const UniqueFd pass = load_nic_program(XDP_PASS);
    ASSERT_TRUE(pass.valid());
    for (int round = 0; round < 2; round++) {
        UniqueFd link = attach_nic_program(bed.nodes()[1], pass.get());
        ASSERT_TRUE(link.valid());
        expect_udp_everywhere(bed);
        expect_tcp(bed.nodes()[0], bed.nodes()[1], AF_INET, 1 << 18);
        expect_tcp(bed.nodes()[1], bed.nodes()[2], AF_INET, 1 << 18);
        link.reset();
        expect_udp_everywhere(bed);
        expect_tcp(bed.nodes()[0], bed.nodes()[1], AF_INET, 1 << 18);
    }
}

// More answers than a veth's ring holds, and nothing from node 1's own kernel that would make the switch look there.
TEST_P(EachSwitch, NicProgramCanAnswer) {
    constexpr uint32_t probes = 320;
    for (const int mtu : {1500, 9000}) {
        const Testbed bed = Testbed::create({.nodes = 2, .kind = GetParam(), .mtus = {mtu}});
        const UniqueFd reflect = load_nic_program(XDP_TX);
        ASSERT_TRUE(reflect.valid());
        const UniqueFd link = attach_nic_program(bed.nodes()[1], reflect.get());
        ASSERT_TRUE(link.valid());
        const uint64_t before = bed.counters().forwarded;
        const UniqueFd socket = udp_socket(bed.nodes()[0], AF_INET, 4711);
        const std::string text(longest_datagram(mtu, AF_INET), 'x');
        for (uint32_t asked = 1; asked <= probes; asked++) {
            udp_send(socket.get(), bed.nodes()[1], AF_INET, 4711, text);
            if (asked % 32 == 0) {
                EXPECT_TRUE(eventually([&] { return bed.counters().forwarded >= before + 2 * asked; }, 1000))
                    << bed.counters().forwarded - before << " of " << 2 * asked << ", MTU " << mtu;
            }
        }
    }
}

// The bridge learns addresses from what it forwards. Before it has, and after it has forgotten, frames for a node go to
// all others as well, and only that node takes them.
TEST_F(TestbedTest, BridgeForgetsAddresses) {
    const Testbed bed = Testbed::create({.nodes = 3, .kind = SwitchKind::kBridge});
    for (int round = 0; round < 2; round++) {
        expect_udp_everywhere(bed);
        run_in_netns(bed.switch_netns(), {"ip", "link", "set", "br0", "type", "bridge", "fdb_flush"});
    }
}

TEST_F(TestbedTest, SixteenNodesAreQuicklyMadeAndLeaveNothing) {
    const auto start = std::chrono::steady_clock::now();
    {
        const Testbed bed = Testbed::create({.nodes = 16});
    }
    EXPECT_LT(std::chrono::steady_clock::now() - start, std::chrono::seconds(2));
}

TEST_F(TestbedTest, MovesWhole) {
    Testbed first = Testbed::create({.nodes = 2});
    Testbed second = std::move(first);
    first = Testbed::create({.nodes = 2});
    expect_udp_everywhere(first);
    expect_udp_everywhere(second);
    first = std::move(second);
    expect_udp_everywhere(first);
}

TEST_F(TestbedTest, RefusesBadOptions) {
    const auto create = [](const Options& options) { return status_of([&] { Testbed::create(options); }); };
    EXPECT_EQ(create({.nodes = 0}), SYNCLINE_ERR_INVALID);
    EXPECT_EQ(create({.nodes = 251}), SYNCLINE_ERR_INVALID);
    EXPECT_EQ(create({.mtus = {mtu_min - 1}}), SYNCLINE_ERR_INVALID);
    EXPECT_EQ(create({.mtus = {1500, mtu_max + 1}}), SYNCLINE_ERR_INVALID);
    EXPECT_EQ(create({.mtus = {}}), SYNCLINE_ERR_INVALID);
    EXPECT_EQ(create({.mtus = {1500, 1500, 9000}}), SYNCLINE_ERR_INVALID);
    EXPECT_EQ(create({.faults = {.loss = 1.5}}), SYNCLINE_ERR_INVALID);
    EXPECT_EQ(create({.faults = {.corrupt = std::numeric_limits<double>::quiet_NaN()}}), SYNCLINE_ERR_INVALID);
    EXPECT_EQ(create({.kind = SwitchKind::kBridge, .faults = {.loss = 0.5}}), SYNCLINE_ERR_UNSUPPORTED);
}

TEST(Mtus, AreRead) {
    EXPECT_EQ(parse_mtus("9000"), std::vector<int>{9000});
    EXPECT_EQ(parse_mtus("1280,9000,1500"), (std::vector<int>{1280, 9000, 1500}));
    for (const char* text :
         {"", "1279", "9001", "1500,", ",1500", "1500 9000", "1500,x", "-1500", "99999999999", "1e4"}) {
        EXPECT_EQ(status_of([&] { parse_mtus(text); }), SYNCLINE_ERR_INVALID) << text;
    }
}

TEST_F(TestbedTest, RunsCommandsInsideNodes) {
    const Testbed bed = Testbed::create({.nodes = 1});
    const int netns = bed.nodes()[0].netns.get();
    run_in_netns(netns, {"sh", "-c", "grep -q eth0 /proc/net/dev"});
    EXPECT_EQ(status_of([&] { run_in_netns(netns, {"no-such-command"}); }), SYNCLINE_ERR_NOT_FOUND);
    try {
        run_in_netns(netns, {"sh", "-c", "echo first >&2; echo second >&2; exit 3"});
        FAIL();
    } catch (const Failure& failure) {
        EXPECT_NE(std::string(failure.what()).find("exited with 3: first second"), std::string::npos) << failure.what();
    }
}

// Joins a namespace to the scratch one: "p<number>" there goes when the namespace goes.
void add_probe(int netns, int scratch, int number) {
    run_in_netns(netns, {"ip", "link", "add", fmt::format("q{}", number), "type", "veth", "peer", "name",
                         fmt::format("p{}", number), "netns", fmt::format("/proc/self/fd/{}", scratch)});
}

[[noreturn]] void own_until_killed(SwitchKind kind, int scratch, int ready) {
    try {
        const Testbed bed = Testbed::create({.nodes = 2, .kind = kind});
        add_probe(bed.switch_netns(), scratch, 0);
        add_probe(bed.nodes()[0].netns.get(), scratch, 1);
        add_probe(bed.nodes()[1].netns.get(), scratch, 2);
        if (::write(ready, "r", 1) == 1) {
            ::pause();
        }
    } catch (const Failure& failure) {
        std::fprintf(stderr, "%s\n", failure.what());
    }
    ::_exit(1);
}

TEST_P(EachSwitch, NothingOutlivesAKilledOwner) {
    const UniqueFd netns = create_netns();
    const UniqueFd scratch(::dup(netns.get()));  // without close-on-exec, for `ip`
    int ready[2];
    ASSERT_EQ(::pipe(ready), 0);
    const Leftovers before = find_leftovers();
    const pid_t owner = ::fork();
    if (owner == 0) {
        own_until_killed(GetParam(), scratch.get(), ready[1]);
    }
    ::close(ready[1]);
    char byte = 0;
    ASSERT_EQ(::read(ready[0], &byte, 1), 1);
    ::close(ready[0]);
    const auto probes = [&] {
        const NetnsScope scope(scratch.get());
        return (::if_nametoindex("p0") != 0) + (::if_nametoindex("p1") != 0) + (::if_nametoindex("p2") != 0);
    };
    EXPECT_EQ(probes(), 3);
    const Leftovers its = find_leftovers().without(before);
    EXPECT_FALSE(its.programs.empty());
    ::kill(owner, SIGKILL);
    ::waitpid(owner, nullptr, 0);
    EXPECT_TRUE(eventually([&] { return probes() == 0; })) << probes();
    EXPECT_TRUE(eventually([&] { return find_leftovers().common_with(its).programs.empty(); }, others_end_ms));
}

}  // namespace
}  // namespace syncline::testbed
