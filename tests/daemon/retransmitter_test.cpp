// SPDX-License-Identifier: BSD-3-Clause
// Method: request images as a process would share them, honest and hostile, in front of the daemon's timer; a UDP
// socket shows what it sends. Wrong lengths send nothing, an image that changes while it is read is never sent torn.
#include "daemon/packet/retransmitter.h"

#include <gtest/gtest.h>
#include <netinet/in.h>

#include <atomic>
#include <cstring>
#include <thread>

#include "base/clock.h"
#include "daemon/addresses.h"
#include "daemon/targets/node_target.h"

namespace syncline {
namespace {

constexpr uint32_t packet_max = 5000;
constexpr uint64_t late = 10 * Retransmitter::interval_ns;  // a time at which everything is due

class RetransmitterTest : public testing::Test {
  protected:
    RetransmitterTest() {
        job.spec.config.nodes = job.spec.config.ranks = 1;
        job.spec.config.ports = 1;
        job.spec.config.window = 4;
        job.spec.config.packet_max = packet_max;
        job.map = RankMap::lay_out("block", 1, 1);
        job.addresses = {NodeAddress::parse("127.0.0.1")};
        receiver = make_udp_socket(job.addresses[0], 0);
        sender = make_udp_socket(job.addresses[0], 0);
        sockaddr_in bound = {};
        socklen_t length = sizeof(bound);
        getsockname(receiver.get(), reinterpret_cast<sockaddr*>(&bound), &length);
        job.spec.config.udp_port = ntohs(bound.sin_port);
        memory = make_memfd("images", requests_bytes(job.spec.config));
        EXPECT_TRUE(shared.map(memory.get(), requests_bytes(job.spec.config)));
        retransmitter = std::make_unique<Retransmitter>(&job, sender.get(), &trace);
        retransmitter->add_port(0, memory.get());
    }

    fw_image& image(uint32_t slot) { return *image_at(shared.at<RequestsHeader>(), job.spec.config, slot); }

    void arm(uint32_t slot, uint32_t length, uint32_t pad_to, uint8_t fill) {
        shared.at<RequestsHeader>()->outstanding = 1;
        fw_image& armed = image(slot);
        std::memset(armed.packet, fill, packet_max);
        armed.length = length;
        armed.pad_to = pad_to;
        armed.sent_ns = 0;
        armed.state = fw_request_id(0, slot, 7) | 1;
    }

    // Length of the next datagram, or -1.
    ssize_t receive() { return ::recv(receiver.get(), datagram, sizeof(datagram), MSG_DONTWAIT); }

