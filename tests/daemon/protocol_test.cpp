// SPDX-License-Identifier: BSD-3-Clause
// Method: beside a well-behaved client, a second one talks nonsense to an in-process daemon: damaged headers, lengths
// and versions, requests out of order, descriptors that the daemon did not ask for, answers that it does not read; and
// one that is another user. Each is refused with an error message or hung up on, and the first client does not notice.
#include <bpf/bpf.h>
#include <fcntl.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <thread>

#include "daemon/targets/nic_program.h"
#include "tests/daemon/protocol_fixture.h"

namespace syncline {
namespace {

using namespace testing_daemon;

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
    for (const int other : {0, daemon_version - 1, daemon_version + 1, 65535}) {
        const auto version = static_cast<uint16_t>(other);
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
    for (const size_t body : {size_t{daemon_inline_max} + 1, size_t{daemon_inline_max} + 1000}) {
        std::vector<uint8_t> bytes(sizeof(MessageHeader) + body);
        const MessageHeader head = {daemon_magic, daemon_version, 2, static_cast<uint32_t>(body), 0};
        std::memcpy(bytes.data(), &head, sizeof(head));
        expect_raw_hung_up(bytes.data(), bytes.size());
    }
}

std::vector<uint8_t> first_part(MessageType type, uint32_t length, size_t here) {
    const MessageHeader head = {daemon_magic, daemon_version, static_cast<uint16_t>(type), length, 0};
    std::vector<uint8_t> packet(sizeof(head) + here);
    std::memcpy(packet.data(), &head, sizeof(head));
    return packet;
}

TEST_F(Protocol, TheLargestMessageComesInParts) {
    Message largest = message_of(MessageType::kCreateJob);
    largest.body.resize(daemon_message_max);
    Channel channel = server.greeted();
    std::thread sender([&] { EXPECT_TRUE(channel.send_request(largest)); });
    Message answer;
    Channel::Received received = Channel::Received::kNothing;
    for (int turn = 0; turn < 1000 && received == Channel::Received::kNothing; turn++) {
        (void)server.daemon.do_work(10);
        received = server.receive(&channel, &answer);
    }
    sender.join();
    ASSERT_EQ(received, Channel::Received::kMessage);
    EXPECT_EQ(answer.type, MessageType::kCreateJob);
    EXPECT_LT(answer.status, 0) << "it describes no job";
}

TEST_F(Protocol, LongMessagesThatAreWrong) {
    const std::vector<uint8_t> wrong[] = {
        first_part(MessageType::kCreateJob, daemon_inline_max + 1, 0),
        first_part(MessageType::kCreateJob, daemon_inline_max + 1, daemon_inline_max - 1),
        first_part(MessageType::kCreateJob, daemon_message_max + 1, daemon_inline_max),
        first_part(MessageType::kStat, daemon_inline_max + 1, daemon_inline_max),
    };
    for (const std::vector<uint8_t>& packet : wrong) {
        expect_raw_hung_up(packet.data(), packet.size());
    }
    const std::vector<uint8_t> right = first_part(MessageType::kCreateJob, daemon_inline_max + 10, daemon_inline_max);
    for (const size_t bytes : {size_t{11}, size_t{daemon_inline_max}}) {
        Channel channel = server.greeted();
        ASSERT_EQ(::send(channel.fd(), right.data(), right.size(), 0), static_cast<ssize_t>(right.size()));
        ASSERT_EQ(::send(channel.fd(), right.data(), bytes, 0), static_cast<ssize_t>(bytes));
        EXPECT_TRUE(server.hung_up(&channel)) << "the rest is " << bytes << " bytes long";
    }
    Channel channel = server.connect();
    ASSERT_EQ(::send(channel.fd(), right.data(), right.size(), 0), static_cast<ssize_t>(right.size()));
    EXPECT_TRUE(server.hung_up(&channel)) << "before Hello";
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
    // An abort by a PE that does not exist is no PE's.
    Channel channel = server.greeted();
    channel.send(message_of(MessageType::kAbort, AbortRequest{3, 0}));
    server.pump();
    Message unasked;
    EXPECT_EQ(server.receive(&creator, &unasked), Channel::Received::kNothing);
}

// lingering_test.cpp has those of other users.
TEST_F(Protocol, DescriptorsThatAreNotOwedAreRefused) {
    int ends[2];
    ASSERT_EQ(::pipe2(ends, O_CLOEXEC), 0);
    UniqueFd reader(ends[0]);
    UniqueFd writer(ends[1]);
    Channel channel = server.connect();
    EXPECT_EQ(server.ask(&channel, hello(), std::vector<int>(50, writer.get())).type, MessageType::kAbort);
    channel.close();
    server.pump();
    writer.reset();
    char byte;
    EXPECT_EQ(::read(reader.get(), &byte, 1), 0) << "no process holds the writing end any more";
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

// This daemon is not private.
TEST_F(Protocol, NicProgramsArePassedBetweenPrivateDaemonsOnly) {
    expect_hung_up(message_of(MessageType::kLendProgram));
    expect_hung_up(message_of(MessageType::kUseProgram, LentProgram{0xa1, 2, SLW_PACKET_LEAST, 0}));
}

TEST_F(Protocol, APrivateDaemonChecksTheNicProgramThatItIsToUse) {
    const Daemon::Options options = {.address = server.address + "-own", .end_with_jobs = true};
    InProcess private_one(options);
    const LentProgram lent = {0xb1, 2, SLW_PACKET_LEAST, 0};
    Channel early = private_one.greeted();
    EXPECT_EQ(private_one.ask(&early, message_of(MessageType::kLendProgram)).type, MessageType::kAbort)
        << "it has no job";
    Channel brief = private_one.greeted();
    EXPECT_EQ(private_one.ask(&brief, message_of(MessageType::kUseProgram)).type, MessageType::kAbort);
    const UniqueFd null(::open("/dev/null", O_RDONLY | O_CLOEXEC));
    Channel launcher = private_one.greeted();
    for (const size_t count : {0u, 1u, 2u, 3u, 21u, 23u, 200u}) {
        const Message refused =
            private_one.ask(&launcher, message_of(MessageType::kUseProgram, lent), std::vector<int>(count, null.get()));
        EXPECT_EQ(refused.status, SYNCLINE_ERR_PROTOCOL) << count << " descriptors";
        EXPECT_FALSE(refused.text().empty());
    }
    std::vector<int> fds(22, null.get());
    EXPECT_EQ(private_one.ask(&launcher, message_of(MessageType::kUseProgram, lent), fds).status, SYNCLINE_ERR_SYSTEM)
        << "none of them is a map";
    if (::geteuid() != 0) {
        return;
    }
    LIBBPF_OPTS(bpf_map_create_opts, mapped, .map_flags = BPF_F_MMAPABLE);
    const UniqueFd configs(bpf_map_create(BPF_MAP_TYPE_ARRAY, "configs", 4, FW_PLACES * sizeof(fw_config), 1, &mapped));
    fds[2 + static_cast<size_t>(NicTable::kConfigs)] = configs.get();
    EXPECT_EQ(private_one.ask(&launcher, message_of(MessageType::kUseProgram, lent), fds).status, SYNCLINE_OK);
    EXPECT_EQ(private_one.ask(&launcher, message_of(MessageType::kUseProgram, lent), fds).type, MessageType::kAbort)
        << "the second one";
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
                    channel.call(request);
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
