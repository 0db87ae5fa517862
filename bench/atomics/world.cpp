// SPDX-License-Identifier: BSD-3-Clause
#include "bench/atomics/world.h"

#include <cstring>

#include "base/failure.h"

namespace syncline::bench {

World::World(uint32_t nodes) : nodes_(nodes) {
    if (cpus_.is_one()) {
        remarks_.emplace_back("there is only one CPU, which initiator and target share, so a polling agent looks bad");
    }
    if (const std::string why = why_no_xdp(); why.empty()) {
        add_xdp();
    } else {
        remarks_.push_back("XDP " + why + ": this compares shared memory and the UDP agent on 127.0.0.x only");
    }
    Bed* const udp = add_bed(TransportKind::kUdp, false);
    series_.push_back({.name = "udp-poll", .bed = udp, .agent = AgentMode::kPoll});
    series_.push_back({.name = "udp-spin-block", .bed = udp, .agent = AgentMode::kSpinBlock});
    series_.push_back({.name = "udp-block", .bed = udp, .agent = AgentMode::kBlock});
    series_.push_back({.name = "shm", .bed = add_bed(TransportKind::kShm, true)});
}

// Each series has links of its own, with nothing else on them.
Bed* World::add_bed(TransportKind transport, bool authenticate) {
    BedOptions options = {.transport = transport, .nodes = nodes_, .authenticate = authenticate};
    if (transport == TransportKind::kShm) {
        options.nodes = 1;
        options.pes_of_node = 2;
    }
    options.agent_cpu = cpus_.target;
    options.table_bytes = large_table_bytes;
    beds_.push_back(std::make_unique<Bed>(options));
    return beds_.back().get();
}

void World::add_xdp() {
    series_.push_back({.name = "xdp", .bed = add_bed(TransportKind::kXdp, false)});
    series_.push_back({.name = "xdp+auth", .bed = add_bed(TransportKind::kXdp, true)});
    try_threaded();
}

void World::try_threaded() {
    Series threaded = *find("xdp");
    threaded.name = "xdp-on-target-cpu";
    threaded.on_target_cpu = true;
    try {
        const Turn turn(*this, threaded);
        series_.push_back(threaded);
    } catch (const Failure& failure) {
        remarks_.push_back(fmt::format("left out: XDP on the target's CPU ({})", failure.what()));
    }
}

const Series* World::find(const std::string& name) const {
    for (const Series& series : series_) {
        if (series.name == name) {
            return &series;
        }
    }
    return nullptr;
}

std::array<uint8_t, 4> World::address(const Series& series, uint32_t node) const {
    std::array<uint8_t, 4> address = {};
    std::memcpy(address.data(), series.job().launch().plan().job.addresses[node].bytes().data(), address.size());
    return address;
}

Turn::Turn(const World& world, const Series& series) : series_(series) {
    if (series.on_target_cpu) {
        thread_ = series.bed->run_nic_on(1, world.target_cpu());
    }
    if (series.agent) {
        series.job().launch().set_agent_mode(*series.agent, 1);
    }
}

Turn::~Turn() {
    try {
        if (series_.agent) {
            series_.job().launch().set_agent_mode(AgentMode::kBlock, 1);
        }
    } catch (const std::exception&) {
        // The job has ended: the next command to the job reports it.
    }
}

}  // namespace syncline::bench
