// SPDX-License-Identifier: BSD-3-Clause
#include "base/check.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <csignal>
#include <string>

#include "base/emulator.h"

namespace syncline {
namespace {

int counted(int* count, int value) {
    (*count)++;
    return value;
}

TEST(Check, AnAssertionThatHoldsEvaluatesItsConditionOnly) {
    int conditions = 0;
    int values = 0;
    SYNCLINE_ASSERT(counted(&conditions, 1) == 1, "%d", counted(&values, 0));
    EXPECT_EQ(conditions, 1);
    EXPECT_EQ(values, 0);
}

TEST(Check, ACheckIsOnWhereTheBuildSaysSo) {
    int conditions = 0;
    SYNCLINE_CHECK(counted(&conditions, 1) == 1, "%d", conditions);
#ifdef SYNCLINE_CHECKS
    EXPECT_EQ(conditions, 1);
#else
    EXPECT_EQ(conditions, 0);
#endif
}

// A message and the end of the output, to which an emulator of another processor adds a line.
std::string last(const std::string& message) {
    return message + "\n" + (is_emulated() ? "qemu: uncaught target signal 6 [(]Aborted[)] - core dumped\n" : "") + "$";
}

TEST(CheckDeath, AFailedAssertionSaysWhereAndWithWhichValues) {
    EXPECT_EXIT(SYNCLINE_ASSERT(1 + 1 == 3, "%d and %s", 7, "eight"), testing::KilledBySignal(SIGABRT),
                last("syncline: a mistake in this library: check_test.cpp:[0-9]+ expects 1 \\+ 1 == 3: 7 and eight"));
}

TEST(CheckDeath, ALongMessageIsCutOff) {
    EXPECT_EXIT(SYNCLINE_ASSERT(false, "%s", std::string(5000, 'x').c_str()), testing::KilledBySignal(SIGABRT),
                last("expects false: x{800,1000}"));
}

TEST(CheckDeath, TheTraceFollowsOnce) {
    const auto print = [] {
        (void)!::write(STDERR_FILENO, "the trace\n", 10);
        SYNCLINE_ASSERT(false, "while it is printed");
    };
    EXPECT_EXIT(
        {
            syncline_at_failed_check(print);
            SYNCLINE_ASSERT(false, "first");
        },
        testing::KilledBySignal(SIGABRT), last("expects false: first\nthe trace\n[^\n]*: while it is printed"));
}

}  // namespace
}  // namespace syncline
