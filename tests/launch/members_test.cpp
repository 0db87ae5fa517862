// SPDX-License-Identifier: BSD-3-Clause
// Method: every order in which a PE's exit and its daemon's notices can reach the launcher.
#include "launch/members.h"

#include <gtest/gtest.h>

#include <csignal>

namespace syncline {
namespace {

constexpr int exited(int code) {
    return code << 8;
}
constexpr uint64_t second = 1'000'000'000;

struct Watched {
    Members members{3};
    uint64_t now = 1;

    std::optional<Members::Verdict> say(uint32_t rank, MemberState state) { return members.notice({rank, state}, now); }
    std::optional<Members::Verdict> end(uint32_t rank, int status) { return members.process_ended(rank, status, now); }
    std::optional<Members::Verdict> later() { return members.look(now + 25 * second); }
};

TEST(Members, ThatFinalizeMayExitWithAnything) {
    Watched job;
    for (const uint32_t rank : {0u, 1u, 2u}) {
        EXPECT_FALSE(job.say(rank, MemberState::kJoined));
    }
    for (const uint32_t rank : {0u, 1u, 2u}) {
        EXPECT_FALSE(job.say(rank, MemberState::kLeft));
        EXPECT_FALSE(job.end(rank, exited(static_cast<int>(rank))));
    }
    EXPECT_FALSE(job.members.must_look());
}

TEST(Members, OfAProgramThatKnowsNothingOfTheJob) {
    Watched job;
    for (const uint32_t rank : {0u, 1u, 2u}) {
        EXPECT_FALSE(job.end(rank, exited(0)));
    }
}

TEST(Members, ThatEndBeforeTheyJoinEndTheJob) {
    Watched first;
    EXPECT_FALSE(first.end(1, exited(0))) << "the others may know nothing of the job either";
    const auto verdict = first.say(0, MemberState::kJoined);
    ASSERT_TRUE(verdict);
    EXPECT_EQ(verdict->sentence, "PE 1 ended (exit code 0) before it joined the job");
    EXPECT_EQ(verdict->code, 1);

    Watched second_job;
    EXPECT_FALSE(second_job.say(0, MemberState::kJoined));
    EXPECT_TRUE(second_job.end(1, exited(0)));

    Watched third;
    EXPECT_EQ(third.end(1, exited(7))->code, 7);

    Watched fourth;
    EXPECT_EQ(fourth.end(2, SIGSEGV)->sentence, "PE 2 was killed by signal 11 before it joined the job");
}

TEST(Members, ThatExitWithoutLeavingEndTheJob) {
    for (const bool exit_first : {true, false}) {
        Watched job;
        (void)job.say(0, MemberState::kJoined);
        (void)job.say(1, MemberState::kJoined);
        std::optional<Members::Verdict> verdict;
        if (exit_first) {
            EXPECT_FALSE(job.end(1, exited(0))) << "the daemon may have an abort of it to pass on";
            EXPECT_TRUE(job.members.must_look());
            verdict = job.say(1, MemberState::kGone);
        } else {
            EXPECT_FALSE(job.say(1, MemberState::kGone)) << "a signal may have killed it";
            EXPECT_TRUE(job.members.must_look());
            verdict = job.end(1, exited(0));
        }
        ASSERT_TRUE(verdict);
        EXPECT_EQ(verdict->sentence, "PE 1 ended (exit code 0) without finalizing");
        EXPECT_EQ(verdict->code, 1);
    }
}

TEST(Members, ThatASignalKillsDoNotEndTheJob) {
    Watched job;
    (void)job.say(0, MemberState::kJoined);
    (void)job.say(1, MemberState::kJoined);
    EXPECT_FALSE(job.end(1, SIGKILL));
    EXPECT_FALSE(job.say(1, MemberState::kGone));
    EXPECT_FALSE(job.members.must_look());
}

TEST(Members, UnderAWrapperThatLivesOn) {
    Watched job;
    (void)job.say(1, MemberState::kJoined);
    EXPECT_FALSE(job.say(1, MemberState::kGone));
    EXPECT_FALSE(job.members.look(job.now + second / 2));
    EXPECT_EQ(job.later()->sentence, "the program of PE 1 ended without finalizing");
}

// A child of the PE holds its connection open, so the daemon does not see that the PE is gone.
TEST(Members, WhoseConnectionOutlivesThem) {
    Watched job;
    (void)job.say(1, MemberState::kJoined);
    EXPECT_FALSE(job.end(1, exited(0)));
    EXPECT_TRUE(job.later());
}

TEST(Members, ThatHaveAbortedMayEndInAnyWay) {
    Watched job;
    (void)job.say(0, MemberState::kJoined);
    job.members.aborted(0);
    EXPECT_FALSE(job.end(0, exited(1)));
    EXPECT_FALSE(job.say(0, MemberState::kGone));
    EXPECT_FALSE(job.members.must_look());
}

TEST(Members, ThatAbortByMpiBeforeTheyJoinAreNotComplainedAbout) {
    Watched job;
    job.members.aborted(1);
    EXPECT_FALSE(job.end(1, exited(7)));
    EXPECT_FALSE(job.later());
}

TEST(Members, AreNamedByDaemonsWithinBounds) {
    Watched job;
    EXPECT_FALSE(job.say(3, MemberState::kJoined));
    EXPECT_FALSE(job.say(0, static_cast<MemberState>(9)));
    EXPECT_FALSE(job.end(1, exited(0))) << "no PE has joined";
}

}  // namespace
}  // namespace syncline
