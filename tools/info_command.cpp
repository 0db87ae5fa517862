// SPDX-License-Identifier: BSD-3-Clause
// `syncline info`: says what this machine can do.
#include <sys/utsname.h>
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <filesystem>
#include <fstream>
#include <memory>

#include "base/counted.h"
#include "base/failure.h"
#include "base/memory.h"
#include "base/version.h"
#include "daemon/configuration.h"
#include "fabric/choice/factory.h"
#include "fabric/choice/job_memory.h"
#include "job/bootstrap.h"
#include "job/launchers/pmi2_launcher.h"
#include "job/launchers/pmix_launcher.h"
#include "job/links/veth.h"
#include "job/protocol/channel.h"
#include "launch/plan.h"
#include "runtime/operations/executor.h"
#include "tools/commands.h"
#include "tools/info_placement.h"
#include "tools/info_settings.h"
#include "tools/interfaces.h"

namespace syncline::tools {
namespace {

std::string first_line(const std::string& path) {
    std::ifstream file(path);
    std::string line;
    std::getline(file, line);
    return line;
}

std::string cpu_model() {
    std::ifstream file("/proc/cpuinfo");
    for (std::string line; std::getline(file, line);) {
        if (line.starts_with("model name")) {
            return line.substr(line.find(':') + 2);
        }
    }
    return "unknown CPU";
}

std::string resident_daemon() {
    std::string path = address_of_service();
    if (path[0] != '@' && !std::filesystem::exists(path)) {
        return "none (syncline run starts private ones)";
    }
    try {
        Channel::connect(path);
        return path;
    } catch (const Failure&) {
        return "none; " + path + " is a leftover of one that was killed";
    }
}

std::string executor_name(Executor executor) {
    switch (executor) {
        case Executor::kCpu:
            return "CPU";
        case Executor::kNic:
            return "NIC";
        case Executor::kAgent:
            break;
    }
    return "agent";
}

// Prints the executor of each operation, as the library decides it and as shmemx_executed_by() says it for memory.
void show_executors() {
    const auto row = [](const char* name, OperationKind kind) {
        const auto among_nodes = [&](TransportKind transport) {
            return executor_name(executor_of(kind, false, capabilities_of(transport).nic_executed));
        };
        fmt::print("  {:<28} {:<10} {:<10} {}\n", name, executor_name(executor_of(kind, true, false)),
                   among_nodes(TransportKind::kUdp), among_nodes(TransportKind::kXdp));
    };
    fmt::print("executed by {:<18} {:<10} {:<10} {}\n", "", "one node", "udp", "xdp");
    row("put", OperationKind::kPut);
    row("get", OperationKind::kGet);
    row("atomics", OperationKind::kAtomic);
    row("put with signal", OperationKind::kPutSignal);
    row("barriers", OperationKind::kBarrier);
    row("locks", OperationKind::kLock);
    row("reductions of one number", OperationKind::kReduceOne);
    row("broadcasts up to 8 bytes", OperationKind::kReduceOne);
    row("other reductions", OperationKind::kReduceAny);
}

int info() {
    utsname kernel = {};
    ::uname(&kernel);
    fmt::print("syncline {}\n", version());
    fmt::print("kernel       {} {} {}\n", kernel.sysname, kernel.release, kernel.machine);
    fmt::print("CPUs         {} x {}\n", ::sysconf(_SC_NPROCESSORS_ONLN), cpu_model());
    show_binding();
    fmt::print("user         {}\n", ::geteuid() == 0 ? "root" : "not root");
    const std::string jit = first_line("/proc/sys/net/core/bpf_jit_enable");
    fmt::print("BPF JIT      {}\n", jit.empty()  ? "unknown (only root may look)"
                                    : jit == "0" ? "off: xdp will be slow"
                                                 : "on");
    const BootstrapChoice bootstrap = choose_bootstrap();
    fmt::print("daemon       {}\n", resident_daemon());
    fmt::print("bootstrap    {}: {}\n", name_of(bootstrap.kind), bootstrap.why);
    const std::string why_no_pmix = why_no_pmix_library();
    fmt::print("PMIx         {}\n", why_no_pmix.empty() ? "its library is here" : why_no_pmix);
    const std::string why_no_pmi2 = why_no_pmi2_library();
    fmt::print("PMI-2        {}\n", why_no_pmi2.empty() ? "its library is here" : why_no_pmi2);
    fmt::print("transports\n");
    fmt::print("  shm        available: loads, stores and CPU atomics between PEs of one node\n");
    fmt::print("  udp        available: executed by a host agent of the target node\n");
    const std::string why = why_no_xdp();
    fmt::print("  xdp        {}\n", why.empty() ? "available: executed by the target's NIC program, in the driver's "
                                                  "receive path on a CPU of the host"
                                                : "unavailable: " + why);
    show_executors();
    fmt::print("interfaces\n");
    for (const Interface& interface : list_interfaces()) {
        const bool slower = interface.xdp.starts_with("generic") && interface.name != "lo";
        fmt::print("  {:<10} {:<12} MTU {:<6} XDP {}{}{}{}\n", interface.name, interface.driver, interface.mtu,
                   interface.xdp, slower ? ", which is slower" : "",
                   veth_swallows_answers(interface.name) ? ", if its other end runs a program, too" : "",
                   interface.attached.empty() ? "" : ", a program is attached (" + interface.attached + ")");
    }
    const std::vector<std::string> beds = testbed::Testbed::list();
    fmt::print("test beds    {}\n", beds.empty() ? "none" : fmt::format("{}", fmt::join(beds, ", ")));
    return 0;
}

constexpr uint32_t partners = 64;

// Prints how much memory of a node a job over xdp takes, with short and with long frames.
int job_memory(uint32_t ranks, uint32_t nodes) {
    const fw_config small = config_of_node(ranks, nodes, packet_max_of(1500));
    const fw_config large = config_of_node(ranks, nodes, packet_max_of(9000));
    const uint32_t talking = std::min(partners, small.nodes);
    const uint32_t sources = std::min(small.ports * partners, ranks);
    fmt::print("{} on {}: {} on a node, window {}. Each PE sends to {}, and {} to each node.\n", counted(ranks, "rank"),
               counted(nodes, "node"), small.ports, small.window, counted(talking, "node"), counted(sources, "rank"));
    fmt::print("{:<44} {:>12} {:>12}\n", "memory of a node, beside heaps", "MTU 1500", "MTU 9000");
    uint64_t sums[2] = {};
    const auto rows = [&](const std::vector<MemoryUse>& one, const std::vector<MemoryUse>& other) {
        for (size_t i = 0; i < one.size(); i++) {
            fmt::print("  {:<42} {:>12} {:>12}\n", one[i].what, format_bytes(one[i].bytes),
                       format_bytes(other[i].bytes));
        }
        sums[0] += sum_of(one);
        sums[1] += sum_of(other);
    };
    rows(table_memory(small, sources), table_memory(large, sources));
    rows(process_memory(small, talking), process_memory(large, talking));
    fmt::print("{:<44} {:>12} {:>12}\n", "together", format_bytes(sums[0]), format_bytes(sums[1]));
    return 0;
}

}  // namespace

void add_info_command(CLI::App* app, int* exit_code) {
    const auto of_job = std::make_shared<std::pair<uint32_t, uint32_t>>();
    CLI::App* const command = app->add_subcommand(
        "info", "Say what this machine can do: kernel, transports and why one is unavailable, XDP.");
    const CLI::Option* const memory =
        command
            ->add_option("--job-memory", *of_job,
                         "say instead what a job of so many ranks on so many nodes takes of a node's memory")
            ->type_name("RANKS NODES");
    const std::shared_ptr<PlacementQuestion> question = add_placement_options(command);
    const auto configuration = std::make_shared<std::string>();
    const auto asks_for_settings = std::make_shared<bool>(false);
    CLI::Option* const settings = command->add_flag(
        "--settings", *asks_for_settings,
        "say instead all that can be set: variables, options and the daemon's configuration, each with "
        "its value, its source, its default and its meaning");
    command
        ->add_option("--config", *configuration,
                     fmt::format("configuration that --settings shows; default: {}", configuration_path))
        ->type_name("FILE")
        ->needs(settings);
    command->callback([=] {
        *exit_code = memory->count() != 0   ? job_memory(of_job->first, of_job->second)
                     : question->is_asked() ? show_placement(*question)
                     : *asks_for_settings   ? show_settings(*app->get_subcommand("run"), *configuration)
                                            : info();
    });
}

}  // namespace syncline::tools
