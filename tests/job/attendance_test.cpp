// SPDX-License-Identifier: BSD-3-Clause
// Method: a launcher that says of a process what the test wants, and times that the test makes up. Nothing of this is
// in the environment, so that siblings are not known.
#include "job/launchers/attendance.h"

#include <gtest/gtest.h>

#include "base/clock.h"
#include "base/failure.h"

namespace syncline {
namespace {

class KnowingLauncher final : public Launcher {
  public:
    explicit KnowingLauncher(uint32_t rank) : rank_(rank) {}

    uint32_t rank() const override { return rank_; }
    uint32_t ranks() const override { return 8; }
    const std::vector<uint32_t>& ranks_here() const override { return here_; }
    void show(const std::string&, const Bytes&) override {}
    void exchange(uint32_t, const Meanwhile&) override {}
    std::optional<Bytes> shown_by(uint32_t, const std::string&) override { return std::nullopt; }
    Marks marks() const override { return {"TEST_LAUNCH=none", "TEST_RANK="}; }
    std::optional<Ended> ended() override { return gone; }
    void abort(int) override {}

    std::optional<Ended> gone;

  private:
    const uint32_t rank_;
    const std::vector<uint32_t> here_ = {2, 3};
};

// Looks once a second from `from` to `to`. The second of the failure, or 0; its sentence.
std::pair<int, std::string> look(Attendance* attendance, uint64_t start, int from, int to) {
    for (int second = from; second <= to; second++) {
        try {
            attendance->look(start + static_cast<uint64_t>(second) * ns_per_s + ns_per_ms);
        } catch (const Failure& failure) {
            EXPECT_EQ(failure.status(), SYNCLINE_ERR_PEER);
            return {second, failure.what()};
        }
    }
    return {0, ""};
}

TEST(Attendance, OneThatStaysAwayIsNamed) {
    KnowingLauncher launcher(2);
    Attendance attendance(&launcher, 60000);
    const uint64_t start = now_ns();
    EXPECT_EQ(look(&attendance, start, 1, 4).first, 0);
    launcher.gone = {5, "far"};
    const auto [second, sentence] = look(&attendance, start, 5, 20);
    EXPECT_EQ(second, 8);
    EXPECT_EQ(sentence, "PE 5 on far ended before it joined the job");
}

TEST(Attendance, OneThatComesBackHasNotEnded) {
    KnowingLauncher launcher(2);
    Attendance attendance(&launcher, 60000);
    const uint64_t start = now_ns();
    launcher.gone = {5, "far"};
    EXPECT_EQ(look(&attendance, start, 1, 3).first, 0);
    launcher.gone.reset();
    EXPECT_EQ(look(&attendance, start, 4, 4).first, 0);
    launcher.gone = {5, "far"};
    EXPECT_EQ(look(&attendance, start, 5, 10).first, 8);
}

TEST(Attendance, TheFirstOfAMachineAsksTheLauncher) {
    KnowingLauncher launcher(3);
    launcher.gone = {5, "far"};
    Attendance attendance(&launcher, 60000);
    EXPECT_EQ(look(&attendance, now_ns(), 1, 20).first, 0);
}

}  // namespace
}  // namespace syncline
