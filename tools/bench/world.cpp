// SPDX-License-Identifier: BSD-3-Clause
#include "tools/bench/world.h"

#include <sched.h>

#include <cstring>

#include "base/failure.h"

namespace syncline::bench {

World::World(uint32_t nodes) : nodes_(nodes) {
    choose_cpus();
    const std::string why = why_no_xdp();
    in_namespaces_ = why.empty();
    if (in_namespaces_) {
        add_xdp();
    } else {
        remarks_.push_back("XDP " + why + ": this compares shared memory and the UDP agent on 127.0.0.x only");
    }
    BenchJob* const udp = add_job(TransportKind::kUdp, false);
    series_.push_back({.name = "udp-poll", .job = udp, .agent = AgentMode::kPoll});
    series_.push_back({.name = "udp-spin-block", .job = udp, .agent = AgentMode::kSpinBlock});
    series_.push_back({.name = "udp-block", .job = udp, .agent = AgentMode::kBlock});
    series_.push_back({.name = "shm", .job = add_job(TransportKind::kShm, true)});
}

// The first two CPUs that this process may use.
void World::choose_cpus() {
    cpu_set_t allowed;
    CPU_ZERO(&allowed);
    ::sched_getaffinity(0, sizeof(allowed), &allowed);
    std::vector<int> cpus;
    for (int cpu = 0; cpu < CPU_SETSIZE && cpus.size() < 2; cpu++) {
        if (CPU_ISSET(static_cast<size_t>(cpu), &allowed)) {
            cpus.push_back(cpu);
        }
    }
    initiator_cpu_ = cpus.front();
    target_cpu_ = cpus.back();
    if (cpus.size() < 2) {
        remarks_.emplace_back("there is one CPU only, which initiator and target share: a polling agent looks bad");
    }
}

BenchJob* World::add_job(TransportKind transport, bool authenticate) {
    LaunchOptions options;
    options.transport = transport;
    options.authenticate = authenticate;
    options.ranks = transport == TransportKind::kShm ? 2 : nodes_;
    options.nodes = transport == TransportKind::kShm ? 1 : nodes_;
    options.agent_mode = AgentMode::kBlock;
    options.agent_cpu = target_cpu_;
    options.udp_port = SLW_DEFAULT_UDP_PORT + static_cast<uint32_t>(jobs_.size());
    // Each has a test bed of its own, with nothing else on its links.
    if (in_namespaces_ && transport != TransportKind::kShm) {
        testbed::Options wanted;
        wanted.nodes = static_cast<int>(nodes_);
        testbeds_.push_back(std::make_unique<testbed::Testbed>(testbed::Testbed::create(wanted)));
        options.shared_testbed = testbeds_.back().get();
    }
    jobs_.push_back(std::make_unique<BenchJob>(std::move(options), large_table_bytes));
    return jobs_.back().get();
}

void World::add_xdp() {
    series_.push_back({.name = "xdp", .job = add_job(TransportKind::kXdp, false)});
    series_.push_back({.name = "xdp+auth", .job = add_job(TransportKind::kXdp, true)});
    try_threaded();
}

void World::try_threaded() {
    Series threaded = *find("xdp");
    threaded.name = "xdp-on-target-cpu";
    threaded.thread_netns = testbeds_.front()->nodes()[1].netns.get();
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
    std::memcpy(address.data(), series.job->launch().plan().job.addresses[node].bytes().data(), address.size());
    return address;
}

Turn::Turn(const World& world, const Series& series) : series_(series) {
    if (series.thread_netns >= 0) {
        thread_ = std::make_unique<ThreadedNapi>(series.thread_netns, "eth0", world.target_cpu());
    }
    if (series.agent) {
        series.job->launch().set_agent_mode(*series.agent, 1);
    }
}

Turn::~Turn() {
    try {
        if (series_.agent) {
            series_.job->launch().set_agent_mode(AgentMode::kBlock, 1);
        }
    } catch (const std::exception&) {
        // The job has ended: the next command to it says so.
    }
}

}  // namespace syncline::bench
