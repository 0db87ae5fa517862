// SPDX-License-Identifier: BSD-3-Clause
// Method: a resident synclined at a path of our own, started by hand, and a job created over the protocol as the
// launcher does it: a second daemon at the path is refused, a killed one's socket is taken over, two jobs run beside
// each other, and PEs whose daemon or launcher goes away learn it.
#include <gtest/gtest.h>
#include <csignal>
#include <filesystem>

#include "tests/daemon/resident.h"

namespace syncline::testing_daemon {
namespace {

TEST_F(Resident, ASecondDaemonIsRefused) {
    const auto first = start_daemon();
    const Channel channel = connect();
    const auto second = start_daemon();
    EXPECT_EQ(second->wait(patience_ms), 1);
    EXPECT_NE(second->output().find("another synclined listens at '" + path + "'"), std::string::npos)
        << second->output();
    EXPECT_NO_THROW(connect()) << "the first one still answers";
    ::kill(first->pid(), SIGTERM);
    EXPECT_EQ(first->wait(patience_ms), 0);
    EXPECT_FALSE(std::filesystem::exists(path)) << "it takes its socket away";
}

TEST_F(Resident, AKilledDaemonsSocketIsTakenOver) {
    auto first = start_daemon();
    connect();
    ::kill(first->pid(), SIGKILL);
    EXPECT_EQ(first->wait(patience_ms), 128 + SIGKILL);
    EXPECT_TRUE(std::filesystem::exists(path));
    const auto second = start_daemon();
    EXPECT_NO_THROW(connect());
    EXPECT_EQ(second->wait(0), -1) << second->output();
}

TEST_F(Resident, TwoJobsBesideEachOther) {
    const auto daemon = start_daemon();
    Channel launchers[2] = {connect(), connect()};
    const JobSpec specs[2] = {small_job(0x77, 2), small_job(0x78, 2)};
    std::vector<std::unique_ptr<Program>> pes;
    for (int job = 0; job < 2; job++) {
        ASSERT_NO_THROW(launchers[job].call(create_message(specs[job])));
        for (int rank = 0; rank < 2; rank++) {
            pes.push_back(start_pe(specs[job], rank, "users"));
        }
    }
    for (const auto& pe : pes) {
        EXPECT_EQ(pe->wait(patience_ms), 0) << pe->output();
    }
    // The daemon outlives them and can be asked.
    launchers[0].close();
    EXPECT_NE(launchers[1].call(message_of(MessageType::kStat)).text().find("00000078"), std::string::npos);
}

class ResidentEnd : public Resident, public testing::WithParamInterface<const char*> {
  protected:
    std::unique_ptr<Program> start_waiting_pe(Channel* launcher, uint32_t job) {
        const JobSpec spec = small_job(job, 1);
        EXPECT_NO_THROW(launcher->call(create_message(spec)));
        auto pe = start_pe(spec, 0, "wait", GetParam());
        EXPECT_TRUE(pe->wait_for("ready ", 1, patience_ms)) << pe->output();
        return pe;
    }

    // SYNCLINE_ERR_NODE reaches a PE that waits, soon.
    static void expect_told(Program* pe) {
        EXPECT_EQ(pe->wait(patience_ms), 0) << pe->output();
        ASSERT_FALSE(pe->values("waited").empty()) << pe->output();
        EXPECT_EQ(pe->values("waited")[0], -10) << pe->output();
    }
};

TEST_P(ResidentEnd, PesLearnThatTheDaemonWasKilled) {
    const auto daemon = start_daemon();
    Channel launcher = connect();
    const auto pe = start_waiting_pe(&launcher, 0x79);
    ::kill(daemon->pid(), SIGKILL);
    expect_told(pe.get());
}

TEST_P(ResidentEnd, PesLearnThatTheLauncherIsGone) {
    const auto daemon = start_daemon();
    Channel launcher = connect();
    const auto pe = start_waiting_pe(&launcher, 0x7a);
    launcher.close();
    expect_told(pe.get());
    EXPECT_NO_THROW(connect());
}

INSTANTIATE_TEST_SUITE_P(Waiting, ResidentEnd, testing::Values("poll", "block"),
                         [](const auto& mode) { return std::string(mode.param); });

}  // namespace
}  // namespace syncline::testing_daemon