    Job job;
    UniqueFd receiver, sender, memory;
    Mapping shared;
    const Trace trace;
    std::unique_ptr<Retransmitter> retransmitter;
    uint8_t datagram[65536];
};

TEST_F(RetransmitterTest, SendsWhatIsDueAtDoubledIntervals) {
    arm(1, 100, 0, 9);
    EXPECT_EQ(retransmitter->do_work(Retransmitter::interval_ns - 1), 0);
    EXPECT_EQ(retransmitter->do_work(late), 1);
    EXPECT_EQ(receive(), 100);
    EXPECT_EQ(datagram[99], 9);
    EXPECT_EQ(retransmitter->do_work(late + 1), 0);
    uint64_t now = late;
    for (const uint64_t wait : {100, 156, 156, 156}) {  // a thirty-second part of 5 s
        now += wait * ns_per_ms + (wait == 156 ? 250'000 : 0);
        EXPECT_EQ(retransmitter->do_work(now - 1), 0);
        EXPECT_EQ(retransmitter->do_work(now), 1);
    }
    image(1).state = fw_request_id(0, 1, 8) | 1;  // the next request in its slot
    EXPECT_EQ(retransmitter->do_work(now + Retransmitter::interval_ns), 1);
    EXPECT_EQ(retransmitter->total(), 6u);
}

TEST_F(RetransmitterTest, PadsWithZeros) {
    arm(0, 60, 700, 9);
    EXPECT_EQ(retransmitter->do_work(late), 1);
    ASSERT_EQ(receive(), 700);
    EXPECT_EQ(datagram[59], 9);
    EXPECT_EQ(datagram[60], 0);
    EXPECT_EQ(datagram[699], 0);
}

TEST_F(RetransmitterTest, IdleImagesAndIdlePortsSendNothing) {
    arm(0, 100, 0, 1);
    image(0).state = 7 << 8;
    EXPECT_EQ(retransmitter->do_work(late), 0);
    arm(0, 100, 0, 1);
    shared.at<RequestsHeader>()->outstanding = 0;
    EXPECT_EQ(retransmitter->do_work(late), 0);
    EXPECT_EQ(receive(), -1);
}

// A wait begins when its packet first went out, whatever is sent again, and ends with it.
TEST_F(RetransmitterTest, WaitsLastFromTheFirstPacketToTheAnswer) {
    constexpr uint64_t ms = 1'000'000;
    arm(1, 100, 0, 1);
    arm(3, 100, 0, 1);
    image(1).sent_ns = late;
    image(3).sent_ns = late + 200 * ms;
    EXPECT_TRUE(retransmitter->waits_of(0, late).empty()) << "it has not looked yet";
    retransmitter->do_work(late + 300 * ms);
    image(1).sent_ns = image(3).sent_ns = late + 400 * ms;  // the process has sent them again
    retransmitter->do_work(late + 500 * ms);
    std::vector<Retransmitter::Wait> waits = retransmitter->waits_of(0, late + 600 * ms);
    ASSERT_EQ(waits.size(), 1u) << "one node";
    EXPECT_EQ(waits[0].node, 0u);
    EXPECT_EQ(waits[0].requests, 2u);
    EXPECT_EQ(waits[0].for_ns, 600 * ms);
    image(1).state = 0;
    waits = retransmitter->waits_of(0, late + 600 * ms);
    ASSERT_EQ(waits.size(), 1u);
    EXPECT_EQ(waits[0].requests, 1u);
    EXPECT_EQ(waits[0].for_ns, 400 * ms);
    image(3).state = 8 << 8 | 1;  // the next request in its slot
    image(3).sent_ns = late + 600 * ms;
    EXPECT_TRUE(retransmitter->waits_of(0, late + 700 * ms).empty()) << "it has not been seen yet";
    retransmitter->do_work(late + 700 * ms);
    EXPECT_EQ(retransmitter->waits_of(0, late + 700 * ms).at(0).for_ns, 100 * ms);
    image(3).sent_ns = UINT64_MAX;  // from the future
    image(3).state = 9 << 8 | 1;
    retransmitter->do_work(late + 800 * ms);
    EXPECT_EQ(retransmitter->waits_of(0, late + 800 * ms).at(0).for_ns, 0u);
    shared.at<RequestsHeader>()->outstanding = 0;
    retransmitter->do_work(late + 900 * ms);
    EXPECT_TRUE(retransmitter->waits_of(0, late + 900 * ms).empty());
}

TEST_F(RetransmitterTest, LengthsAreNotBelieved) {
    for (const uint32_t bad : {packet_max + 1, SLW_PACKET_MAX + 1u, 65536u, 1u << 31, UINT32_MAX}) {
        arm(0, bad, 0, 1);
        arm(1, 64, bad, 1);
        arm(2, bad, bad, 1);
        EXPECT_EQ(retransmitter->do_work(late), 0) << bad;
    }
    EXPECT_EQ(receive(), -1);
    arm(3, packet_max, packet_max, 4);
    EXPECT_EQ(retransmitter->do_work(late + Retransmitter::interval_ns), 1);
    EXPECT_EQ(receive(), static_cast<ssize_t>(packet_max));
}

TEST_F(RetransmitterTest, NodesAreNotBelieved) {
    for (const uint32_t bad : {1u, 2u, 0xffffu}) {
        arm(0, 100, 0, 1);
        image(0).state = fw_request_id(bad, 0, 7) | 1;
        EXPECT_EQ(retransmitter->do_work(late), 0) << bad;
    }
    EXPECT_EQ(receive(), -1);
}

TEST_F(RetransmitterTest, TimesAreNotBelieved) {
    int sent = 0;
    for (const uint64_t bad : {UINT64_MAX, UINT64_MAX - Retransmitter::interval_ns, uint64_t{1} << 63}) {
        arm(0, 100, 0, 1);
        image(0).sent_ns = bad;
        for (uint64_t now = late; now < late + Retransmitter::interval_ns; now += Retransmitter::interval_ns / 10) {
            sent += retransmitter->do_work(now);
        }
    }
    EXPECT_LE(sent, 1) << "at most one packet an interval, whatever the process claims";
}

TEST_F(RetransmitterTest, AnImageThatChangesIsNeverSentTorn) {
    arm(0, 1000, 0, 1);
    std::atomic<bool> stop{false};
    std::thread writer([&] {
        fw_image& changing = image(0);
        for (uint64_t sequence = 8; !stop.load(); sequence++) {
            __atomic_store_n(&changing.state, 0, __ATOMIC_RELEASE);
            __atomic_thread_fence(__ATOMIC_SEQ_CST);
            std::memset(changing.packet, static_cast<uint8_t>(sequence), packet_max);
            __atomic_store_n(&changing.state, sequence << 8 | 1, __ATOMIC_RELEASE);
        }
    });
    int sent = 0;
    int received = 0;
    for (uint64_t turn = 1; turn < 100000 && received < 2000; turn++) {
        sent += retransmitter->do_work(late + turn * Retransmitter::interval_ns);
        for (ssize_t length = receive(); length >= 0; length = receive()) {
            received++;
            ASSERT_EQ(length, 1000);
            for (ssize_t i = 1; i < length; i++) {
                ASSERT_EQ(datagram[i], datagram[0]) << "torn at byte " << i;
            }
        }
    }
    stop = true;
    writer.join();
    EXPECT_EQ(received, sent);
}

}  // namespace
}  // namespace syncline
