// SPDX-License-Identifier: BSD-3-Clause
// A test bed for a benchmark: links among nodes, and a job of syncline-bench-pe processes on them, made from a
// description. Nothing of it outlives the object or the process: the links live as long as their descriptors, and the
// PEs and daemons end with the launcher. When a signal to end comes while the job works, the next wait for a PE throws.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "bench/measure/job.h"
#include "bench/measure/threaded_napi.h"
#include "testbed/testbed.h"

namespace syncline::bench {

// Lengths of the tables of packed xors: the small table fits into a CPU's caches.
constexpr uint64_t large_table_bytes = 16 << 20;
constexpr uint64_t small_table_bytes = 128 << 10;

struct BedOptions {
    TransportKind transport = TransportKind::kXdp;  // shm: one node, and no links
    uint32_t nodes = 2;
    uint32_t pes_of_node = 1;  // 0: links only, for programs that are started in another way
    bool authenticate = false;
    int agent_cpu = -1;  // CPU of udp's agents, which block until they are told otherwise; -1: any
    testbed::SwitchKind switch_kind = testbed::SwitchKind::kXdp;
    int mtu = 1500;                // MTU of all links
    uint64_t table_bytes = 65536;  // length of each PE's table
};

class Bed {
  public:
    // Returns when all PEs are ready. Without the privilege to make links, a job over udp uses 127.0.0.x. Throws
    // Failure.
    explicit Bed(const BedOptions& options);

    BenchJob& job() { return *job_; }
    // Returns the nodes with their namespaces and addresses; none on 127.0.0.x and with shm.
    const std::vector<testbed::Node>& nodes() const;
    // While the returned object lives, the node's NIC program runs in a kernel thread on the CPU. Throws Failure.
    std::unique_ptr<ThreadedNapi> run_nic_on(uint32_t node, int cpu) const;

  private:
    std::unique_ptr<testbed::Testbed> links_;
    std::unique_ptr<BenchJob> job_;  // declared after the links, so the job ends first
};

// Throws Failure, which names the command, where XDP is not available.
void require_xdp(const char* command);

}  // namespace syncline::bench
