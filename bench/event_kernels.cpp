// SPDX-License-Identifier: BSD-3-Clause
// The event kernel of the simulator against SystemC's, on one workload: packets that hop from node to node, to a random
// one after a random delay. Both draw the same random numbers, and must reach the same time. CPU time, because that is
// less disturbed by others than wall time.
#include <fmt/format.h>
#include <tlm_utils/peq_with_get.h>

#include <ctime>
#include <memory>
#include <systemc>
#include <vector>

#include "base/prng.h"
#include "sim/kernel.h"

namespace {

using syncline::Prng;

constexpr uint64_t hops_of_a_run = 1'000'000;

struct Traffic {
    uint32_t nodes;
    Prng prng{1};
    uint64_t left = hops_of_a_run;
    uint64_t events = 0;

    uint64_t delay_ps() { return 50'000 + prng.below(64) * 2000; }
    static uint64_t start_ps(uint32_t packet) { return packet % 64 * 2000; }
};

class OwnNode final : public syncline::sim::Component {
  public:
    OwnNode(syncline::sim::Kernel* kernel, Traffic* traffic, std::vector<std::unique_ptr<OwnNode>>* all)
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
    syncline::sim::Kernel* const kernel_;
    Traffic* const traffic_;
    std::vector<std::unique_ptr<OwnNode>>* const all_;
};

class SystemcNode final : public sc_core::sc_module {
  public:
    SystemcNode(sc_core::sc_module_name name, Traffic* traffic, std::vector<std::unique_ptr<SystemcNode>>* all)
        : sc_module(name), arrivals("arrivals"), traffic_(traffic), all_(all) {
        SC_HAS_PROCESS(SystemcNode);
        SC_METHOD(handle);
        sensitive << arrivals.get_event();
        dont_initialize();
    }

    void handle() {
        while (uint32_t* const packet = arrivals.get_next_transaction()) {
            traffic_->events++;
            if (traffic_->left != 0) {
                traffic_->left--;
                SystemcNode* const next = (*all_)[traffic_->prng.below(traffic_->nodes)].get();
                next->arrivals.notify(*packet,
                                      sc_core::sc_time(static_cast<double>(traffic_->delay_ps()), sc_core::SC_PS));
            }
        }
    }

    tlm_utils::peq_with_get<uint32_t> arrivals;

  private:
    Traffic* const traffic_;
    std::vector<std::unique_ptr<SystemcNode>>* const all_;
};

void report(const char* kernel, const Traffic& traffic, uint32_t packets, std::clock_t begun) {
    const double seconds = static_cast<double>(std::clock() - begun) / CLOCKS_PER_SEC;
    fmt::print("{:<8} {:>5} nodes {:>7} packets {:>7.0f} ns of CPU an event\n", kernel, traffic.nodes, packets,
               seconds * 1e9 / static_cast<double>(traffic.events));
}

void run_own(uint32_t node_count, uint32_t packets) {
    Traffic traffic{node_count};
    syncline::sim::Kernel kernel;
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

// SystemC has one simulation in a process.
void run_systemc(uint32_t node_count, uint32_t packets) {
    Traffic traffic{node_count};
    std::vector<std::unique_ptr<SystemcNode>> nodes;
    for (uint32_t i = 0; i < node_count; i++) {
        nodes.push_back(std::make_unique<SystemcNode>(fmt::format("node{}", i).c_str(), &traffic, &nodes));
    }
    std::vector<uint32_t> payloads(packets);
    const std::clock_t begun = std::clock();
    for (uint32_t i = 0; i < packets; i++) {
        nodes[i % node_count]->arrivals.notify(
            payloads[i], sc_core::sc_time(static_cast<double>(Traffic::start_ps(i)), sc_core::SC_PS));
    }
    sc_core::sc_start();
    report("SystemC", traffic, packets, begun);
}

}  // namespace

int sc_main(int argc, char** argv) {
    const auto nodes = static_cast<uint32_t>(argc > 1 ? std::stoul(argv[1]) : 32);
    const auto packets = static_cast<uint32_t>(argc > 2 ? std::stoul(argv[2]) : 2048);
    run_own(nodes, packets);
    run_systemc(nodes, packets);
    return 0;
}
