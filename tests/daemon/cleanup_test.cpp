// SPDX-License-Identifier: BSD-3-Clause
// Method: real jobs on every transport that end in every way: in good order, by an exit code, killed, interrupted, with
// launcher or daemon killed, aborted. The right exit code comes out, and nothing stays: no process, no namespace, no
// BPF program or map, no socket. Leftovers are recognized by what the job had while it ran, so that other jobs on the
// machine do not disturb.
#include <gtest/gtest.h>

#include <csignal>

#include "tests/daemon/job_run.h"

namespace syncline {
namespace {

struct Setting {
    const char* transport;
    const char* nodes;
};

class Cleanup : public testing::TestWithParam<Setting> {
  protected:
    void SetUp() override {
        if (is("xdp") && ::geteuid() != 0) {
            GTEST_SKIP() << "the xdp transport needs root";
        }
    }

    bool is(const char* transport) const { return std::string(GetParam().transport) == transport; }

    void start(const Strings& arguments) {
        job = std::make_unique<JobRun>(
            Strings{"-N", GetParam().nodes, "-t", GetParam().transport, "--udp-port", std::to_string(free_port())}, 4,
            arguments);
        ASSERT_TRUE(job->ready()) << job->launcher().output();
    }

    // While the job waits: all its parts are there to be noted.
    void start_waiting() {
        start({"wait"});
        ASSERT_EQ(job->daemons().size(), static_cast<size_t>(std::atoi(GetParam().nodes)));
        if (is("xdp")) {
            ASSERT_GT(job->bpf_objects(), 10u);
            ASSERT_EQ(job->namespaces(), job->daemons().size());
        }
        const std::string there = testing::PrintToString(job->leftovers(0));  // what is to go is found while it is here
        for (const char* const what : {"process", is("xdp") ? "BPF program" : "process", "socket"}) {
            EXPECT_NE(there.find(what), std::string::npos) << what;
        }
    }

    void expect_end(int code) {
        EXPECT_EQ(job->launcher().wait(patience_ms), code) << job->launcher().output();
        expect_nothing_left();
    }

    void expect_nothing_left() const {
        const Strings left = job->leftovers(10000);
        EXPECT_TRUE(left.empty()) << testing::PrintToString(left);
    }

    std::unique_ptr<JobRun> job;
};

TEST_P(Cleanup, NormalEnd) {
    ASSERT_NO_FATAL_FAILURE(start({"end"}));
    expect_end(0);
}

TEST_P(Cleanup, ExitCode) {
    ASSERT_NO_FATAL_FAILURE(start({"exit3"}));
    expect_end(3);
}

TEST_P(Cleanup, Abort) {
    ASSERT_NO_FATAL_FAILURE(start({"abort"}));
    expect_end(5);
}

TEST_P(Cleanup, CtrlC) {
    ASSERT_NO_FATAL_FAILURE(start_waiting());
    ::kill(job->launcher().pid(), SIGINT);
    expect_end(128 + SIGINT);
}

TEST_P(Cleanup, LauncherKilled) {
    ASSERT_NO_FATAL_FAILURE(start_waiting());
    ::kill(job->launcher().pid(), SIGKILL);
    expect_end(128 + SIGKILL);
}

TEST_P(Cleanup, DaemonKilled) {
    ASSERT_NO_FATAL_FAILURE(start_waiting());
    ::kill(job->daemons().rbegin()->first, SIGKILL);
    expect_end(1);
    EXPECT_NE(job->launcher().output().find("daemon of node"), std::string::npos) << job->launcher().output();
}

// A whole node: its daemon and its PEs.
TEST_P(Cleanup, NodeKilled) {
    ASSERT_NO_FATAL_FAILURE(start_waiting());
    ::kill(job->daemons().rbegin()->first, SIGKILL);
    ::kill(job->pe(3), SIGKILL);
    EXPECT_GT(job->launcher().wait(patience_ms), 0);
    expect_nothing_left();
}

// PE 2's neighbours: PE 3 on its own node, 0 and 1 on the other one, where there is another one.
TEST_P(Cleanup, PeKilled) {
    ASSERT_NO_FATAL_FAILURE(start({"killed", "2"}));
    ::kill(job->pe(2), SIGKILL);
    EXPECT_EQ(job->launcher().wait(patience_ms), 128 + SIGKILL) << job->launcher().output();
    for (const int rank : {0, 1, 3}) {
        EXPECT_EQ(job->launcher().values("status")[rank], -9) << "SYNCLINE_ERR_PEER at PE " << rank;
        EXPECT_LT(job->launcher().values("failed_after_ms")[rank], 6000) << "the peer timeout, 5 s, and some";
        EXPECT_EQ(job->launcher().values("survived")[rank], 1) << job->launcher().output();
        EXPECT_EQ(job->launcher().values("finalize")[rank], -9);
    }
    expect_nothing_left();
}

INSTANTIATE_TEST_SUITE_P(Transports, Cleanup,
                         testing::Values(Setting{"shm", "1"}, Setting{"udp", "2"}, Setting{"xdp", "2"}),
                         [](const auto& setting) { return std::string(setting.param.transport); });

}  // namespace
}  // namespace syncline
