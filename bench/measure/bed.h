// SPDX-License-Identifier: BSD-3-Clause
// The one way to a test bed: links among nodes, and a job of syncline-bench-pe processes on them, made from a
// description. Nothing of it outlives the object or the process: the links hang on descriptors, and the PEs and daemons
// end with the launcher. A signal to end that comes while the job works makes the next wait for a PE throw.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "bench/measure/job.h"
#include "bench/measure/threaded_napi.h"
#include "testbed/testbed.h"

namespace syncline::bench {

// Tables of packed xors: one fits into a CPU's caches.
constexpr uint64_t large_table_bytes = 16 << 20;
constexpr uint64_t small_table_bytes = 128 << 10;

struct BedOptions {
    TransportKind transport = TransportKind::kXdp;  // shm: one node, and no links
    uint32_t nodes = 2;
    uint32_t pes_of_node = 1;  // 0: links only, for programs that are started in another way
    bool authenticate = false;
    int agent_cpu = -1;  // where udp's agents run, which block until they are told otherwise; -1: anywhere
    testbed::SwitchKind switch_kind = testbed::SwitchKind::kXdp;
    int mtu = 1500;                // of all links
    uint64_t table_bytes = 65536;  // of each PE
};

class Bed {
  public:
    // Returns when all PEs are ready. Without the privilege for links, a job over udp uses 127.0.0.x. Throws Failure.
    explicit Bed(const BedOptions& options);

    BenchJob& job() { return *job_; }
    // Nodes with their namespaces and addresses; none on 127.0.0.x and with shm.
    const std::vector<testbed::Node>& nodes() const;
    // While it lives, that node's NIC program runs in a kernel thread on the CPU. Throws Failure.
    std::unique_ptr<ThreadedNapi> run_nic_on(uint32_t node, int cpu) const;

  private:
    std::unique_ptr<testbed::Testbed> links_;
    std::unique_ptr<BenchJob> job_;  // behind the links: it ends first
};

// Throws Failure, which names the command, where XDP cannot be had.
void require_xdp(const char* command);

}  // namespace syncline::bench
