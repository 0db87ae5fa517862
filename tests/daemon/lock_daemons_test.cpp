// SPDX-License-Identifier: BSD-3-Clause
// Method: PEs take a lock by turns, at resident daemons, when a daemon is killed: on shm the one that both have, on udp
// that of one of two nodes. A PE of the killed daemon gets _NODE; a PE of the other node gets _BROKEN after the peer
// timeout, or goes on if the lock's home is its own. No call waits for ever. tests/deterministic kills daemons at each
// step.
#include <gtest/gtest.h>
#include <csignal>

#include "tests/daemon/resident.h"

namespace syncline::testing_daemon {
namespace {

constexpr const char* lock_kind_names[] = {"mcs",    "local_release",  "ticket",   "hybrid",
                                           "rwlock", "rwlock_reading", "semaphore"};
constexpr int64_t peer_timeout_of_job_ms = 1000;

struct DaemonAndLock {
    int dies;  // the daemon of this node, of two; -1: of the only one
    int kind;
    const char* wait;
};

class LockDaemons : public Resident, public testing::WithParamInterface<DaemonAndLock> {
  protected:
    ~LockDaemons() override { ::unlink(path_of(1).c_str()); }

    std::string path_of(uint32_t node) const { return node == 0 ? path : path + "1"; }
    bool is_divided() const { return GetParam().dies >= 0; }
    uint32_t node_of(uint32_t rank) const { return is_divided() ? rank : 0; }
    JobSpec spec() const;
    void start();

    std::vector<std::unique_ptr<Program>> daemons_, pes_;
    std::vector<Channel> launchers_;
};

JobSpec LockDaemons::spec() const {
    JobSpec spec = small_job(0x7c, is_divided() ? 1 : 2);
    spec.config.ranks = 2;
    spec.peer_timeout_ms = peer_timeout_of_job_ms;
    if (is_divided()) {
        spec.config.nodes = 2;
        spec.config.udp_port = free_port();
        spec.transport = TransportKind::kUdp;
        spec.agent_mode = AgentMode::kBlock;
    }
    return spec;
}

void LockDaemons::start() {
    Description job(spec(), is_divided() ? 2 : 1);
    for (uint32_t node = 0; node < job.ports.size(); node++) {
        job.addresses[node] = {127, 0, 0, static_cast<uint8_t>(1 + node)};
    }
    for (uint32_t node = 0; node < job.ports.size(); node++) {
        daemons_.push_back(start_daemon_at(path_of(node)));
        launchers_.push_back(connect_to(path_of(node)));
        job.spec.config.node = node;
        ASSERT_NO_THROW(launchers_.back().call(job.message()));
    }
    for (uint32_t rank = 0; rank < 2; rank++) {
        pes_.push_back(start_pe_at(path_of(node_of(rank)), job.spec, static_cast<int>(rank),
                                   {"lock-daemon", std::to_string(GetParam().kind)}, GetParam().wait));
    }
    for (const auto& pe : pes_) {
        ASSERT_TRUE(pe->wait_for("turn ", 1, patience_ms)) << pe->output();
    }
}

TEST_P(LockDaemons, AreMissed) {
    ASSERT_NO_FATAL_FAILURE(start());
    const uint32_t dead = is_divided() ? static_cast<uint32_t>(GetParam().dies) : 0;
    ::kill(daemons_[dead]->pid(), SIGKILL);
    for (uint32_t rank = 0; rank < 2; rank++) {
        Program& pe = *pes_[rank];
        EXPECT_EQ(pe.wait(2 * patience_ms), 0) << pe.output();
        const auto statuses = pe.values("status");
        ASSERT_EQ(statuses.size(), 1u) << pe.output();
        const int64_t status = statuses.begin()->second;
        if (node_of(rank) == dead) {
            EXPECT_EQ(status, SYNCLINE_ERR_NODE) << "PE " << rank << "\n" << pe.output();
        } else {
            EXPECT_TRUE(status == SYNCLINE_ERR_BROKEN || (status == SYNCLINE_OK && rank == 0)) << "PE " << rank << "\n"
                                                                                               << pe.output();
        }
        EXPECT_LE(pe.values("took_ms").begin()->second, peer_timeout_of_job_ms + 2000) << pe.output();
    }
}

std::vector<DaemonAndLock> daemons_and_locks() {
    std::vector<DaemonAndLock> all;
    for (int kind = 0; kind < 7; kind++) {
        all.push_back({-1, kind, kind % 2 == 0 ? "block" : "poll"});
        all.push_back({kind % 2, kind, kind % 2 == 0 ? "poll" : "block"});
    }
    return all;
}

INSTANTIATE_TEST_SUITE_P(Killed, LockDaemons, testing::ValuesIn(daemons_and_locks()), [](const auto& one) {
    const std::string node = one.param.dies < 0 ? "shm" : "udp_node" + std::to_string(one.param.dies);
    return node + "_" + lock_kind_names[one.param.kind] + "_" + one.param.wait;
});

}  // namespace
}  // namespace syncline::testing_daemon
