// SPDX-License-Identifier: BSD-3-Clause
// Method: an in-process daemon with a well-behaved client and its job, and a second client that talks nonsense: damaged
// headers, lengths and versions, requests out of order, bodies too short, foreign descriptors, wrong tokens and ranks.
// Each must be refused with a sentence or hung up on, and the first client must not notice.
#include <gtest/gtest.h>
#include <spdlog/spdlog.h>
#include <sys/wait.h>

#include "tests/node/daemon_client.h"

namespace syncline {
namespace {

using namespace testing_daemon;

class Protocol : public testing::Test {
  protected:
    Protocol() {
        spdlog::set_level(spdlog::level::off);
        creator = server.greeted();
        EXPECT_EQ(server.ask(&creator, create_message(spec)).status, SYNCLINE_OK);
        process = server.greeted();
        const Message attached = server.ask(&process, attach_message(spec, 0));
        EXPECT_EQ(attached.status, SYNCLINE_OK) << attached.text();
        EXPECT_GE(attached.fds.size(), 4u);
    }

    // The first client and its job work as if nothing had happened.
    void TearDown() override {
        const Message stat = server.ask(&creator, message_of(MessageType::kStat));
        EXPECT_EQ(stat.status, SYNCLINE_OK);
        EXPECT_NE(stat.text().find("000000a1"), std::string::npos) << stat.text();
        const Message segment = server.ask(&process, message_of(MessageType::kSegment, SegmentRequest{1, 0}));
        EXPECT_EQ(segment.type, MessageType::kSegment);
        EXPECT_EQ(segment.status, SYNCLINE_OK);
        EXPECT_EQ(segment.fds.size(), 1u);
    }

    void expect_refused(Channel* channel, const Message& request, int status) {
        const Message answer = server.ask(channel, request);
        EXPECT_EQ(answer.type, request.type);
        EXPECT_EQ(answer.status, status) << answer.text();
        EXPECT_TRUE(answer.status == SYNCLINE_OK || !answer.text().empty()) << "a refusal has a sentence";
        EXPECT_TRUE(answer.status == SYNCLINE_OK || answer.fds.empty());
    }

    void expect_hung_up(const Message& request) {
        Channel channel = server.greeted();
        EXPECT_EQ(server.ask(&channel, request).type, MessageType::kAbort);
        EXPECT_TRUE(server.hung_up(&channel));
    }

    void expect_raw_hung_up(const void* bytes, size_t count, bool greeted = true) {
        Channel channel = greeted ? server.greeted() : server.connect();
        EXPECT_EQ(::send(channel.fd(), bytes, count, MSG_NOSIGNAL), static_cast<ssize_t>(count));
        EXPECT_TRUE(server.hung_up(&channel)) << count << " bytes";
    }

