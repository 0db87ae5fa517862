// SPDX-License-Identifier: BSD-3-Clause
// Method: streams numbered datagrams from node 0 to node 1 through an XDP switch with one fault at a time,
// then with all, and compares what arrives with the requested rate and with the switch's own counters. The
// bounds are six standard deviations of a binomial distribution either way; and since every run is seeded, a
// test that passed once passes again. Skipped when not root.
#include <linux/bpf.h>
#include <sys/socket.h>

#include <algorithm>
#include <cmath>
#include <fstream>
#include <iterator>
#include <sstream>
#include <thread>

#include "base/failure.h"
#include "fixture.h"
#include "nic_program.h"
#include "testbed/netns.h"
#include "tests/seeds.h"
#include "traffic.h"

namespace syncline::testbed {
namespace {

class FaultsTest : public TestbedTest {};

constexpr uint32_t datagrams_sent = 6000;
constexpr uint64_t held_max = 8;

void expect_rate(uint64_t count, double rate, const char* what) {
    const double expected = datagrams_sent * rate;
    const double slack = 6 * std::sqrt(datagrams_sent * rate * (1 - rate));
    EXPECT_NEAR(static_cast<double>(count), expected, slack) << what;
}

// Every unicast frame that came in is accounted for.
void expect_balance(const Counters& counters, uint64_t sent) {
    EXPECT_EQ(counters.forwarded + counters.lost + counters.held, sent);
    EXPECT_EQ(counters.unknown + counters.too_long, 0u);
}

std::vector<uint32_t> sorted(std::vector<uint32_t> numbers) {
    std::sort(numbers.begin(), numbers.end());
    return numbers;
}

size_t distinct(const std::vector<uint32_t>& numbers) {
    auto copy = sorted(numbers);
    return static_cast<size_t>(std::unique(copy.begin(), copy.end()) - copy.begin());
}

TEST_F(FaultsTest, NoneByDefault) {
    const Testbed bed = Testbed::create({.nodes = 2});
    const Arrivals arrivals = stream(bed, {});
    EXPECT_EQ(arrivals.numbers.size(), datagrams_sent);
    EXPECT_EQ(arrivals.late() + arrivals.damaged, 0u);
    const Counters counters = bed.counters();
    EXPECT_EQ(counters.forwarded, datagrams_sent);
    EXPECT_EQ(counters.lost + counters.duplicated + counters.reordered + counters.corrupted + counters.held, 0u);
}

TEST_F(FaultsTest, Loses) {
    const Testbed bed = Testbed::create({.nodes = 2, .faults = {.loss = 0.1}});
    const Arrivals arrivals = stream(bed, {});
    const Counters counters = bed.counters();
    expect_rate(counters.lost, 0.1, "lost");
    EXPECT_EQ(arrivals.numbers.size(), datagrams_sent - counters.lost);
    EXPECT_EQ(arrivals.late() + arrivals.damaged, 0u);
    expect_balance(counters, datagrams_sent);
}

TEST_F(FaultsTest, Duplicates) {
    const Testbed bed = Testbed::create({.nodes = 2, .faults = {.duplicate = 0.2}});
    const Arrivals arrivals = stream(bed, {});
    const Counters counters = bed.counters();
    expect_rate(counters.duplicated, 0.2, "duplicated");
    EXPECT_EQ(arrivals.numbers.size(), datagrams_sent + counters.duplicated);
    EXPECT_EQ(distinct(arrivals.numbers), datagrams_sent);
    EXPECT_EQ(arrivals.damaged, 0u);
    expect_balance(counters, datagrams_sent);
}

TEST_F(FaultsTest, Reorders) {
    const Testbed bed = Testbed::create({.nodes = 2, .faults = {.reorder = 0.1}});
    const Arrivals arrivals = stream(bed, {});
    const Counters counters = bed.counters();
    expect_rate(counters.reordered, 0.1, "reordered");
    EXPECT_EQ(counters.held, held_max);
    // A frame is not late if by chance only reordered ones came between.
    EXPECT_LE(arrivals.late(), counters.reordered - counters.held);
    EXPECT_GE(arrivals.late(), counters.reordered * 9 / 10);
    EXPECT_EQ(arrivals.numbers.size(), datagrams_sent - counters.held);
    EXPECT_EQ(distinct(arrivals.numbers), arrivals.numbers.size());
    EXPECT_EQ(arrivals.damaged, 0u);
    expect_balance(counters, datagrams_sent);
}

void expect_all_but_held(const Arrivals& arrivals, const Counters& counters) {
    EXPECT_EQ(arrivals.numbers.size(), datagrams_sent - counters.held);
    EXPECT_EQ(distinct(arrivals.numbers), arrivals.numbers.size());
    EXPECT_EQ(arrivals.damaged, 0u);
    expect_balance(counters, datagrams_sent);
}

TEST_F(FaultsTest, ReordersShortFramesAmongLongOnes) {
    const Testbed bed = Testbed::create({.nodes = 2, .faults = {.reorder = 0.3}});
    const Arrivals arrivals = stream(bed, {.lengths = {8, 1472, 40, 900, 8, 8}});
    const Counters counters = bed.counters();
    expect_rate(counters.reordered, 0.3, "reordered");
    EXPECT_EQ(counters.held, held_max);
    expect_all_but_held(arrivals, counters);
}

TEST_F(FaultsTest, ReordersFramesOfAllLengthsIntact) {
    std::vector<size_t> lengths;
    for (size_t i = 0; i < 997; i++) {
        lengths.push_back(8 + i * 787 % 997 * 9);
    }
    const Testbed bed = Testbed::create({.nodes = 2, .faults = {.reorder = 0.5}, .mtus = {9000}});
    const Arrivals arrivals = stream(bed, {.lengths = lengths});
    expect_rate(bed.counters().reordered, 0.5, "reordered");
    expect_all_but_held(arrivals, bed.counters());
}

// Frames that XDP sees in several parts, among short ones.
TEST_F(FaultsTest, StrikeLongFrames) {
    Testbed bed = Testbed::create({.nodes = 2, .mtus = {9000}});
    uint64_t sent = 0;
    Counters counters;
    const auto arrivals_under = [&](const Faults& faults, uint64_t Counters::* counter, const char* what) {
        bed.set_faults(faults);
        Arrivals arrivals = stream(bed, {.lengths = {8972, 64, 3000, 8972}});
        counters = bed.counters();
        expect_rate(counters.*counter, 0.2, what);
        expect_balance(counters, sent += datagrams_sent);
        return arrivals;
    };
    const Arrivals left = arrivals_under({.loss = 0.2}, &Counters::lost, "lost");
    EXPECT_EQ(left.numbers.size(), datagrams_sent - counters.lost);
    const Arrivals doubled = arrivals_under({.duplicate = 0.2}, &Counters::duplicated, "duplicated");
    EXPECT_EQ(doubled.numbers.size(), datagrams_sent + counters.duplicated);
    const Arrivals mixed = arrivals_under({.reorder = 0.2}, &Counters::reordered, "reordered");
    EXPECT_EQ(mixed.numbers.size(), datagrams_sent - held_max);
    EXPECT_EQ(distinct(mixed.numbers), mixed.numbers.size());
    EXPECT_EQ(left.damaged + doubled.damaged + mixed.damaged, 0u);
    const Arrivals hit = arrivals_under({.corrupt = 0.2}, &Counters::corrupted, "corrupted");
    EXPECT_EQ(hit.numbers.size(), datagrams_sent - counters.corrupted);
    EXPECT_LT(hit.damaged, 50u);  // as in ChecksumsStopCorruptFrames
}

TEST_F(FaultsTest, StrikeTheAnswersOfANicProgram) {
    constexpr uint32_t asked = 1000;
    const Testbed bed = Testbed::create({.nodes = 2, .faults = {.reorder = 0.5}, .mtus = {9000}});
    const UniqueFd reflect = load_nic_program(XDP_TX);
    const UniqueFd link = attach_nic_program(bed.nodes()[1], reflect.get());
    ASSERT_TRUE(link.valid());
    stream(bed, {.datagrams = asked, .lengths = {8972, 64, 3000}});
    // Each answer is in turn forwarded or held.
    EXPECT_TRUE(eventually([&] { return bed.counters().forwarded + 2 * bed.counters().held >= 2 * asked; }));
    EXPECT_GT(bed.counters().reordered, asked * 8 / 10);
}

TEST_F(FaultsTest, Corrupts) {
    const Testbed bed = Testbed::create({.nodes = 2, .faults = {.corrupt = 0.1}});
    const Arrivals arrivals = stream(bed, {.lengths = {1000}, .checksums = false});
    const Counters counters = bed.counters();
    expect_rate(counters.corrupted, 0.1, "corrupted");
    // The payload is 1000 of the 1028 bytes after the Ethernet header; a hit elsewhere may stop the datagram.
    EXPECT_GT(arrivals.damaged, counters.corrupted * 9 / 10);
    EXPECT_LE(arrivals.damaged, counters.corrupted);
    EXPECT_GE(arrivals.numbers.size(), datagrams_sent - counters.corrupted);
    EXPECT_GE(counters.forwarded, datagrams_sent);  // and what node 1 answers to a hit on the protocol or port number
}

TEST_F(FaultsTest, ChecksumsStopCorruptFrames) {
    const Testbed bed = Testbed::create({.nodes = 2, .faults = {.corrupt = 1}});
    const Arrivals arrivals = stream(bed, {.datagrams = 1000, .lengths = {1000}});
    EXPECT_EQ(bed.counters().corrupted, 1000u);
    // Two flipped bits in the same column cancel in the Internet checksum: one datagram in some hundred.
    EXPECT_LT(arrivals.damaged + arrivals.numbers.size(), 50u);
}

bool equal(const Counters& a, const Counters& b) {
    return a.forwarded == b.forwarded && a.lost == b.lost && a.duplicated == b.duplicated &&
           a.reordered == b.reordered && a.corrupted == b.corrupted && a.held == b.held;
}

TEST_F(FaultsTest, SameSeedSameFaults) {
    struct Run {
        Counters counters;
        std::vector<uint32_t> numbers;
    };
    const auto run = [](uint64_t seed, double corrupt) {
        const Faults faults{.loss = 0.1, .duplicate = 0.1, .reorder = 0.1, .corrupt = corrupt, .seed = seed};
        const Testbed bed = Testbed::create({.nodes = 2, .faults = faults});
        Arrivals arrivals = stream(bed, {.lengths = {8, 200, 64}});
        expect_balance(bed.counters(), datagrams_sent);
        return Run{bed.counters(), std::move(arrivals.numbers)};
    };
    const auto compare = [&run](uint64_t seed, double corrupt) {
        const Run first = run(seed, corrupt);
        const Run again = run(seed, corrupt);
        const Run other = run(seed + 1, corrupt);
        EXPECT_TRUE(equal(first.counters, again.counters));
        EXPECT_EQ(first.numbers, again.numbers);
        EXPECT_NE(first.numbers, other.numbers);
    };
    compare(42, 0.1);
    // Some seeds flip bits of a port that cancel in the checksum: the receiving kernel answers with a frame of its own,
    // behind which all faults are others. So fresh seeds damage nothing.
    for_each_seed(1, 1, [&compare](uint64_t seed) { compare(seed, 0); });
}

TEST_F(FaultsTest, ChangeOnTheLiveSwitch) {
    Testbed bed = Testbed::create({.nodes = 2});
    EXPECT_EQ(stream(bed, {.datagrams = 1000}).numbers.size(), 1000u);
    bed.set_faults({.loss = 1});
    EXPECT_EQ(stream(bed, {.datagrams = 1000}).numbers.size(), 0u);
    bed.set_faults({.reorder = 1});
    EXPECT_EQ(stream(bed, {.datagrams = 1000}).numbers.size(), 1000u - held_max);
    bed.set_faults({.reorder = 1});  // what the run before held is lost when its slots are needed
    EXPECT_EQ(stream(bed, {.datagrams = 1000}).numbers.size(), 1000u - held_max);
    bed.set_faults({});
    EXPECT_EQ(stream(bed, {.datagrams = 1000}).numbers.size(), 1000u);
    expect_balance(bed.counters(), 5000);
    EXPECT_THROW(bed.set_faults({.loss = -0.1}), Failure);
    EXPECT_EQ(bed.options().faults.loss, 0);
}

// A node's kernel answers a datagram for a port without a socket.
uint64_t icmp_messages(const Node& node) {
    const NetnsScope scope(node.netns.get());
    std::ifstream file("/proc/thread-self/net/snmp");
    std::vector<std::string> names, values;
    for (std::string line; std::getline(file, line);) {
        std::istringstream words(line);
        std::vector<std::string> found{std::istream_iterator<std::string>(words), {}};
        if (!found.empty() && found[0] == "Icmp:") {
            (names.empty() ? names : values) = std::move(found);
        }
    }
    const auto name = std::find(names.begin(), names.end(), "OutMsgs");
    const auto at = static_cast<size_t>(name - names.begin());
    if (at >= values.size()) {
        fail(SYNCLINE_ERR_SYSTEM, "the kernel does not say how many ICMP messages a node has sent");
    }
    return std::stoull(values[at]);
}

// A flipped bit may change the port of a datagram, which its receiver answers.
TEST_F(FaultsTest, ManyChangesStayConsistent) {
    Testbed bed = Testbed::create({.nodes = 2});
    uint64_t sent = 0;
    for_each_seed(20, 5, [&](uint64_t seed) {
        bed.set_faults({.loss = 0.5, .duplicate = 0.5, .reorder = 0.5, .corrupt = 0.5, .seed = seed});
        stream(bed, {.datagrams = 64});
        expect_balance(bed.counters(), (sent += 64) + icmp_messages(bed.nodes()[1]));
    });
}

// Frames of both streams change places in one stash; each must still reach its own node, once and whole.
TEST_F(FaultsTest, SeveralCpusShareTheStash) {
    const Testbed bed = Testbed::create({.nodes = 4, .faults = {.reorder = 0.5}, .mtus = {9000}});
    Arrivals arrivals[2];
    std::thread other([&] { arrivals[1] = stream(bed, {.from = 2, .lengths = {300, 64}}); });
    arrivals[0] = stream(bed, {.from = 0, .lengths = {64, 8000}});
    other.join();
    for (const Arrivals& one : arrivals) {
        EXPECT_EQ(distinct(one.numbers), one.numbers.size());
        EXPECT_EQ(one.damaged, 0u);
    }
    const Counters counters = bed.counters();
    EXPECT_EQ(arrivals[0].numbers.size() + arrivals[1].numbers.size(), 2 * datagrams_sent - counters.held);
    expect_balance(counters, 2 * datagrams_sent);
}

TEST_F(FaultsTest, TcpSurvives) {
    const Faults faults{.loss = 0.01, .duplicate = 0.02, .reorder = 0.02, .corrupt = 0.01};
    for (const int mtu : {1500, 9000}) {
        const Testbed bed = Testbed::create({.nodes = 2, .faults = faults, .mtus = {mtu}});
        expect_tcp(bed.nodes()[0], bed.nodes()[1], AF_INET, 100000);
    }
}

}  // namespace
}  // namespace syncline::testbed
