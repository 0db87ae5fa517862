// SPDX-License-Identifier: BSD-3-Clause
// Method: rates, places and log lines under a clock of the test's own.
#include <gtest/gtest.h>

#include "daemon/admission.h"
#include "daemon/limited_log.h"

namespace syncline {
namespace {

using Place = Admission::Place;

constexpr uid_t own = 1000;
constexpr uid_t nobody = 65534;

TEST(RateLimit, LetsABurstThroughAndThenItsRate) {
    RateLimit limit(10, 100);
    uint64_t now = 5 * ns_per_s;
    int taken = 0;
    for (int i = 0; i < 1000; i++) {
        taken += limit.take(now);
    }
    EXPECT_EQ(taken, 10);
    for (int ms = 0; ms < 1000; ms++) {
        now += ns_per_ms;
        taken += limit.take(now);
    }
    EXPECT_EQ(taken, 110);
    EXPECT_FALSE(limit.idle(now));
    EXPECT_TRUE(limit.idle(now + ns_per_s));
    EXPECT_TRUE(RateLimit::every(5, 10).idle(0));
}

TEST(Admission, AUserHasAFewPlacesOfThePool) {
    Admission admission({.pool = 100, .of_user = 32}, own);
    for (int i = 0; i < 32; i++) {
        EXPECT_EQ(admission.enter(nobody, 0), Place::kOfPool);
    }
    EXPECT_EQ(admission.enter(nobody, 0), Place::kNone);
    EXPECT_EQ(admission.enter(2000, 0), Place::kOfPool) << "another user";
    admission.leave(nobody, Place::kOfPool);
    EXPECT_EQ(admission.enter(nobody, 0), Place::kOfPool);
}

TEST(Admission, ManyUsersLeaveRoomForRootAndForJobs) {
    Admission admission({.pool = 100, .of_user = 32}, own);
    int entered = 0;
    for (uid_t user = 2000; user < 3000; user++) {
        entered += admission.enter(user, 0) != Place::kNone;
    }
    EXPECT_EQ(entered, 100);
    EXPECT_EQ(admission.enter(nobody, 0), Place::kNone);
    for (int i = 0; i < 8; i++) {
        EXPECT_EQ(admission.enter(nobody, 8), Place::kOfJob) << "PE " << i << " of its job";
    }
    EXPECT_EQ(admission.enter(nobody, 8), Place::kNone);
    for (int i = 0; i < 50; i++) {
        EXPECT_EQ(admission.enter(0, 0), Place::kOfPool);
        EXPECT_EQ(admission.enter(own, 0), Place::kOfPool);
    }
    EXPECT_EQ(admission.enter(0, 0), Place::kNone) << "even root";
}

TEST(Admission, IdleConnectionsOfAUserShareItsRate) {
    Admission admission({.requests = RateLimit(10, 10)}, own);
    int asked = 0;
    for (int i = 0; i < 1000; i++) {
        asked += admission.may_ask(nobody, ns_per_s);
        admission.forget_idle(ns_per_s);  // forgets no rate that is in question
    }
    EXPECT_EQ(asked, 10);
    EXPECT_TRUE(admission.may_ask(0, ns_per_s));
}

class Log : public testing::Test {
  protected:
    std::vector<std::string> lines;
    LimitedLog log{[this](LimitedLog::Kind, const std::string& line) { lines.push_back(line); }};
};

// 500,000 events in 20 s, of one user.
TEST_F(Log, AUserFillsAFewLines) {
    uint64_t now = ns_per_s;
    for (int i = 0; i < 500'000; i++, now += 40 * ns_per_us) {
        log.write(LimitedLog::Kind::kNonsense, nobody, now, "nonsense {}", i);
        log.summarise(now);
    }
    EXPECT_GE(lines.size(), 5u);
    EXPECT_LE(lines.size(), 12u);
    EXPECT_TRUE(log.has_summary());
    now += 20 * ns_per_s;
    log.summarise(now);
    EXPECT_FALSE(log.has_summary());
    uint64_t said = 0;
    for (const std::string& line : lines) {
        said += line.find(" more ") != std::string::npos ? std::stoull(line) : 1;
    }
    EXPECT_EQ(said, 500'000u) << "none is forgotten";
}

TEST_F(Log, ManyUsersFillFewLinesASecond) {
    for (uid_t user = 0; user < 10'000; user++) {
        log.write(LimitedLog::Kind::kTurnedAway, user, ns_per_s, "turned away");
    }
    EXPECT_LE(lines.size(), 20u);
    log.write(LimitedLog::Kind::kGone, 5, ns_per_s, "another kind");
    EXPECT_EQ(lines.back(), "another kind");
}

}  // namespace
}  // namespace syncline
