// SPDX-License-Identifier: BSD-3-Clause
// Method: well-formed messages with contents that cannot be met: jobs out of bounds, the same job twice, wrong tokens
// and ranks, segments that are not there. Each is refused with the right status and an error message; and what a client
// held is given back when it, or the creator of its job, is gone.
#include <arpa/inet.h>
#include <netinet/in.h>

#include "base/mapping.h"
#include "base/trace.h"
#include "job/protocol/job_description.h"
#include "job/trace_text.h"
#include "tests/daemon/protocol_fixture.h"

namespace syncline {
namespace {

using namespace testing_daemon;

TEST_F(Protocol, BodiesTooShort) {
    Channel channel = server.greeted();
    expect_refused(&channel, message_of(MessageType::kCreateJob), SYNCLINE_ERR_PROTOCOL);
    expect_refused(&channel, message_of(MessageType::kCreateJob, uint32_t{1}), SYNCLINE_ERR_PROTOCOL);
    expect_refused(&channel, message_of(MessageType::kAttach), SYNCLINE_ERR_PROTOCOL);
    expect_refused(&channel, message_of(MessageType::kAttach, uint64_t{1}), SYNCLINE_ERR_PROTOCOL);
    Message crooked = create_message(small_job(0xb1, 1));
    crooked.append(uint8_t{0});
    expect_refused(&channel, crooked, SYNCLINE_ERR_PROTOCOL);
    for (const MessageType type : {MessageType::kSegment, MessageType::kRegister, MessageType::kDeregister}) {
        Channel pe = server.greeted();
        ASSERT_EQ(server.ask(&pe, attach_message(spec, 1)).status, SYNCLINE_OK);
        EXPECT_EQ(server.ask(&pe, message_of(type, uint16_t{1})).type, MessageType::kAbort);
        EXPECT_TRUE(server.hung_up(&pe));
        Channel again = server.greeted();
        expect_refused(&again, attach_message(spec, 1), SYNCLINE_ERR_BUSY);
        break;  // a port is used once
    }
}

TEST_F(Protocol, JobsOutOfBounds) {
    const auto refused = [&](auto change, int status = SYNCLINE_ERR_INVALID) {
        JobSpec bad = small_job(0xc1, 2);
        Description description(bad);
        change(description.spec);
        Channel channel = server.greeted();
        expect_refused(&channel, description.message(), status);
    };
    refused([](JobSpec& s) { s.config.job = 0; });
    for (const uint32_t nodes : {0u, 2u, 1000u, SLW_NODES_MAX + 1u, 1u << 31, UINT32_MAX}) {
        refused([&](JobSpec& s) { s.config.nodes = nodes; });
    }
    refused([](JobSpec& s) { s.config.node = 1; });
    for (const uint32_t count : {0u, 1u, SLW_PORTS_MAX + 1u, 1u << 31, UINT32_MAX}) {
        refused([&](JobSpec& s) { s.config.ports = count; });
    }
    for (const uint32_t window : {0u, SLW_WINDOW_MAX + 1u, 1u << 31, UINT32_MAX}) {
        refused([&](JobSpec& s) { s.config.window = window; });
    }
    for (const uint32_t ranks : {SLW_RANKS_MAX + 1u, 1u << 31, UINT32_MAX}) {
        refused([&](JobSpec& s) { s.config.ranks = ranks; });
    }
    for (const uint32_t ranks : {0u, 1u, 3u}) {  // the description has two
        refused([&](JobSpec& s) { s.config.ranks = ranks; }, SYNCLINE_ERR_PROTOCOL);
    }
    refused([](JobSpec& s) { s.config.udp_port = 0; });
    refused([](JobSpec& s) { s.config.udp_port = 65536; });
    for (const uint64_t heap :
         {uint64_t{0}, heap_reserved_bytes, heap_reserved_bytes * 2 + 1, segment_length_max * 2, UINT64_MAX}) {
        refused([&](JobSpec& s) { s.heap_bytes = heap; });
    }
    refused([](JobSpec& s) { s.transport = static_cast<TransportKind>(3); });
    for (const int cpu : {-2, 1 << 20, INT32_MIN}) {
        refused([&](JobSpec& s) { s.agent_cpu = cpu; });
    }
    refused([](JobSpec& s) { s.agent_mode = static_cast<AgentMode>(9); });
    refused([](JobSpec& s) { std::memset(s.interface, 'x', sizeof(s.interface)); });
}

// Each bad map is refused with one sentence that says which rule it breaks.
TEST_F(Protocol, BadRankMaps) {
    const auto refused = [&](const char* sentence, auto change) {
        JobSpec bad = small_job(0xc2, 2);
        bad.config.nodes = 2;
        bad.config.ranks = 4;
        Description description(bad, 2);
        change(description);
        Channel channel = server.greeted();
        const Message answer = server.ask(&channel, description.message());
        EXPECT_EQ(answer.status, SYNCLINE_ERR_INVALID) << sentence;
        EXPECT_NE(answer.text().find(sentence), std::string::npos) << answer.text();
    };
    refused("rank 1 twice, on nodes 0 and 1", [](Description& d) { d.ranks = {0, 1, 1, 3}; });
    refused("rank 2 twice, on nodes 0 and 0", [](Description& d) { d.ranks = {2, 2, 1, 3}; });
    refused("rank 4 in a job of 4 PEs", [](Description& d) { d.ranks = {0, 1, 2, 4}; });
    refused("rank 65535 in a job of 4 PEs", [](Description& d) { d.ranks = {0, 1, 2, 65535}; });
    refused("4 ranks for the 5 PEs of its nodes", [](Description& d) { d.ports[1] = 3; });
    refused("4 ranks for the 3 PEs of its nodes", [](Description& d) { d.ports[1] = 1; });
    refused("gives node 1 0 PEs", [](Description& d) { d.ports[1] = 0; });
    refused("gives node 0 257 PEs", [](Description& d) { d.ports[0] = SLW_PORTS_MAX + 1; });
    refused("gives node 1 65535 PEs", [](Description& d) { d.ports[1] = 65535; });
    refused("2 PEs on this node, and its rank map 1", [](Description& d) { d.ports = {1, 3}; });
}

TEST_F(Protocol, BadAddresses) {
    const auto answer = [&](uint8_t kind, size_t length) {
        Description description(small_job(0xc3, 1));
        description.kinds[0] = kind;
        description.addresses[0].assign(length, 1);
        Channel channel = server.greeted();
        return server.ask(&channel, description.message());
    };
    for (const uint8_t kind : {0, 3, 255}) {
        EXPECT_EQ(answer(kind, 4).status, SYNCLINE_ERR_INVALID);
        EXPECT_NE(answer(kind, 4).text().find("unknown"), std::string::npos);
    }
    for (const size_t length : {0, 3, 5, 16, 64, 65, 255}) {
        EXPECT_EQ(answer(1, length).status, SYNCLINE_ERR_INVALID) << length;
    }
    for (const size_t length : {0, 4, 15, 17, 64, 65, 255}) {
        EXPECT_EQ(answer(2, length).status, SYNCLINE_ERR_INVALID) << length;
    }
    EXPECT_EQ(answer(2, 16).status, SYNCLINE_OK);
}

// PE 2 is at port 0 of node 1, and so on: the map says which PE may attach here, and where.
TEST_F(Protocol, RanksInAnyOrder) {
    JobSpec scattered = small_job(0xc4, 3);
    scattered.config.nodes = 2;
    scattered.config.node = 1;
    scattered.config.ranks = 5;
    Description description(scattered, 2);
    description.ports = {2, 3};
    description.ranks = {4, 1, 2, 3, 0};
    Channel launcher = server.greeted();
    expect_refused(&launcher, description.message(), SYNCLINE_OK);
    server.notices.clear();
    for (const uint32_t elsewhere : {1u, 4u, 5u}) {
        Channel pe = server.greeted();
        expect_refused(&pe, attach_message(scattered, elsewhere), SYNCLINE_ERR_RANK);
    }
    for (const uint32_t here : {0u, 2u, 3u}) {
        Channel pe = server.greeted();
        const Message answer = server.ask(&pe, attach_message(scattered, here));
        ASSERT_EQ(answer.status, SYNCLINE_OK) << answer.text();
        const Job job = read_job(answer, sizeof(AttachAnswer));
        EXPECT_EQ(job.map.ranks_of(0)[0], 4);
        EXPECT_EQ(job.map.rank_at(1, job.map.port_of(here)), here);
        Message none;
        (void)server.receive(&launcher, &none);
        ASSERT_FALSE(server.notices.empty());
        EXPECT_EQ(server.notices.back().rank, here);
    }
}

TEST_F(Protocol, TheSameJobTwice) {
    Channel channel = server.greeted();
    expect_refused(&channel, create_message(spec), SYNCLINE_ERR_BUSY);
    expect_refused(&creator, create_message(small_job(0xd1, 1)), SYNCLINE_ERR_PROTOCOL);
}

TEST_F(Protocol, AttachingWrongly) {
    Channel channel = server.greeted();
    JobSpec other = spec;
    other.token++;
    expect_refused(&channel, attach_message(other, 1), SYNCLINE_ERR_PERMISSION);
    other = spec;
    other.config.job = 0xffff;
    expect_refused(&channel, attach_message(other, 1), SYNCLINE_ERR_NOT_FOUND);
    for (const uint32_t rank : {3u, 64u, UINT32_MAX}) {
        expect_refused(&channel, attach_message(spec, rank), SYNCLINE_ERR_RANK);
    }
    expect_refused(&channel, attach_message(spec, 0), SYNCLINE_ERR_BUSY);
    expect_refused(&channel, attach_message(spec, 1), SYNCLINE_OK);
    expect_refused(&channel, attach_message(spec, 2), SYNCLINE_ERR_PROTOCOL);
}

TEST_F(Protocol, SegmentsThatAreNot) {
    for (const SegmentRequest bad : {SegmentRequest{3, 0}, {UINT32_MAX, 0}, {0, 1}, {0, 16}, {1, UINT32_MAX}}) {
        expect_refused(&process, message_of(MessageType::kSegment, bad), SYNCLINE_ERR_NOT_FOUND);
        const int status = bad.port == 0 ? SYNCLINE_ERR_ADDRESS : SYNCLINE_ERR_PERMISSION;  // another PE's
        expect_refused(&process, message_of(MessageType::kDeregister, bad), status);
    }
    for (const uint64_t bytes : {uint64_t{0}, uint64_t{1}, uint64_t{4095}, segment_length_max * 2, UINT64_MAX}) {
        expect_refused(&process, message_of(MessageType::kRegister, RegisterRequest{bytes}), SYNCLINE_ERR_INVALID);
    }
    for (uint32_t i = 1; i < SLW_SEGMENTS_MAX; i++) {
        expect_refused(&process, message_of(MessageType::kRegister, RegisterRequest{4096}), SYNCLINE_OK);
    }
    expect_refused(&process, message_of(MessageType::kRegister, RegisterRequest{4096}), SYNCLINE_ERR_BUSY);
    expect_refused(&process, message_of(MessageType::kDeregister, SegmentRequest{0, 5}), SYNCLINE_OK);
    expect_refused(&process, message_of(MessageType::kDeregister, SegmentRequest{0, 5}), SYNCLINE_ERR_ADDRESS);
}

class Memory : public Protocol, public testing::WithParamInterface<TransportKind> {};

// In a job that has memory for one registration, its number and its memory are free again when the answer to its end
// has come, also where an agent sleeps. The daemon answers the others meanwhile.
TEST_P(Memory, IsGivenBackByADeregistration) {
    JobSpec small = small_job(0xc7, 1);
    small.transport = GetParam();
    small.config.udp_port = 10000 + static_cast<uint32_t>(::getpid()) % 20000;
    small.memory_mib = 2;
    Channel launcher = server.greeted();
    expect_refused(&launcher, create_message(small), SYNCLINE_OK);
    Channel pe = server.greeted();
    expect_refused(&pe, attach_message(small, 0), SYNCLINE_OK);
    const Message enlist = message_of(MessageType::kRegister, RegisterRequest{1 << 20});
    for (int round = 0; round < 20; round++) {
        const Message made = server.ask(&pe, enlist);
        SegmentAnswer segment = {};
        ASSERT_EQ(made.status, SYNCLINE_OK) << made.text();
        ASSERT_TRUE(made.read(&segment));
        EXPECT_EQ(segment.segment, 1u);
        expect_refused(&pe, enlist, SYNCLINE_ERR_NO_MEMORY);
        ASSERT_TRUE(pe.send(message_of(MessageType::kDeregister, SegmentRequest{0, 1})));
        EXPECT_EQ(server.ask(&creator, message_of(MessageType::kStat)).type, MessageType::kStat);
        Message answer = message_of(MessageType::kAbort);
        for (int turn = 0; turn < 2000 && answer.type == MessageType::kAbort; turn++) {
            server.daemon.do_work(5);
            (void)pe.receive(&answer, false);
        }
        ASSERT_EQ(answer.type, MessageType::kDeregister);
        EXPECT_EQ(answer.status, SYNCLINE_OK);
    }
}

INSTANTIATE_TEST_SUITE_P(Transports, Memory, testing::Values(TransportKind::kShm, TransportKind::kUdp),
                         [](const auto& tested) { return std::string(transport_name(tested.param)); });

TEST_F(Protocol, AJobWhoseHeapsAreMoreThanItsMemory) {
    JobSpec large = small_job(0xc8, 4);
    large.heap_bytes = (1 << 20) + SLW_BLOCK_BYTES;
    large.memory_mib = 4;
    Channel channel = server.greeted();
    expect_refused(&channel, create_message(large), SYNCLINE_ERR_NO_MEMORY);
    large.memory_mib = 5;
    expect_refused(&channel, create_message(large), SYNCLINE_OK);
}

// The daemon has a trace of its own from the first one of a PE on, and keeps those of PEs that are gone.
TEST_F(Protocol, Traces) {
    const auto traces = [&](uint32_t job, uint32_t first) {
        return server.ask(&creator, message_of(MessageType::kTraces, TracesRequest{job, 0, first, 0}));
    };
    const auto count_of = [](const Message& answer) {
        TracesAnswer found = {};
        EXPECT_TRUE(answer.read(&found)) << answer.text();
        return found.traces;
    };
    EXPECT_EQ(count_of(traces(0xa1, 0)), 0u);
    EXPECT_EQ(traces(0xa2, 0).status, SYNCLINE_ERR_NOT_FOUND);
    for (const uint32_t events : {0u, 1u, 32u, 100u, 131072u}) {
        expect_refused(&process, message_of(MessageType::kTrace, TraceRequest{events, 0}), SYNCLINE_ERR_INVALID);
    }
    Message made = server.ask(&process, message_of(MessageType::kTrace, TraceRequest{64, 0}));
    ASSERT_EQ(made.status, SYNCLINE_OK) << made.text();
    ASSERT_EQ(made.fds.size(), 1u);
    expect_refused(&process, message_of(MessageType::kTrace, TraceRequest{64, 0}), SYNCLINE_ERR_BUSY);
    {
        Mapping memory;
        ASSERT_TRUE(memory.map(made.fds[0].get(), trace_bytes(64)));
        TraceRing ring(std::move(memory), 64, {0, 0, 0xa1, 1});
        ring.write(TraceKind::kFailed, -1, 0, 0, SYNCLINE_ERR_BUSY, 0, "test");
    }
    EXPECT_NE(::ftruncate(made.fds[0].get(), 0), 0) << "a reader would be ended by SIGBUS";
    process.close();
    for (int turn = 0; turn < 20; turn++) {
        server.daemon.do_work(5);
    }
    const Message all = traces(0xa1, 0);
    EXPECT_EQ(count_of(all), 2u);
    ASSERT_EQ(all.fds.size(), 2u);
    const auto of_daemon = read_trace(all.fds[0].get());
    const auto of_pe = read_trace(all.fds[1].get());
    ASSERT_TRUE(of_daemon && of_pe);
    EXPECT_EQ(of_daemon->owner.rank, -1);
    ASSERT_EQ(of_daemon->events.size(), 2u);
    EXPECT_EQ(of_daemon->events[0].kind, TraceKind::kAttached);
    EXPECT_EQ(of_daemon->events[1].kind, TraceKind::kDied);
    EXPECT_EQ(of_pe->owner.rank, 0);
    ASSERT_EQ(of_pe->events.size(), 1u);
    Mapping written;
    EXPECT_FALSE(written.map(all.fds[0].get(), trace_bytes(64))) << "a reader writes the daemon's trace";
    EXPECT_EQ(traces(0xa1, 1).fds.size(), 1u);
    EXPECT_EQ(traces(0xa1, 2).fds.size(), 0u);
    process = server.greeted();
    ASSERT_EQ(server.ask(&process, attach_message(spec, 1)).status, SYNCLINE_OK);
}

// The end of a PE that rests is no death; it may rest and go on as often as it likes.
TEST_F(Protocol, APeThatRests) {
    const auto dead = [&] {
        const std::string text = server.ask(&creator, message_of(MessageType::kStat)).text();
        return text.find("\"dead\":0") != std::string::npos ? 0 : 1;
    };
    const auto rest = [&](Channel* channel, uint32_t rests) {
        return server.ask(channel, message_of(MessageType::kRest, RestRequest{rests, 0})).status;
    };
    for (uint32_t rank = 1; rank <= 2; rank++) {
        Channel other = server.greeted();
        ASSERT_EQ(server.ask(&other, attach_message(spec, rank)).status, SYNCLINE_OK);
        EXPECT_EQ(rest(&other, 1), SYNCLINE_OK);
        EXPECT_EQ(rest(&other, 0), SYNCLINE_OK);
        if (rank == 1) {
            EXPECT_EQ(rest(&other, 1), SYNCLINE_OK);
        }
        EXPECT_EQ(dead(), 0);
        other.close();
        server.pump();
        EXPECT_EQ(dead(), rank == 1 ? 0 : 1);
    }
    expect_hung_up(message_of(MessageType::kRest, RestRequest{1, 0}));  // it is not attached
    EXPECT_EQ(server.ask(&process, message_of(MessageType::kRest, RestRequest{0, 0})).status, SYNCLINE_OK);
}

// A PE dies with three locks of pairs of another PE. It has committed one operation, which the daemon completes; the
// lock of a living PE stays.
TEST_F(Protocol, APeThatDiesWithLocksOfPairs) {
    Channel dying = server.greeted();
    const Message attached = server.ask(&dying, attach_message(spec, 2));
    ASSERT_EQ(attached.status, SYNCLINE_OK) << attached.text();
    const Message segment = server.ask(&process, message_of(MessageType::kSegment, SegmentRequest{1, 0}));
    ASSERT_EQ(segment.fds.size(), 1u);
    Mapping ports, heap;
    ASSERT_TRUE(ports.map(attached.fds[0].get(), sizeof(fw_port) * spec.config.ports));
    ASSERT_TRUE(heap.map(segment.fds[0].get(), spec.heap_bytes));
    fw_pair_lock* const locks = ports.at<fw_port>()[1].pair_locks;
    auto* const pairs = heap.at<uint64_t>();
    const uint64_t dead = 2 + 1, living = 0 + 1;
    locks[0] = {.owner = dead << 1 | 1, .address = 16, .low = 5, .high = 6};
    locks[1] = {.owner = dead << 1, .address = 32, .low = 7, .high = 8};
    locks[2] = {.owner = dead << 1 | 1, .address = spec.heap_bytes, .low = 9, .high = 9};
    locks[3] = {.owner = living << 1 | 1, .address = 48, .low = 9, .high = 9};
    dying.close();
    server.pump();
    EXPECT_EQ(locks[0].owner | locks[1].owner | locks[2].owner, 0u);
    EXPECT_EQ(locks[3].owner, living << 1 | 1);
    EXPECT_EQ(pairs[2], 5u);
    EXPECT_EQ(pairs[3], 6u);
    for (const size_t untouched : {4, 5, 6, 7}) {
        EXPECT_EQ(pairs[untouched], 0u);
    }
}

TEST_F(Protocol, AJobEndsWithItsCreator) {
    Channel launcher = server.greeted();
    const JobSpec brief = small_job(0xe1, 1);
    ASSERT_EQ(server.ask(&launcher, create_message(brief)).status, SYNCLINE_OK);
    Channel pe = server.greeted();
    ASSERT_EQ(server.ask(&pe, attach_message(brief, 0)).status, SYNCLINE_OK);
    pe.send(message_of(MessageType::kAbort, AbortRequest{9, 0}));
    server.pump();
    Message abort;
    ASSERT_EQ(server.receive(&launcher, &abort), Channel::Received::kMessage);
    EXPECT_EQ(abort.type, MessageType::kAbort);
    launcher.close();
    EXPECT_TRUE(server.hung_up(&pe));
    Channel late = server.greeted();
    expect_refused(&late, attach_message(brief, 0), SYNCLINE_ERR_NOT_FOUND);
}

// The launcher hears of a PE's coming and going before the PE has its answer.
TEST_F(Protocol, TheLauncherIsToldOfMembers) {
    Channel launcher = server.greeted();
    const JobSpec brief = small_job(0xe4, 2);
    ASSERT_EQ(server.ask(&launcher, create_message(brief)).status, SYNCLINE_OK);
    Channel leaving = server.greeted();
    Channel dying = server.greeted();
    const auto expect_notice = [&](uint32_t rank, MemberState state) {
        Message none;
        server.notices.clear();
        server.pump();
        EXPECT_EQ(server.receive(&launcher, &none), Channel::Received::kNothing);
        ASSERT_EQ(server.notices.size(), 1u);
        EXPECT_EQ(server.notices[0].rank, rank);
        EXPECT_EQ(server.notices[0].state, state);
    };
    ASSERT_EQ(server.ask(&leaving, attach_message(brief, 0)).status, SYNCLINE_OK);
    expect_notice(0, MemberState::kJoined);
    ASSERT_EQ(server.ask(&dying, attach_message(brief, 1)).status, SYNCLINE_OK);
    expect_notice(1, MemberState::kJoined);
    ASSERT_EQ(server.ask(&leaving, message_of(MessageType::kDetach)).status, SYNCLINE_OK);
    expect_notice(0, MemberState::kLeft);
    dying.close();
    expect_notice(1, MemberState::kGone);
    leaving.close();
    server.pump();
    Message none;
    EXPECT_EQ(server.receive(&launcher, &none), Channel::Received::kNothing) << "it has said that it leaves";
}

// One thread of a PE asks for a segment, or ends one, another aborts the job, and the PE ends. The answer reaches no
// process; the launcher hears the abort all the same, and in front of the PE's end, which it would report otherwise.
TEST_F(Protocol, AnAbortIsHeardBehindARequestThatIsNotAnswered) {
    for (const MessageType type : {MessageType::kSegment, MessageType::kDeregister}) {
        Channel launcher = server.greeted();
        const JobSpec brief = small_job(0xe5 + static_cast<uint32_t>(type), 2);
        ASSERT_EQ(server.ask(&launcher, create_message(brief)).status, SYNCLINE_OK);
        Channel pe = server.greeted();
        ASSERT_EQ(server.ask(&pe, attach_message(brief, 1)).status, SYNCLINE_OK);
        ASSERT_EQ(server.ask(&pe, message_of(MessageType::kRegister, RegisterRequest{4096})).status, SYNCLINE_OK);
        Message message;
        ASSERT_EQ(server.receive(&launcher, &message), Channel::Received::kNothing);
        pe.send(message_of(type, SegmentRequest{1, 1}));
        pe.send(message_of(MessageType::kAbort, AbortRequest{9, 0}));
        pe.close();
        server.pump();
        AbortRequest abort = {};
        MemberNotice notice = {};
        ASSERT_EQ(launcher.receive(&message, false), Channel::Received::kMessage);
        ASSERT_EQ(message.type, MessageType::kAbort);
        ASSERT_TRUE(message.read(&abort));
        EXPECT_EQ(abort.code, 9);
        EXPECT_EQ(abort.rank, 1u);
        ASSERT_EQ(launcher.receive(&message, false), Channel::Received::kMessage);
        ASSERT_EQ(message.type, MessageType::kMember);
        ASSERT_TRUE(message.read(&notice));
        EXPECT_EQ(notice.rank, 1u);
        EXPECT_EQ(notice.state, MemberState::kGone);
    }
}

// A PE gets a socket for each node, up to a number. They are bound to the node's address, and connected to none.
TEST_F(Protocol, SocketsForManyNodes) {
    for (const uint32_t nodes : {2u, pe_sockets_max, 610u}) {
        JobSpec many = small_job(0xf1 + nodes, 1);
        many.transport = TransportKind::kUdp;
        many.config.nodes = many.config.ranks = nodes;
        many.config.udp_port = 10000 + static_cast<uint32_t>(::getpid()) % 20000;
        Description description(many, nodes);
        for (uint32_t i = 0; i < nodes; i++) {
            description.addresses[i] = {127, 0, static_cast<uint8_t>(1 + i / 250), static_cast<uint8_t>(1 + i % 250)};
        }
        Channel launcher = server.greeted();
        expect_refused(&launcher, description.message(), SYNCLINE_OK);
        Channel pe = server.greeted();
        const Message answer = server.ask(&pe, attach_message(many, 0));
        ASSERT_EQ(answer.status, SYNCLINE_OK) << answer.text();
        constexpr size_t tables = 7;
        const size_t last = tables + std::min(nodes, pe_sockets_max);
        ASSERT_EQ(answer.fds.size(), last + 1) << "with the event of one port";
        for (size_t i = tables; i < last; i++) {
            sockaddr_in address = {};
            socklen_t length = sizeof(address);
            ASSERT_EQ(::getsockname(answer.fds[i].get(), reinterpret_cast<sockaddr*>(&address), &length), 0);
            EXPECT_EQ(ntohl(address.sin_addr.s_addr), 0x7f000101u);
            EXPECT_NE(address.sin_port, 0);
            EXPECT_NE(::getpeername(answer.fds[i].get(), reinterpret_cast<sockaddr*>(&address), &length), 0);
        }
        launcher.close();
        server.pump();
    }
}

// More ports than an answer has room for: each further answer holds the events that fit.
TEST_F(Protocol, EventsOfManyPorts) {
    const JobSpec many = small_job(0xf7, SLW_PORTS_MAX);
    Channel launcher = server.greeted();
    expect_refused(&launcher, create_message(many), SYNCLINE_OK);
    Channel pe = server.greeted();
    Message answer = server.ask(&pe, attach_message(many, 3));
    ASSERT_EQ(answer.status, SYNCLINE_OK) << answer.text();
    ASSERT_EQ(answer.fds.size(), daemon_fds_max);
    const auto first = static_cast<uint32_t>(daemon_fds_max - 7);
    answer = server.ask(&pe, message_of(MessageType::kEvents, EventsRequest{first, 0}));
    ASSERT_EQ(answer.status, SYNCLINE_OK) << answer.text();
    EXPECT_EQ(answer.fds.size(), SLW_PORTS_MAX - first);
    for (const uint32_t wrong : {+SLW_PORTS_MAX, -1}) {
        expect_refused(&pe, message_of(MessageType::kEvents, EventsRequest{static_cast<uint32_t>(wrong), 0}),
                       SYNCLINE_ERR_INVALID);
    }
    expect_hung_up(message_of(MessageType::kEvents, EventsRequest{0, 0}));
}

// A client may be both: the end of the job that it is attached to also ends the one that it has created.
TEST_F(Protocol, ACreatorThatIsHungUpOn) {
    Channel launcher = server.greeted();
    Channel both = server.greeted();
    const JobSpec first = small_job(0xe2, 1);
    const JobSpec second = small_job(0xe3, 1);
    ASSERT_EQ(server.ask(&launcher, create_message(first)).status, SYNCLINE_OK);
    ASSERT_EQ(server.ask(&both, create_message(second)).status, SYNCLINE_OK);
    ASSERT_EQ(server.ask(&both, attach_message(first, 0)).status, SYNCLINE_OK);
    launcher.close();
    EXPECT_TRUE(server.hung_up(&both));
    EXPECT_EQ(server.ask(&creator, message_of(MessageType::kStat)).text().find("000000e3"), std::string::npos);
}

}  // namespace
}  // namespace syncline
