// SPDX-License-Identifier: BSD-3-Clause
// Method: the orders in which a PE's exit and the PMIx server's reports can reach the launcher.
#include "launch/mpi_members.h"

#include <gtest/gtest.h>

#include <csignal>

namespace syncline {
namespace {

constexpr uint64_t second_ns = 1'000'000'000;

constexpr int exited_with(int code) {
    return code << 8;
}

TEST(MpiMembers, ThatFinalizeMayExitWithAnything) {
    MpiMembers members(2);
    for (const uint32_t rank : {0u, 1u}) {
        EXPECT_FALSE(members.begun(rank));
    }
    for (const uint32_t rank : {0u, 1u}) {
        members.finished(rank);
        members.lost(rank, second_ns);
        EXPECT_FALSE(members.process_ended(rank, exited_with(static_cast<int>(rank))));
    }
    EXPECT_FALSE(members.must_look());
}

TEST(MpiMembers, OfAProgramWithoutMpi) {
    MpiMembers members(2);
    EXPECT_FALSE(members.process_ended(0, exited_with(0)));
    EXPECT_FALSE(members.process_ended(1, SIGKILL));
    EXPECT_FALSE(members.must_look());
}

TEST(MpiMembers, ThatEndWithoutMpiEndTheJobOfThoseThatUseIt) {
    MpiMembers before(2);
    EXPECT_FALSE(before.process_ended(1, exited_with(0)));
    const auto late = before.begun(0);
    ASSERT_TRUE(late);
    EXPECT_EQ(late->sentence, "PE 1 ended (exit code 0) without MPI_Init, which other PEs have called");
    EXPECT_EQ(late->code, 1);

    MpiMembers after(2);
    EXPECT_FALSE(after.begun(0));
    EXPECT_TRUE(after.process_ended(1, exited_with(0)));
}

// Whichever comes first: that another PE begins with MPI, or that this one fails.
TEST(MpiMembers, ThatFailWithoutMpiGiveTheJobTheirCode) {
    MpiMembers after(3);
    EXPECT_FALSE(after.begun(0));
    const auto failed = after.process_ended(1, exited_with(3));
    ASSERT_TRUE(failed);
    EXPECT_EQ(failed->sentence, "PE 1 ended (exit code 3) without MPI_Init, which other PEs have called");
    EXPECT_EQ(failed->code, 3);
    const auto killed = after.process_ended(2, SIGKILL);
    ASSERT_TRUE(killed);
    EXPECT_EQ(killed->sentence, "PE 2 was killed by signal 9 before MPI_Init, which other PEs have called");
    EXPECT_EQ(killed->code, 128 + SIGKILL);

    MpiMembers before(2);
    EXPECT_FALSE(before.process_ended(1, exited_with(3)));
    const auto late = before.begun(0);
    ASSERT_TRUE(late);
    EXPECT_EQ(late->code, 3);
}

TEST(MpiMembers, ThatEndInsideEndTheJob) {
    MpiMembers members(3);
    for (const uint32_t rank : {0u, 1u, 2u}) {
        EXPECT_FALSE(members.begun(rank));
    }
    const auto with_0 = members.process_ended(0, exited_with(0));
    ASSERT_TRUE(with_0);
    EXPECT_EQ(with_0->sentence, "PE 0 ended (exit code 0) without MPI_Finalize");
    EXPECT_EQ(with_0->code, 1);
    EXPECT_EQ(members.process_ended(1, exited_with(5))->code, 5);
    const auto killed = members.process_ended(2, SIGKILL);
    ASSERT_TRUE(killed);
    EXPECT_EQ(killed->sentence, "PE 2 was killed by signal 9 before MPI_Finalize");
    EXPECT_EQ(killed->code, 137);
}

TEST(MpiMembers, ThatAbortAreNotComplainedAbout) {
    MpiMembers members(2);
    EXPECT_FALSE(members.begun(1));
    members.aborted(1);
    members.lost(1, 1);
    EXPECT_FALSE(members.process_ended(1, exited_with(7)));
    EXPECT_FALSE(members.look(10 * second_ns));
}

TEST(MpiMembers, WhoseWrapperLivesOn) {
    MpiMembers members(2);
    EXPECT_FALSE(members.begun(1));
    members.lost(1, second_ns);
    EXPECT_TRUE(members.must_look());
    EXPECT_FALSE(members.look(second_ns + second_ns / 2)) << "its exit may be about to say more";
    const auto verdict = members.look(3 * second_ns);
    ASSERT_TRUE(verdict);
    EXPECT_EQ(verdict->sentence, "the program of PE 1 ended without MPI_Finalize");
    EXPECT_FALSE(members.must_look()) << "once is enough";
}

TEST(MpiMembers, OfTwoProgramsByTurns) {
    MpiMembers members(1);
    EXPECT_FALSE(members.begun(0));
    members.finished(0);
    EXPECT_FALSE(members.begun(0));
    EXPECT_TRUE(members.process_ended(0, exited_with(0))) << "the second one has not finished";
}

TEST(MpiMembers, ThatThereAreNot) {
    MpiMembers members(1);
    EXPECT_FALSE(members.begun(1));
    members.finished(UINT32_MAX);
    members.lost(7, 1);
    members.aborted(7);
    EXPECT_FALSE(members.must_look());
}

}  // namespace
}  // namespace syncline
