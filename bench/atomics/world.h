// SPDX-License-Identifier: BSD-3-Clause
// The test beds of `syncline bench atomics`, all up at the same time, and the series that take turns on them.
//
// The initiator runs on one CPU and the target's side (udp's agent, counter, computing PE) on another.
// Only the series whose turn it is has an agent that polls: between turns all agents block.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "bench/measure/bed.h"
#include "bench/measure/two_cpus.h"

namespace syncline::bench {

struct Series {
    std::string name;
    Bed* bed = nullptr;
    std::optional<AgentMode> agent = {};  // udp only: how the target's agent waits
    bool on_target_cpu = false;           // the target's NIC runs in a thread on the target's CPU

    BenchJob& job() const { return bed->job(); }
};

class World {
  public:
    // `nodes`: 2, or 3 with a node for a sink.
    explicit World(uint32_t nodes);

    // Returns the series in the order in which they are shown, without those that cannot run on this machine; remarks()
    // says why.
    const std::vector<Series>& series() const { return series_; }
    const std::vector<std::string>& remarks() const { return remarks_; }
    // Returns the series of that name, or NULL.
    const Series* find(const std::string& name) const;

    int initiator_cpu() const { return cpus_.initiator; }
    int target_cpu() const { return cpus_.target; }
    // Returns the IPv4 address of a node of this series.
    std::array<uint8_t, 4> address(const Series& series, uint32_t node) const;

  private:
    Bed* add_bed(TransportKind transport, bool authenticate);
    void add_xdp();
    void try_threaded();

    const uint32_t nodes_;
    const TwoCpus cpus_ = TwoCpus::choose();
    std::vector<std::unique_ptr<Bed>> beds_;
    std::vector<Series> series_;
    std::vector<std::string> remarks_;
};

// While this object lives, it is this series' turn.
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
