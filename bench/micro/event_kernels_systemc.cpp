// SPDX-License-Identifier: BSD-3-Clause
// Compares the simulator's event kernel with SystemC's: a module for each node, with a queue of arrivals in it.
#include <tlm_utils/peq_with_get.h>

#include <systemc>

#include "bench/micro/event_kernels.h"

namespace {

using namespace syncline::event_kernels;

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

// SystemC allows one simulation in a process.
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
    const Size size = size_of(argc, argv);
    run_own(size.nodes, size.packets);
    run_systemc(size.nodes, size.packets);
    return 0;
}
