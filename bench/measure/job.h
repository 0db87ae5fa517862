// SPDX-License-Identifier: BSD-3-Clause
// One job of syncline-bench-pe processes, and the calls that send them commands.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "bench/protocol/protocol.h"
#include "launch/launch.h"

namespace syncline::bench {

struct Result {
    Answer head;
    std::vector<uint32_t> samples;

    double operations_per_s() const {
        return static_cast<double>(head.operations) * 1e9 / static_cast<double>(head.elapsed_ns);
    }
    double bytes_per_s() const { return static_cast<double>(head.bytes) * 1e9 / static_cast<double>(head.elapsed_ns); }
    double ns_per_operation() const {
        return static_cast<double>(head.elapsed_ns) / static_cast<double>(head.operations);
    }
};

class BenchJob {
  public:
    // Returns when all PEs are ready. Throws Failure, as all functions here do.
    BenchJob(LaunchOptions options, uint64_t table_bytes);
    ~BenchJob();
    BenchJob(const BenchJob&) = delete;
    BenchJob& operator=(const BenchJob&) = delete;

    uint32_t ranks() const { return static_cast<uint32_t>(sockets_.size()); }
    Launch& launch() { return *launch_; }

    void post(uint32_t rank, const Command& command);
    // Sends a command to the first `pes` PEs, which are pinned to the CPUs in turn, each to one.
    void post_pinned(uint32_t pes, Command command);
    // Returns the answer to the last posted command.
    Result collect(uint32_t rank);
    Result call(uint32_t rank, const Command& command);
    // Ends a command that lasts until kStop.
    Result stop(uint32_t rank);

  private:
    void receive(uint32_t rank, void* data, size_t bytes);

    std::vector<UniqueFd> sockets_;     // for each rank: this process's end
    std::vector<UniqueFd> pe_sockets_;  // for each rank: the PE's end, until the PE has it
    std::unique_ptr<Launch> launch_;
};

}  // namespace syncline::bench
