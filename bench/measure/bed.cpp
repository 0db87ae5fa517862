// SPDX-License-Identifier: BSD-3-Clause
#include "bench/measure/bed.h"

#include "base/failure.h"

namespace syncline::bench {

namespace {

std::unique_ptr<testbed::Testbed> make_links(const BedOptions& options) {
    const bool is_job = options.pes_of_node > 0;
    if (!properties_of(options.transport).between_nodes || (is_job && !why_no_xdp().empty())) {
        return nullptr;
    }
    testbed::Options wanted;
    wanted.nodes = static_cast<int>(options.nodes);
    wanted.kind = options.switch_kind;
    wanted.mtus = {options.mtu};
    return std::make_unique<testbed::Testbed>(testbed::Testbed::create(wanted));
}

}  // namespace

Bed::Bed(const BedOptions& options) : links_(make_links(options)) {
    if (options.pes_of_node == 0) {
        return;
    }
    LaunchOptions launch;
    launch.transport = options.transport;
    launch.authenticate = options.authenticate;
    launch.ranks = options.nodes * options.pes_of_node;
    launch.nodes = options.nodes;
    launch.agent_mode = AgentMode::kBlock;
    launch.agent_cpu = options.agent_cpu;
    launch.shared_testbed = links_.get();
    job_ = std::make_unique<BenchJob>(std::move(launch), options.table_bytes);
}

const std::vector<testbed::Node>& Bed::nodes() const {
    static const std::vector<testbed::Node> none;
    return links_ != nullptr ? links_->nodes() : none;
}

std::unique_ptr<ThreadedNapi> Bed::run_nic_on(uint32_t node, int cpu) const {
    const testbed::Node& place = nodes().at(node);
    return std::make_unique<ThreadedNapi>(place.netns.get(), place.interface, cpu);
}

void require_xdp(const char* command) {
    if (const std::string why = why_no_xdp(); !why.empty()) {
        fail(SYNCLINE_ERR_UNSUPPORTED, "{} needs XDP, and it {}", command, why);
    }
}

}  // namespace syncline::bench
