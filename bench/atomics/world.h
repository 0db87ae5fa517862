// SPDX-License-Identifier: BSD-3-Clause
// Everything that is measured, set up at the same time: test beds, jobs, and the series that take turns on them.
//
// The initiator runs on one CPU and whatever the target's side needs (udp's agent, counter, computing PE) on another.
// Only the series whose turn it is has an agent that polls: between turns all agents block.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "bench/measure/job.h"
#include "bench/measure/threaded_napi.h"

namespace syncline::bench {

struct Series {
    std::string name;
    BenchJob* job = nullptr;
    std::optional<AgentMode> agent = {};  // udp only: how the target's agent waits
    int thread_netns = -1;                // the target's NIC runs in a thread there, on the target's CPU
};

constexpr uint64_t large_table_bytes = 16 << 20;
constexpr uint64_t small_table_bytes = 128 << 10;

class World {
  public:
    // `nodes`: 2, or 3 if there is to be one for a sink.
    explicit World(uint32_t nodes);

    // In the order in which they are shown. What cannot run here is not among them; remarks() say why.
    const std::vector<Series>& series() const { return series_; }
    const std::vector<std::string>& remarks() const { return remarks_; }
    // The series of that name, or NULL.
    const Series* find(const std::string& name) const;

    int initiator_cpu() const { return initiator_cpu_; }
    int target_cpu() const { return target_cpu_; }
    // IPv4 address of a node of this series.
    std::array<uint8_t, 4> address(const Series& series, uint32_t node) const;

  private:
    void choose_cpus();
    BenchJob* add_job(TransportKind transport, bool authenticate);
    void add_xdp();
    void try_threaded();

    const uint32_t nodes_;
    int initiator_cpu_ = 0;
    int target_cpu_ = 0;
    bool in_namespaces_ = false;
    std::vector<std::unique_ptr<testbed::Testbed>> testbeds_;
    std::vector<std::unique_ptr<BenchJob>> jobs_;  // behind the test beds: they end first
    std::vector<Series> series_;
    std::vector<std::string> remarks_;
};

// While it lives it is this series' turn.
class Turn {
  public:
    Turn(const World& world, const Series& series);
    ~Turn();
    Turn(const Turn&) = delete;
    Turn& operator=(const Turn&) = delete;

  private:
    const Series& series_;
    std::unique_ptr<ThreadedNapi> thread_;
};

}  // namespace syncline::bench
