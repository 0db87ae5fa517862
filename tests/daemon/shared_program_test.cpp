// SPDX-License-Identifier: BSD-3-Clause
// Method: real jobs over xdp, whose daemons' descriptors tell which programs they have. The nodes of a job have the
// same NIC program, except where their links differ. The daemon that has loaded it is killed while the launcher is
// stopped: the other nodes' operations go on, until the launcher runs again and ends the job with its error message;
// nothing stays.
#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>
#include <csignal>
#include <set>
#include <string>

#include "tests/daemon/job_run.h"
#include "tests/daemon/programs_of.h"

namespace syncline {
namespace {

constexpr size_t parts = 3;  // the NIC program, the one for clones of frames, the dispatcher

class SharedProgram : public testing::Test {
  protected:
    void SetUp() override {
        if (::geteuid() != 0) {
            GTEST_SKIP() << "the xdp transport needs root";
        }
    }

    static Strings options(const Strings& more) {
        Strings all = {"-N", "4", "-t", "xdp", "--udp-port", std::to_string(free_port())};
        all.insert(all.end(), more.begin(), more.end());
        return all;
    }

    // All daemons' together.
    static std::set<uint32_t> programs_of_all(const JobRun& job) {
        std::set<uint32_t> all;
        for (const auto& [pid, node] : job.daemons()) {
            const std::set<uint32_t> programs = programs_of(pid);
            EXPECT_GE(programs.size(), parts) << "node " << node;
            all.insert(programs.begin(), programs.end());
        }
        return all;
    }

    static pid_t daemon_of(const JobRun& job, uint32_t node) {
        const auto found = std::find_if(job.daemons().begin(), job.daemons().end(),
                                        [&](const auto& one) { return one.second == node; });
        return found == job.daemons().end() ? -1 : found->first;
    }
};

TEST_F(SharedProgram, IsThatOfAllNodes) {
    JobRun job(options({}), 8, {"wait"});
    ASSERT_TRUE(job.ready()) << job.launcher().output();
    ASSERT_EQ(job.daemons().size(), 4u);
    EXPECT_EQ(programs_of_all(job).size(), parts);
    ::kill(job.launcher().pid(), SIGTERM);
    EXPECT_EQ(job.launcher().wait(patience_ms), 128 + SIGTERM) << job.launcher().output();
    const Strings left = job.leftovers(10000);
    EXPECT_TRUE(left.empty()) << testing::PrintToString(left);
}

// Nodes 1 and 3 have other links, and so a program each.
TEST_F(SharedProgram, IsNotThatOfNodesWithOtherLinks) {
    {
        JobRun job(options({"--mtu", "9000,1500"}), 4, {"wait"});
        ASSERT_TRUE(job.ready()) << job.launcher().output();
        EXPECT_EQ(programs_of_all(job).size(), 3 * parts);
        ::kill(job.launcher().pid(), SIGTERM);
        EXPECT_EQ(job.launcher().wait(patience_ms), 128 + SIGTERM) << job.launcher().output();
    }
    JobRun job(options({"--mtu", "9000,1500"}), 4, {"progress"});
    EXPECT_EQ(job.launcher().wait(patience_ms), 0) << job.launcher().output();
    EXPECT_EQ(job.launcher().values("seen")[3], 600);
}

TEST_F(SharedProgram, OutlivesTheDaemonThatHasLoadedIt) {
    JobRun job(options({"--peer-timeout", "1000"}), 8, {"silent", "0"});
    ASSERT_TRUE(job.ready()) << job.launcher().output();
    ::kill(job.launcher().pid(), SIGSTOP);
    ::kill(daemon_of(job, 0), SIGKILL);
    const bool survived = job.launcher().wait_for("survived ", 6, patience_ms);
    ::kill(job.launcher().pid(), SIGCONT);
    EXPECT_TRUE(survived) << job.launcher().output();
    EXPECT_EQ(job.launcher().wait(patience_ms), 1) << job.launcher().output();
    EXPECT_NE(job.launcher().output().find("the daemon of node 0 was ended by signal 9 (Killed): ending the job"),
              std::string::npos)
        << job.launcher().output();
    const Strings left = job.leftovers(10000);
    EXPECT_TRUE(left.empty()) << testing::PrintToString(left);
}

}  // namespace
}  // namespace syncline
