// SPDX-License-Identifier: BSD-3-Clause
// One workload for event kernels: packets that hop to a random node after a random delay. All kernels draw the same
// random numbers. The programs measure CPU time, which other processes disturb less than wall time.
#pragma once

#include <fmt/format.h>

#include <ctime>
#include <memory>
#include <string>
#include <vector>

#include "base/prng.h"
#include "sim/kernel/kernel.h"

namespace syncline::event_kernels {

constexpr uint64_t hops_of_a_run = 1'000'000;

struct Traffic {
    uint32_t nodes;
    Prng prng{1};
    uint64_t left = hops_of_a_run;
    uint64_t events = 0;

    uint64_t delay_ps() { return 50'000 + prng.below(64) * 2000; }
    static uint64_t start_ps(uint32_t packet) { return packet % 64 * 2000; }
};

inline void report(const char* kernel, const Traffic& traffic, uint32_t packets, std::clock_t begun) {
    const double seconds = static_cast<double>(std::clock() - begun) / CLOCKS_PER_SEC;
    fmt::print("{:<8} {:>5} nodes {:>7} packets {:>7.0f} ns of CPU an event\n", kernel, traffic.nodes, packets,
               seconds * 1e9 / static_cast<double>(traffic.events));
}

class OwnNode final : public sim::Component {
  public:
    OwnNode(sim::Kernel* kernel, Traffic* traffic, std::vector<std::unique_ptr<OwnNode>>* all)
        : kernel_(kernel), traffic_(traffic), all_(all) {}

    void handle(uint64_t what) override {
        traffic_->events++;
        if (traffic_->left != 0) {
            traffic_->left--;
            OwnNode* const next = (*all_)[traffic_->prng.below(traffic_->nodes)].get();
            kernel_->after(traffic_->delay_ps(), next, what);
        }
    }

  private:
    sim::Kernel* const kernel_;
    Traffic* const traffic_;
    std::vector<std::unique_ptr<OwnNode>>* const all_;
};

inline void run_own(uint32_t node_count, uint32_t packets) {
    Traffic traffic{node_count};
    sim::Kernel kernel;
    std::vector<std::unique_ptr<OwnNode>> nodes;
    for (uint32_t i = 0; i < node_count; i++) {
        nodes.push_back(std::make_unique<OwnNode>(&kernel, &traffic, &nodes));
    }
    const std::clock_t begun = std::clock();
    for (uint32_t i = 0; i < packets; i++) {
        kernel.at(Traffic::start_ps(i), nodes[i % node_count].get(), i);
    }
    kernel.run();
    report("own", traffic, packets, begun);
}

// Reads <nodes> <packets> from the command line.
struct Size {
    uint32_t nodes = 32, packets = 2048;
};
inline Size size_of(int argc, char** argv) {
    Size size;
    size.nodes = argc > 1 ? static_cast<uint32_t>(std::stoul(argv[1])) : size.nodes;
    size.packets = argc > 2 ? static_cast<uint32_t>(std::stoul(argv[2])) : size.packets;
    return size;
}

}  // namespace syncline::event_kernels
