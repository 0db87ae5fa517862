// SPDX-License-Identifier: BSD-3-Clause
// Method: real jobs in which a holder, a waiter or the home of a lock is killed. Every other PE must get an answer, no
// two may ever have the lock, and a PE that comes later is told as well. When it is told is checked in virtual time
// (tests/deterministic/referee.h).
#include <gtest/gtest.h>

#include <csignal>

#include "tests/daemon/job_run.h"

namespace syncline {
namespace {

constexpr int broken = -16;
constexpr int victim = 3;

const char* const kind_names[] = {"mcs", "local_release", "ticket", "hybrid", "rwlock", "rwlock_reading", "semaphore"};

struct Situation {
    const char* transport;
    int kind;
    const char* wait;
};

class Locks : public testing::TestWithParam<Situation> {
  protected:
    void SetUp() override {
        if (std::string(GetParam().transport) == "xdp" && ::geteuid() != 0) {
            GTEST_SKIP() << "the xdp transport needs root";
        }
        ::setenv("SYNCLINE_WAIT", GetParam().wait, 1);
    }
    void TearDown() override { ::unsetenv("SYNCLINE_WAIT"); }

    // Starts the job, kills the victim once the queue stands, and waits for the end.
    void run(const std::string& what) {
        const std::string transport = GetParam().transport;
        const Strings options = {"-N",         transport == "shm" ? "1" : "2", "-t", transport,
                                 "--udp-port", std::to_string(free_port())};
        job_ = std::make_unique<JobRun>(options, 4, Strings{what, std::to_string(GetParam().kind)});
        ASSERT_TRUE(job_->ready()) << program().output();
        ASSERT_TRUE(program().wait_for("queued ", 1, patience_ms)) << program().output();
        ::kill(job_->pe(victim), SIGKILL);
        EXPECT_EQ(program().wait(patience_ms), 128 + SIGKILL) << program().output();
        for (const auto& [rank, alone] : program().values("alone")) {
            EXPECT_EQ(alone, 1) << "PE " << rank << " was not alone\n" << program().output();
        }
    }

    Program& program() { return job_->launcher(); }
    int64_t status(const char* key, int rank) {
        const std::map<int, int64_t> all = program().values(key);
        return all.contains(rank) ? all.at(rank) : 1;
    }

    std::unique_ptr<JobRun> job_;
};

TEST_P(Locks, HolderIsKilled) {
    run("lock-holder");
    for (const int rank : {0, 1, 2}) {
        EXPECT_EQ(status("status", rank), broken) << "PE " << rank << "\n" << program().output();
        EXPECT_EQ(status("later", rank), broken) << "PE " << rank << "\n" << program().output();
    }
}

TEST_P(Locks, FirstWaiterIsKilled) {
    run("lock-first");
    for (const int rank : {1, 2}) {
        // Either the lock was taken past it, or it is broken and all know.
        const int64_t found = status("status", rank);
        EXPECT_TRUE(found == broken || found == 0) << "PE " << rank << "\n" << program().output();
    }
    EXPECT_EQ(status("later", 0), status("later", 1)) << program().output();
    EXPECT_EQ(status("later", 0), status("later", 2)) << program().output();
}

TEST_P(Locks, LastWaiterIsKilled) {
    run("lock-last");
    for (const int rank : {0, 1, 2}) {
        const int64_t found = rank == 0 ? 0 : status("status", rank);
        const int64_t later = status("later", rank);
        EXPECT_TRUE(found == broken || found == 0) << "PE " << rank << "\n" << program().output();
        EXPECT_TRUE(later == broken || later == 0) << "PE " << rank << "\n" << program().output();
        if (GetParam().kind <= 1) {  // the last in the queue is taken out of it
            EXPECT_EQ(found, 0) << "PE " << rank << "\n" << program().output();
            EXPECT_EQ(later, 0) << "PE " << rank << "\n" << program().output();
            EXPECT_EQ(status("released", rank), 0) << "PE " << rank << "\n" << program().output();
        }
    }
}

TEST_P(Locks, HomeIsKilled) {
    run("lock-home");
    for (const int rank : {0, 1, 2}) {
        EXPECT_TRUE(rank == 0 || status("status", rank) == broken) << "PE " << rank << "\n" << program().output();
        EXPECT_EQ(status("later", rank), broken) << "PE " << rank << "\n" << program().output();
    }
}

std::vector<Situation> situations() {
    std::vector<Situation> all;
    for (const char* const transport : {"shm", "udp", "xdp"}) {
        for (int kind = 0; kind < 7; kind++) {
            all.push_back({transport, kind, "poll"});
        }
    }
    for (const int kind : {0, 1, 3}) {
        all.push_back({"xdp", kind, "block"});
        all.push_back({"udp", kind, "block"});
    }
    return all;
}

INSTANTIATE_TEST_SUITE_P(Killed, Locks, testing::ValuesIn(situations()), [](const auto& one) {
    return std::string(one.param.transport) + "_" + kind_names[one.param.kind] + "_" + one.param.wait;
});

}  // namespace
}  // namespace syncline