    InProcess server{"/protocol"};
    const JobSpec spec = small_job(0xa1, 3);
    Channel creator, process;
};

TEST_F(Protocol, DamagedHeaders) {
    const MessageHeader good = {daemon_magic, daemon_version, 1, 0, 0};
    MessageHeader bad = good;
    bad.magic ^= 1;
    expect_raw_hung_up(&bad, sizeof(bad));
    for (const uint16_t type : {0, 11, 255, 65535}) {
        bad = good;
        bad.type = type;
        expect_raw_hung_up(&bad, sizeof(bad));
    }
    for (const uint32_t length : {1u, 16u, UINT32_MAX}) {
        bad = good;
        bad.length = length;  // there is no body
        expect_raw_hung_up(&bad, sizeof(bad));
    }
    for (size_t count = 1; count < sizeof(good); count++) {
        expect_raw_hung_up(&good, count);
    }
}

// The answer to the first message of another version says this one's; nothing else is answered.
TEST_F(Protocol, OtherVersions) {
    for (const uint16_t version : {0, 2, 65535}) {
        MessageHeader head = {daemon_magic, version, static_cast<uint16_t>(MessageType::kHello), 0, 0};
        Channel channel = server.connect();
        ASSERT_EQ(::send(channel.fd(), &head, sizeof(head), MSG_NOSIGNAL), static_cast<ssize_t>(sizeof(head)));
        server.pump();
        Message answer;
        ASSERT_EQ(channel.receive(&answer, false), Channel::Received::kMessage);
        EXPECT_EQ(answer.type, MessageType::kHello);
        EXPECT_EQ(answer.version, daemon_version);
        EXPECT_EQ(server.ask(&channel, message_of(MessageType::kStat)).type, MessageType::kAbort);
        EXPECT_TRUE(server.hung_up(&channel));
        head.type = static_cast<uint16_t>(MessageType::kStat);
        expect_raw_hung_up(&head, sizeof(head));
    }
}

TEST_F(Protocol, OversizedMessages) {
    for (const size_t body : {size_t{daemon_message_max} + 1, size_t{daemon_message_max} + 5000}) {
        std::vector<uint8_t> bytes(sizeof(MessageHeader) + body);
        const MessageHeader head = {daemon_magic, daemon_version, 2, static_cast<uint32_t>(body), 0};
        std::memcpy(bytes.data(), &head, sizeof(head));
        expect_raw_hung_up(bytes.data(), bytes.size());
    }
    Message largest = message_of(MessageType::kHello);
    largest.body.resize(daemon_message_max);
    Channel channel = server.connect();
    EXPECT_EQ(server.ask(&channel, largest).type, MessageType::kHello) << "the largest that is allowed";
}

TEST_F(Protocol, EverythingBeforeHello) {
    for (uint16_t type = 2; type <= static_cast<uint16_t>(MessageType::kAbort); type++) {
        Channel channel = server.connect();
        EXPECT_EQ(server.ask(&channel, message_of(static_cast<MessageType>(type), spec)).type, MessageType::kAbort);
        EXPECT_TRUE(server.hung_up(&channel)) << type;
    }
}

TEST_F(Protocol, RequestsOfAProcessThatIsNone) {
    for (const MessageType type : {MessageType::kSegment, MessageType::kRegister, MessageType::kDeregister,
                                   MessageType::kDetach, MessageType::kAgentMode}) {
        expect_hung_up(message_of(type, uint64_t{4096}));
    }
    // An abort by nobody is nobody's.
    Channel channel = server.greeted();
    channel.send(message_of(MessageType::kAbort, AbortRequest{3, 0}));
    server.pump();
    Message unasked;
    EXPECT_EQ(creator.receive(&unasked, false), Channel::Received::kNothing);
}

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
    const auto refused = [&](auto change, size_t nodes = 1) {
        JobSpec bad = small_job(0xc1, 2);
        change(bad);
        Channel channel = server.greeted();
        expect_refused(&channel, create_message(bad, nodes), SYNCLINE_ERR_INVALID);
    };
    refused([](JobSpec& s) { s.config.job = 0; });
    for (const uint32_t nodes : {0u, 2u, 1000u, 1u << 31, UINT32_MAX}) {
        refused([&](JobSpec& s) { s.config.nodes = nodes; });
    }
    refused([](JobSpec& s) { s.config.nodes = 0; }, 0);
    refused([](JobSpec& s) { s.config.nodes = 2000; }, 2000);
    refused([](JobSpec& s) { s.config.node = 1; });
    for (const uint32_t count : {0u, SLW_PORTS_MAX + 1u, 1u << 31, UINT32_MAX}) {
        refused([&](JobSpec& s) { s.config.ports = count; });
        refused([&](JobSpec& s) { s.config.window = count == SLW_PORTS_MAX + 1u ? SLW_WINDOW_MAX + 1u : count; });
        refused([&](JobSpec& s) { s.config.ranks = count == SLW_PORTS_MAX + 1u ? SLW_RANKS_MAX + 1u : count; });
    }
    for (const uint32_t first : {1u, 2u, UINT32_MAX}) {
        refused([&](JobSpec& s) { s.config.first_rank = first; });
    }
    refused([](JobSpec& s) { s.config.udp_port = 0; });
    refused([](JobSpec& s) { s.config.udp_port = 65536; });
    for (const uint64_t heap : {uint64_t{0}, heap_reserved_bytes, heap_reserved_bytes * 2 + 1, segment_length_max * 2,
                                UINT64_MAX}) {
        refused([&](JobSpec& s) { s.heap_bytes = heap; });
    }
    refused([](JobSpec& s) { s.transport = static_cast<TransportKind>(3); });
    refused([](JobSpec& s) { s.agent_mode = static_cast<AgentMode>(9); });
    refused([](JobSpec& s) { std::memset(s.interface, 'x', sizeof(s.interface)); });
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

TEST_F(Protocol, DescriptorsThatNobodyAskedForAreClosed) {
    int ends[2];
    ASSERT_EQ(::pipe(ends), 0);
    UniqueFd reader(ends[0]);
    UniqueFd writer(ends[1]);
    Channel channel = server.connect();
    EXPECT_EQ(server.ask(&channel, hello(), std::vector<int>(50, writer.get())).type, MessageType::kHello);
    writer.reset();
    char byte;
    EXPECT_EQ(::read(reader.get(), &byte, 1), 0) << "nobody holds the writing end any more";
}

TEST_F(Protocol, AClientThatDoesNotRead) {
    Channel channel = server.greeted();
    int sent = 0;
    while (sent < 5000 && channel.send(message_of(MessageType::kStat))) {
        sent++;
        server.pump();
    }
    EXPECT_LT(sent, 5000) << "it must be hung up on when its answers do not fit any more";
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
    ASSERT_EQ(launcher.receive(&abort, false), Channel::Received::kMessage);
    EXPECT_EQ(abort.type, MessageType::kAbort);
    launcher.close();
    EXPECT_TRUE(server.hung_up(&pe));
    Channel late = server.greeted();
    expect_refused(&late, attach_message(brief, 0), SYNCLINE_ERR_NOT_FOUND);
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

// In a child that is another user.
TEST_F(Protocol, ForeignUsers) {
    if (::geteuid() != 0) {
        GTEST_SKIP() << "becoming another user needs root";
    }
    const pid_t child = ::fork();
    ASSERT_GE(child, 0);
    if (child == 0) {
        if (::setresgid(65534, 65534, 65534) != 0 || ::setresuid(65534, 65534, 65534) != 0) {
            ::_exit(10);
        }
        int code = 0;
        try {
            Channel channel = server.connect();
            channel.call(hello());
            Message stat = channel.call(message_of(MessageType::kStat));
            code |= stat.text() == "[]" ? 0 : 1;  // other users' jobs are not shown
            const auto refused = [&](Message request) {
                try {
                    channel.call(std::move(request));
                    return false;
                } catch (const Failure& failure) {
                    return failure.status() == SYNCLINE_ERR_PERMISSION;
                }
            };
            code |= refused(create_message(small_job(0xf1, 1))) ? 0 : 2;
            code |= refused(attach_message(spec, 2)) ? 0 : 4;
        } catch (const Failure&) {
            code = 8;
        }
        ::_exit(code);
    }
    int status = 0;
    while (::waitpid(child, &status, WNOHANG) == 0) {
        server.daemon.do_work(10);
    }
    EXPECT_TRUE(WIFEXITED(status));
    EXPECT_EQ(WEXITSTATUS(status), 0);
}

}  // namespace
}  // namespace syncline
