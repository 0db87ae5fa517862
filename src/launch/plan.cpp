// SPDX-License-Identifier: BSD-3-Clause
#include "launch/plan.h"

#include <bpf/bpf.h>
#include <pwd.h>
#include <unistd.h>
#include <thread>

#include <algorithm>
#include <cstdlib>
#include <optional>

#include "base/counted.h"
#include "base/failure.h"
#include "base/memory.h"
#include "base/random.h"
#include "daemon/addresses.h"
#include "job/bootstrap.h"
#include "job/protocol/daemon_protocol.h"
#include "testbed/netns.h"

namespace syncline {
namespace {

constexpr uint64_t heap_max = segment_length_max - heap_reserved_bytes;

static_assert(testbed::mtu_min == SLW_PACKET_LEAST + 40 + 8, "a full packet with its IPv6 and UDP headers");

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

void check_cpu(int cpu) {
    const Cpus allowed = own_cpus();
    if (cpu != -1 && !allowed.empty() &&
        (cpu < 0 || !std::binary_search(allowed.begin(), allowed.end(), static_cast<uint32_t>(cpu)))) {
        fail(SYNCLINE_ERR_INVALID, "the agent cannot run on CPU {}: this process may use CPU {}", cpu,
             format_cpus(allowed));
    }
}

bool asks_for_testbed(const LaunchOptions& options) {
    return options.shared_testbed != nullptr || !options.testbed.empty() || options.switch_kind.has_value() ||
           !options.mtus.empty();
}

void check(const LaunchOptions& options) {
    if (options.ranks < 1 || options.ranks > SLW_RANKS_MAX || options.nodes < 1 || options.nodes > options.ranks) {
        fail(SYNCLINE_ERR_INVALID, "{} cannot be put on {}: needs 1 to {} PEs and at most as many nodes",
             counted(options.ranks, "PE"), counted(options.nodes, "node"), +SLW_RANKS_MAX);
    }
    if (options.nodes > testbed::nodes_max || (options.ranks + options.nodes - 1) / options.nodes > SLW_PORTS_MAX) {
        fail(SYNCLINE_ERR_INVALID, "{} PEs on {} are too many: at most {} nodes with {} PEs each", options.ranks,
             counted(options.nodes, "node"), +testbed::nodes_max, +SLW_PORTS_MAX);
    }
    if (options.heap_bytes < 1 || options.heap_bytes > heap_max) {
        fail(SYNCLINE_ERR_INVALID, "a PE's heap cannot have {} bytes: give 1 to {}, 64 KiB less than 1 TiB",
             options.heap_bytes, +heap_max);
    }
    check_cpu(options.agent_cpu);
    if (options.transport && !properties_of(*options.transport).between_nodes) {
        const char* const name = transport_name(*options.transport);
        if (options.nodes > 1) {
            fail(SYNCLINE_ERR_INVALID, "transport {} works within one node, not {}; leave -N out or use udp or xdp",
                 name, options.nodes);
        }
        if (asks_for_testbed(options)) {
            fail(SYNCLINE_ERR_INVALID,
                 "transport {} sends nothing over a test bed: leave --testbed, --switch and --mtu out", name);
        }
    }
    if (!options.testbed.empty() && options.switch_kind) {
        fail(SYNCLINE_ERR_INVALID, "--switch is for a private test bed, and '{}' has a switch: leave one of both out",
             options.testbed);
    }
    if (!options.testbed.empty() && !options.mtus.empty()) {
        fail(SYNCLINE_ERR_INVALID, "--mtu is for a private test bed, and '{}' has its links: leave one of both out",
             options.testbed);
    }
}

TransportKind plan_transport(const LaunchOptions& options, std::string* remark) {
    if (options.transport) {
        return *options.transport;
    }
    const bool leaves_node = options.nodes > 1 || asks_for_testbed(options);
    const std::string why = leaves_node ? why_no_xdp() : "";
    if (!why.empty()) {
        *remark = "no XDP here (" + why + "): using shared memory, and the UDP agent on 127.0.0.x between nodes";
    }
    return default_transport(leaves_node, why.empty());
}

void use_testbed(const LaunchOptions& options, const testbed::Testbed& testbed, const std::string& name, Plan* plan) {
    if (testbed.nodes().size() < options.nodes) {
        fail(SYNCLINE_ERR_INVALID, "the test bed has {}, {} are asked for", counted(testbed.nodes().size(), "node"),
             options.nodes);
    }
    for (uint32_t i = 0; i < options.nodes; i++) {
        const testbed::Node& node = testbed.nodes()[i];
        plan->job.addresses[i] = NodeAddress::parse(options.ipv6 ? node.address6 : node.address4);
        plan->nodes[i].netns = node.netns.get();
        plan->nodes[i].interface = node.interface;
        if (!name.empty()) {
            plan->nodes[i].daemon_socket = fmt::format("/run/syncline/syncline-{}-{}.sock", name, i);
        }
    }
}

// The caller names a test bed, or the one named "default" is up; empty: a private one.
std::string name_of_testbed(const LaunchOptions& options) {
    if (!options.testbed.empty() || options.switch_kind || !options.mtus.empty()) {
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
    if (!options.mtus.empty()) {
        wanted.mtus = options.mtus;
    }
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
    const bool xdp = plan->job.spec.properties().attaches_interface;
    if (const std::string why = why_no_xdp(); !why.empty()) {
        fail(SYNCLINE_ERR_PERMISSION, "{}: {}; --transport udp{} needs no privilege",
             xdp ? "--transport xdp" : "a test bed", why, xdp ? "" : " without --testbed, --switch and --mtu");
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
        plan->job.addresses[i] = NodeAddress::parse(options.ipv6 ? "::1" : fmt::format("127.0.0.{}", i + 1));
    }
    if (options.nodes == 1) {
        plan->nodes[0].daemon_socket = service_socket;
    }
}

bool is_free(const Plan& plan, uint32_t port) {
    for (size_t i = 0; i < plan.nodes.size(); i++) {
        std::optional<testbed::NetnsScope> scope;
        if (plan.nodes[i].netns >= 0) {
            scope.emplace(plan.nodes[i].netns);
        }
        try {
            make_udp_socket(plan.job.addresses[i], static_cast<uint16_t>(port));
        } catch (const Failure& failure) {
            if (failure.status() == SYNCLINE_ERR_BUSY) {
                return false;
            }
            throw;
        }
    }
    return true;
}

}  // namespace

// Below the ports that the kernel gives to sockets that ask for none.
uint32_t choose_udp_port(const Plan& plan) {
    constexpr uint32_t first = 10000;
    constexpr uint32_t count = 20000;
    uint32_t port = SLW_DEFAULT_UDP_PORT;
    for (int attempt = 0; attempt < 100; attempt++) {
        if (is_free(plan, port)) {
            return port;
        }
        fill_random(&port);
        port = first + port % count;
    }
    fail(SYNCLINE_ERR_BUSY, "no UDP port was found that is free on all {} nodes; name one with --udp-port",
         plan.nodes.size());
}

// A capability or a part of the kernel may be missing: this function tries the thing itself.
std::string why_no_xdp() {
    if (::geteuid() != 0) {
        return "needs root";
    }
    LIBBPF_OPTS(bpf_map_create_opts, options, .map_flags = BPF_F_MMAPABLE);
    const UniqueFd probe(bpf_map_create(BPF_MAP_TYPE_ARRAY, "syncline_probe", 4, 8, 1, &options));
    if (!probe && errno != EPERM) {
        return errno == EMFILE ? describe_errno(errno)
                               : fmt::format("this kernel makes no mappable BPF array: {}", std::strerror(errno));
    }
    if (!probe) {
        return "this process may not use BPF: it lacks CAP_BPF, although it is root";
    }
    return testbed::Testbed::why_impossible();
}

JobSpec Plan::spec_of(uint32_t node) const {
    JobSpec spec = job.spec;
    spec.config.node = node;
    spec.config.ports = job.map.ports_of(node);
    spec.memory_mib = nodes[node].memory_mib;
    nodes[node].interface.copy(spec.interface, sizeof(spec.interface) - 1);
    return spec;
}

namespace {

// The PEs run in this process's control group, whose limit the daemons do not know. Each node has what it begins with,
// and of the rest a part by its number of PEs.
void share_memory(uint64_t limit, Plan* plan) {
    const MemoryLeft left = memory_left();
    const uint64_t all = std::min(limit, promisable(left.bytes));
    uint64_t first = 0;
    for (uint32_t node = 0; node < plan->nodes.size(); node++) {
        first += initial_bytes(plan->spec_of(node));
    }
    if (first > all) {
        const bool asked = limit < promisable(left.bytes);
        fail(SYNCLINE_ERR_NO_MEMORY,
             "the heaps and tables of {} PEs, with {} of heap each, begin with {}, which is more than {}: choose a "
             "smaller "
             "--heap or fewer PEs",
             plan->job.spec.config.ranks, format_bytes(plan->job.spec.heap_bytes), format_bytes(first),
             asked ? fmt::format("the limit of {}", format_bytes(limit))
                   : fmt::format("three quarters of the {} that {} has left", format_bytes(left.bytes), left.whose));
    }
    for (uint32_t node = 0; node < plan->nodes.size(); node++) {
        const JobSpec spec = plan->spec_of(node);
        const uint64_t rest = (all - first) / spec.config.ranks * spec.config.ports;
        plan->nodes[node].memory_mib =
            static_cast<uint32_t>(std::min<uint64_t>(round_up(initial_bytes(spec) + rest, 1 << 20) >> 20, UINT32_MAX));
    }
}

}  // namespace

namespace {

// The length that the links of the job carry at most: the tables are as large as that. Each daemon knows its own link.
uint32_t longest_packet(const LaunchOptions& options) {
    if (options.mtus.empty()) {
        return SLW_PACKET_MAX;
    }
    return packet_max_of(static_cast<uint32_t>(*std::max_element(options.mtus.begin(), options.mtus.end())));
}

bool is_there(const std::string& daemon_socket) {
    return !daemon_socket.empty() && ::access(daemon_socket.c_str(), F_OK) == 0;
}

std::vector<std::string> settings_of(const LaunchOptions& options) {
    std::vector<std::string> settings = options.environment;
    for (const ProgramPart& part : options.more_programs) {
        settings.insert(settings.end(), part.environment.begin(), part.environment.end());
    }
    return settings;
}

JobShape shape_of(const LaunchOptions& options, const Plan& plan) {
    return {.map = plan.job.map,
            .has_agents = plan.job.spec.properties().has_agent,
            .resident_daemons = std::any_of(plan.nodes.begin(), plan.nodes.end(),
                                            [](const PlannedNode& node) { return is_there(node.daemon_socket); }),
            .agent_cpu = options.agent_cpu,
            .threads_of_pe = threads_of_pe(settings_of(options))};
}

}  // namespace

BindingPreview preview_binding(const LaunchOptions& options) {
    check(options);
    Plan plan;
    plan.job.spec.transport = plan_transport(options, &plan.remark);
    plan.job.map = RankMap::lay_out(options.map_by, options.ranks, options.nodes);
    plan.job.addresses.resize(options.nodes);
    plan.nodes.resize(options.nodes);
    if (!plan.job.spec.properties().attaches_interface) {
        plan_loopback(options, &plan);
    }
    Binding binding = preview_binding(shape_of(options, plan), options.bind_to);
    return {plan.job.spec.transport, std::move(plan.job.map), std::move(binding)};
}

Plan make_plan(const LaunchOptions& options) {
    Plan plan;
    check(options);
    JobSpec& spec = plan.job.spec;
    spec.transport = plan_transport(options, &plan.remark);
    fill_random(&spec.token);
    fill_random(&spec.config.key);
    do {
        fill_random(&spec.config.job);
    } while (spec.config.job == 0);
    spec.config.authenticate = options.authenticate;
    spec.config.nodes = options.nodes;
    spec.config.ranks = options.ranks;
    spec.config.window = options.window;
    spec.config.packet_max = longest_packet(options);
    spec.heap_bytes = plus(round_up(options.heap_bytes, SLW_BLOCK_BYTES), heap_reserved_bytes);
    spec.agent_mode = options.agent_mode;
    spec.agent_cpu = options.agent_cpu;
    spec.peer_timeout_ms = options.peer_timeout_ms;
    spec.owner_uid = uid_of_processes(options);
    spec.shared_cpus = std::max(1u, std::thread::hardware_concurrency());
    if (!spec.properties().attaches_interface) {
        spec.faults = options.faults;
    }
    plan.nodes.resize(options.nodes);
    plan.job.addresses.resize(options.nodes);
    plan.job.map = RankMap::lay_out(options.map_by, options.ranks, options.nodes);
    if (spec.properties().attaches_interface || asks_for_testbed(options)) {
        plan_testbed(options, &plan);
    } else {
        plan_loopback(options, &plan);
    }
    share_memory(options.memory_limit, &plan);
    const bool local = !spec.properties().between_nodes;  // its port is a number that nothing uses
    spec.config.udp_port = options.udp_port != 0 ? options.udp_port
                           : local               ? uint32_t{SLW_DEFAULT_UDP_PORT}
                                                 : choose_udp_port(plan);
    plan.binding = bind_job(shape_of(options, plan), options.bind_to);
    return plan;
}

}  // namespace syncline
