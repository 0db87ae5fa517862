// SPDX-License-Identifier: BSD-3-Clause
#include "launch/plan.h"

#include <bpf/bpf.h>
#include <pwd.h>
#include <sys/random.h>
#include <unistd.h>
#include <thread>

#include <algorithm>
#include <cstdlib>

#include "base/failure.h"
#include "job/daemon_protocol.h"
#include "node/addresses.h"

namespace syncline {
namespace {

constexpr uint32_t descriptors_max = daemon_fds_max - 8;  // of nodes and PEs of a node in one attach answer

template <typename Value>
void fill_random(Value* value) {
    if (::getrandom(value, sizeof(*value), 0) != static_cast<ssize_t>(sizeof(*value))) {
        fail_errno(SYNCLINE_ERR_SYSTEM, "cannot read random bytes for the job's key");
    }
}

uint32_t uid_of_processes(const LaunchOptions& options) {
    if (!options.user.empty()) {
        const passwd* const entry = ::getpwnam(options.user.c_str());
        if (entry == nullptr) {
            fail(SYNCLINE_ERR_NOT_FOUND, "there is no user '{}'", options.user);
        }
        if (::geteuid() != 0 && entry->pw_uid != ::geteuid()) {
            fail(SYNCLINE_ERR_PERMISSION, "only root can run PEs as another user ('{}')", options.user);
        }
        return entry->pw_uid;
    }
    const char* const sudo = ::geteuid() == 0 ? std::getenv("SUDO_UID") : nullptr;
    return sudo != nullptr ? static_cast<uint32_t>(std::strtoul(sudo, nullptr, 10)) : ::geteuid();
}

bool asks_for_testbed(const LaunchOptions& options) {
    return options.shared_testbed != nullptr || !options.testbed.empty() || options.switch_kind.has_value();
}

void check(const LaunchOptions& options) {
    if (options.ranks < 1 || options.ranks > SLW_RANKS_MAX || options.nodes < 1 || options.nodes > options.ranks) {
        fail(SYNCLINE_ERR_INVALID, "{} PEs cannot be put on {} nodes: needs 1 to {} PEs and at most as many nodes",
             options.ranks, options.nodes, +SLW_RANKS_MAX);
    }
    if (options.nodes > 250 || (options.ranks + options.nodes - 1) / options.nodes > SLW_PORTS_MAX) {
        fail(SYNCLINE_ERR_INVALID, "{} PEs on {} nodes are too many: at most 250 nodes with {} PEs each", options.ranks,
             options.nodes, +SLW_PORTS_MAX);
    }
    if (options.nodes > 1 && options.nodes + (options.ranks + options.nodes - 1) / options.nodes > descriptors_max) {
        fail(SYNCLINE_ERR_INVALID,
             "{} nodes with {} PEs each are too many: a PE gets one descriptor for each, at most {}", options.nodes,
             (options.ranks + options.nodes - 1) / options.nodes, descriptors_max);
    }
    if (options.transport == TransportKind::kShm && options.nodes > 1) {
        fail(SYNCLINE_ERR_INVALID, "--transport shm works within one node, not {}; leave -N out or use udp or xdp",
             options.nodes);
    }
    if (options.transport == TransportKind::kShm && asks_for_testbed(options)) {
        fail(SYNCLINE_ERR_INVALID, "--transport shm sends nothing over a test bed: leave --testbed and --switch out");
    }
    if (!options.testbed.empty() && options.switch_kind) {
        fail(SYNCLINE_ERR_INVALID, "--switch is for a private test bed, and '{}' has a switch: leave one of both out",
             options.testbed);
    }
}

TransportKind choose_transport(const LaunchOptions& options, std::string* remark) {
    if (options.transport) {
        return *options.transport;
    }
    if (options.nodes == 1 && !asks_for_testbed(options)) {
        return TransportKind::kShm;
    }
    const std::string why = why_no_xdp();
    if (why.empty()) {
        return TransportKind::kXdp;
    }
    *remark = "no XDP here (" + why + "): using shared memory, and the UDP agent on 127.0.0.x between nodes";
    return TransportKind::kUdp;
}

void use_testbed(const LaunchOptions& options, const testbed::Testbed& testbed, const std::string& name, Plan* plan) {
    if (testbed.nodes().size() < options.nodes) {
        fail(SYNCLINE_ERR_INVALID, "the test bed has {} nodes, {} are asked for", testbed.nodes().size(),
             options.nodes);
    }
    for (uint32_t i = 0; i < options.nodes; i++) {
        const testbed::Node& node = testbed.nodes()[i];
        plan->job.nodes[i].address = parse_node_address(options.ipv6 ? node.address6 : node.address4);
        plan->nodes[i].netns = node.netns.get();
        plan->nodes[i].interface = node.interface;
        if (!name.empty()) {
            plan->nodes[i].daemon_socket = fmt::format("/run/syncline/syncline-{}-{}.sock", name, i);
        }
    }
}

// The caller names a test bed, or the one named "default" is up; empty: a private one.
std::string name_of_testbed(const LaunchOptions& options) {
    if (!options.testbed.empty() || options.switch_kind) {
        return options.testbed;
    }
    const std::vector<std::string> names = testbed::Testbed::list();
    return std::find(names.begin(), names.end(), "default") != names.end() ? "default" : "";
}

// On xdp the switch does what faults there are; otherwise the processes do.
testbed::Options private_testbed(const LaunchOptions& options, bool xdp) {
    testbed::Options wanted;
    wanted.nodes = static_cast<int>(options.nodes);
    wanted.kind = options.switch_kind.value_or(testbed::SwitchKind::kXdp);
    if (xdp) {
        wanted.faults = {options.faults.loss, options.faults.duplicate, options.faults.reorder, options.faults.corrupt,
                         options.faults.seed};
    }
    return wanted;
}

void plan_testbed(const LaunchOptions& options, Plan* plan) {
    if (options.shared_testbed != nullptr) {
        use_testbed(options, *options.shared_testbed, "", plan);
        return;
    }
    const bool xdp = plan->job.spec.transport == TransportKind::kXdp;
    if (const std::string why = why_no_xdp(); !why.empty()) {
        fail(SYNCLINE_ERR_PERMISSION, "{}: {}; run as root, or use --transport udp{}",
             xdp ? "--transport xdp" : "a test bed", why, xdp ? "" : " without --testbed and --switch");
    }
    const std::string name = name_of_testbed(options);
    if (name.empty()) {
        plan->testbed = std::make_unique<testbed::Testbed>(testbed::Testbed::create(private_testbed(options, xdp)));
    } else {
        plan->testbed = std::make_unique<testbed::Testbed>(testbed::Testbed::open(name));
        plan->remark = fmt::format("using the test bed '{}'", name);
        if (xdp && options.faults.any()) {
            fail(SYNCLINE_ERR_INVALID,
                 "--faults belongs to a private test bed; '{}' is up: give the rates to `syncline testbed up`", name);
        }
    }
    use_testbed(options, *plan->testbed, name, plan);
}

void plan_loopback(const LaunchOptions& options, Plan* plan) {
    for (uint32_t i = 0; i < options.nodes; i++) {
        if (options.ipv6 && options.nodes > 1) {
            fail(SYNCLINE_ERR_UNSUPPORTED,
                 "loopback has one IPv6 address only: use --ipv6 with --transport xdp or a test bed");
        }
        plan->job.nodes[i].address = parse_node_address(options.ipv6 ? "::1" : fmt::format("127.0.0.{}", i + 1));
    }
    if (options.nodes == 1) {
        plan->nodes[0].daemon_socket = "/run/syncline/synclined.sock";
    }
}

}  // namespace

std::string why_no_xdp() {
    if (::geteuid() != 0) {
        return "needs root";
    }
    LIBBPF_OPTS(bpf_map_create_opts, options, .map_flags = BPF_F_MMAPABLE);
    const UniqueFd probe(bpf_map_create(BPF_MAP_TYPE_ARRAY, "syncline_probe", 4, 8, 1, &options));
    if (!probe) {
        return fmt::format("this kernel makes no mappable BPF array: {}", std::strerror(errno));
    }
    return "";
}

JobSpec Plan::spec_of(uint32_t node) const {
    JobSpec spec = job.spec;
    spec.config.node = node;
    spec.config.first_rank = job.nodes[node].first_rank;
    spec.config.ports = job.nodes[node].ports;
    nodes[node].interface.copy(spec.interface, sizeof(spec.interface) - 1);
    return spec;
}

Plan make_plan(const LaunchOptions& options) {
    Plan plan;
    check(options);
    JobSpec& spec = plan.job.spec;
    spec.transport = choose_transport(options, &plan.remark);
    fill_random(&spec.token);
    fill_random(&spec.config.key);
    do {
        fill_random(&spec.config.job);
    } while (spec.config.job == 0);
    spec.config.authenticate = options.authenticate;
    spec.config.nodes = options.nodes;
    spec.config.ranks = options.ranks;
    spec.config.window = options.window;
    spec.config.udp_port = options.udp_port;
    spec.heap_bytes = round_up(options.heap_bytes, SLW_BLOCK_BYTES) + heap_reserved_bytes;
    spec.agent_mode = options.agent_mode;
    spec.agent_cpu = options.agent_cpu;
    spec.peer_timeout_ms = options.peer_timeout_ms;
    spec.owner_uid = uid_of_processes(options);
    spec.shared_cpus = std::max(1u, std::thread::hardware_concurrency());
    if (spec.transport != TransportKind::kXdp) {
        spec.faults = options.faults;
    }
    plan.nodes.resize(options.nodes);
    plan.job.nodes.resize(options.nodes);
    for (uint32_t node = 0; node < options.nodes; node++) {
        const uint32_t first = static_cast<uint32_t>(uint64_t{options.ranks} * node / options.nodes);
        const uint32_t next = static_cast<uint32_t>(uint64_t{options.ranks} * (node + 1) / options.nodes);
        plan.job.nodes[node].first_rank = first;
        plan.job.nodes[node].ports = next - first;
    }
    if (spec.transport == TransportKind::kXdp || asks_for_testbed(options)) {
        plan_testbed(options, &plan);
    } else {
        plan_loopback(options, &plan);
    }
    return plan;
}

}  // namespace syncline
