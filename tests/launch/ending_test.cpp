// SPDX-License-Identifier: BSD-3-Clause
// Method: events reach the Ending of a job in some order; no process belongs to the job. Its exit code and the messages
// are those of the event that ended it.
#include "launch/ending.h"

#include <gtest/gtest.h>

#include <csignal>

namespace syncline {
namespace {

constexpr int exit_status(int code) {
    return code << 8;
}

LaunchOptions options_of_three() {
    LaunchOptions options;
    options.ranks = 3;
    return options;
}

template <typename Body>
Message notice_of(MessageType type, const Body& body) {
    Message message;
    message.type = type;
    message.append(body);
    return message;
}

Message stop(const std::string& sentence) {
    Message message;
    message.type = MessageType::kStop;
    message.append(sentence.data(), sentence.size());
    return message;
}

struct JobOfThree : testing::Test {
    const LaunchOptions options = options_of_three();
    Output output;
    PeProcesses pes{options, &output};
    Ending ending{options, &pes};

    void join() {
        for (const uint32_t rank : {0u, 1u, 2u}) {
            ending.take_notice(notice_of(MessageType::kMember, MemberNotice{rank, MemberState::kJoined}));
        }
    }
    // Returns what `event` prints.
    template <typename Event>
    static std::string said(const Event& event) {
        testing::internal::CaptureStderr();
        event();
        return testing::internal::GetCapturedStderr();
    }
};

TEST_F(JobOfThree, EndsWithTheFirstFailure) {
    join();
    ending.take_notice(notice_of(MessageType::kMember, MemberNotice{1, MemberState::kGone}));
    EXPECT_EQ(said([&] { ending.process_ended(1, exit_status(5)); }),
              "syncline: PE 1 ended (exit code 5) without finalizing: ending the job\n");
    EXPECT_TRUE(ending.has_begun());
    EXPECT_EQ(said([&] { ending.process_ended(0, SIGKILL); }), "") << "its end does not matter any more";
    EXPECT_EQ(said([&] { ending.end(Members::Verdict{"another reason", 3}); }), "");
    EXPECT_EQ(ending.exit_code(), 5);
}

TEST_F(JobOfThree, OutlivesAPeThatASignalKills) {
    join();
    EXPECT_EQ(said([&] { ending.process_ended(1, SIGSEGV); }),
              "syncline: PE 1 was killed by signal 11 (Segmentation fault)\n");
    EXPECT_FALSE(ending.has_begun());
    EXPECT_EQ(ending.exit_code(), 128 + SIGSEGV);
}

TEST_F(JobOfThree, EndsWhenItsUserAsksTwice) {
    ending.take_signal(SIGUSR1);
    EXPECT_EQ(ending.signal(), 0) << "it is for the PEs alone";
    ending.take_signal(SIGINT);
    EXPECT_EQ(ending.signal(), SIGINT);
    EXPECT_FALSE(ending.has_begun()) << "PEs may clean up";
    ending.take_signal(SIGTERM);
    EXPECT_TRUE(ending.has_begun());
    EXPECT_EQ(ending.exit_code(), 128 + SIGINT);
}

TEST_F(JobOfThree, EndsWithTheCodeOfAnAbort) {
    join();
    ending.take_notice(notice_of(MessageType::kAbort, AbortRequest{256 + 7, 2}));
    ending.take_notice(notice_of(MessageType::kAbort, AbortRequest{8, 1}));
    ASSERT_TRUE(ending.is_asked_for());
    EXPECT_EQ(said([&] { ending.end_if_settled(); }), "");
    EXPECT_TRUE(ending.has_begun());
    EXPECT_FALSE(ending.is_asked_for());
    EXPECT_EQ(ending.exit_code(), 7);
}

TEST_F(JobOfThree, SaysOnceWhyADaemonEnded) {
    EXPECT_EQ(said([&] { ending.take_notice(stop("the daemon of node 0 was stopped")); }),
              "syncline: the daemon of node 0 was stopped: ending the job\n");
    EXPECT_EQ(said([&] { ending.daemon_ended("the daemon of node 0 ended with exit code 0"); }), "");
    EXPECT_EQ(ending.exit_code(), 1);
}

TEST_F(JobOfThree, HasTheCodeOfAPeOfWhichNoDaemonSpoke) {
    join();
    ending.process_ended(1, exit_status(4));
    EXPECT_EQ(ending.exit_code(), 0) << "its daemon may have an abort to pass on";
    EXPECT_EQ(ending.patience_ms(-1), 100);
    ending.process_ended(2, exit_status(0));
    ending.process_ended(0, exit_status(6));
    ending.all_ended();
    EXPECT_EQ(ending.exit_code(), 4) << "that of the first one";
}

}  // namespace
}  // namespace syncline
