// SPDX-License-Identifier: BSD-3-Clause
// Method: a job is the same after it has been written and read, the largest one through a socket; each prefix of a
// description is refused, and a changed byte gives another valid job or an error message, and nothing worse.
#include "job/protocol/job_description.h"

#include <gtest/gtest.h>
#include <sys/socket.h>

#include <algorithm>
#include <numeric>

#include "base/failure.h"

namespace syncline {
namespace {

Job job_of(const RankMap& map, const char* address) {
    Job job;
    job.map = map;
    job.addresses.assign(map.nodes(), NodeAddress::parse(address));
    job.spec.token = 0x1234567890;
    fw_config& config = job.spec.config;
    config.nodes = map.nodes();
    config.ranks = map.ranks();
    config.node = map.nodes() - 1;
    config.ports = map.ports_of(config.node);
    return job;
}

void expect_equal(const Job& one, const Job& other) {
    EXPECT_EQ(std::memcmp(&one.spec, &other.spec, sizeof(JobSpec)), 0);
    EXPECT_EQ(one.addresses, other.addresses);
    ASSERT_EQ(one.map.nodes(), other.map.nodes());
    for (uint32_t node = 0; node < one.map.nodes(); node++) {
        EXPECT_TRUE(std::ranges::equal(one.map.ranks_of(node), other.map.ranks_of(node)));
    }
}

TEST(JobDescription, RoundTrip) {
    for (const char* const layout : {"block", "cyclic", "2,0,1,0,2,2,1"}) {
        Job job = job_of(RankMap::lay_out(layout, 7, 3), "10.0.0.1");
        job.addresses[1] = NodeAddress::parse("fd00::2");
        Message message;
        message.append(uint64_t{0});
        append_job(&message, job);
        expect_equal(read_job(message, sizeof(uint64_t)), job);
    }
}

TEST(JobDescription, TheLargestFitsIntoAMessage) {
    std::vector<uint16_t> ports(SLW_NODES_MAX, 1);
    ports[7]++;
    std::vector<uint16_t> ranks(SLW_RANKS_MAX);
    std::iota(ranks.rbegin(), ranks.rend(), uint16_t{0});
    const Job job = job_of(RankMap(ports, ranks), "fd00::1:2");
    Message message;
    append_job(&message, job);
    const size_t longest = message.body.size() + SLW_NODES_MAX * (NodeAddress::bytes_max - 16);
    EXPECT_LE(longest + sizeof(AttachAnswer), daemon_message_max);
    int ends[2];
    ASSERT_EQ(::socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, ends), 0);
    Channel from{UniqueFd(ends[0])};
    Channel to{UniqueFd(ends[1])};
    ASSERT_TRUE(from.send(message));
    Message received;
    ASSERT_EQ(to.receive(&received, false), Channel::Received::kMessage);
    expect_equal(read_job(received, 0), job);
    message.body.assign(daemon_message_max, 7);
    ASSERT_TRUE(from.send(message));
    ASSERT_EQ(to.receive(&received, false), Channel::Received::kMessage);
    EXPECT_EQ(received.body, message.body);
}

TEST(JobDescription, CutAndDamaged) {
    Message whole;
    append_job(&whole, job_of(RankMap::lay_out("1,0,0,1,2", 5, 3), "127.0.0.1"));
    for (size_t length = 0; length < whole.body.size(); length++) {
        Message cut;
        cut.append(whole.body.data(), length);
        EXPECT_THROW(read_job(cut, 0), Failure) << length;
    }
    int taken = 0;
    for (size_t at = 0; at < whole.body.size(); at++) {
        for (const uint8_t change : {0x01, 0x02, 0x40, 0x80, 0xff}) {
            Message damaged;
            damaged.append(whole.body.data(), whole.body.size());
            damaged.body[at] ^= change;
            try {
                const Job job = read_job(damaged, 0);
                EXPECT_EQ(job.map.ranks(), job.spec.config.ranks);
                EXPECT_EQ(job.addresses.size(), job.spec.config.nodes);
                EXPECT_EQ(job.map.ports_of(job.spec.config.node), job.spec.config.ports);
                taken++;
            } catch (const Failure& failure) {
                EXPECT_NE(std::string(failure.what()), "");
            }
        }
    }
    EXPECT_GT(taken, 0) << "what the daemon checks further is as it was written";
}

}  // namespace
}  // namespace syncline
