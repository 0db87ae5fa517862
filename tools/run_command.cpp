// SPDX-License-Identifier: BSD-3-Clause
// `syncline run`
#include <CLI/App.hpp>
#include <charconv>
#include <optional>
#include <string_view>

#include "base/failure.h"
#include "bench/report/progress.h"
#include "fabric/packet/fault/fault_transport.h"
#include "job/heap_size.h"
#include "launch/launch.h"
#include "tools/commands.h"

namespace syncline::tools {
namespace {

struct RunArguments {
    LaunchOptions options;
    std::string transport = "auto";
    std::string heap;  // empty: as the environment says
    std::string agent = "spin-block";
    std::string faults;
    std::string switch_kind;
    bool no_auth = false;
};

int run(RunArguments& arguments) {
    LaunchOptions& options = arguments.options;
    options.transport = transport_named(arguments.transport);  // else the launcher chooses
    options.heap_bytes =
        arguments.heap.empty() ? heap_size_from_environment(options.ranks).bytes : parse_size("--heap", arguments.heap);
    options.agent_mode = parse_agent_mode(arguments.agent);
    options.faults = parse_fault_rates(arguments.faults.c_str());
    options.authenticate = !arguments.no_auth;
    if (!arguments.switch_kind.empty()) {
        options.switch_kind = testbed::parse_switch_kind(arguments.switch_kind);
    }
    auto progress = std::make_unique<bench::Progress>(options.nodes);
    options.node_ready = [&progress](uint32_t node) { progress->step(fmt::format("node {} is ready", node)); };
    Launch launch(options);
    progress.reset();
    launch.start();
    return launch.run();
}

}  // namespace

uint64_t parse_size(const char* option, const std::string& text) {
    uint64_t number = 0;
    const auto [unit, error] = std::from_chars(text.data(), text.data() + text.size(), number);
    std::string letters(unit, text.data() + text.size());
    std::transform(letters.begin(), letters.end(), letters.begin(), [](unsigned char c) { return std::toupper(c); });
    const size_t power = letters.empty() ? 0 : std::string_view("BKMGTPE").find(letters[0]);
    const std::string rest = letters.empty() ? "" : letters.substr(1);
    if (error != std::errc() || power == std::string_view::npos || (!rest.empty() && rest != "B" && rest != "IB") ||
        (power == 0 && !rest.empty()) || number > UINT64_MAX >> (10 * power)) {
        fail(SYNCLINE_ERR_INVALID, "{} cannot be '{}': give a whole number of bytes, or one with a unit, as in 64MiB",
             option, text);
    }
    return number << (10 * power);
}

AgentMode parse_agent_mode(const std::string& name) {
    if (name == "poll") {
        return AgentMode::kPoll;
    }
    return name == "block" ? AgentMode::kBlock : AgentMode::kSpinBlock;
}

void add_run_command(CLI::App* app, int* exit_code) {
    auto arguments = std::make_shared<RunArguments>();
    LaunchOptions& options = arguments->options;
    CLI::App* const command = app->add_subcommand(
        "run",
        "Start the PEs of a parallel program. A PE that exits before it joins the job, or without finalizing, ends it. "
        "A "
        "PE that a signal kills does not: operations on it return an error. The exit code is the first one that is not "
        "0.");
    command->add_option("-n,--pes", options.ranks, "number of PEs")->capture_default_str();
    command->add_option("-N,--nodes", options.nodes, "number of nodes they are spread over")->capture_default_str();
    command
        ->add_option(
            "-m,--distribution", options.distribution,
            "of the PEs over the nodes: block (those of a node have consecutive ranks), cyclic (PE r is on node "
            "r modulo the nodes), or each PE's node, as in 0,1,0,2")
        ->capture_default_str();
    command->add_option("-t,--transport", arguments->transport, "between nodes: shm, udp, xdp or auto")
        ->check(CLI::IsMember({"shm", "udp", "xdp", "auto"}))
        ->capture_default_str();
    command->add_option(
        "--heap", arguments->heap,
        "symmetric heap per PE, with unit (64MiB); else SHMEM_SYMMETRIC_SIZE or SYNCLINE_HEAP_SIZE, else "
        "32MiB");
    command
        ->add_option("--memory-limit", options.memory_limit,
                     "limit of all PEs' symmetric memory on this machine together, with unit (8GiB); never more than "
                     "three quarters of the memory that the machine and the control group have left")
        ->transform(CLI::AsSizeValue(false))
        ->envname("SYNCLINE_MEMORY_LIMIT");
    command->add_flag("-p,--prefix", options.prefix, "put the rank in front of every line of output");
    command->add_option("--agent", arguments->agent, "how udp's host agent waits: poll, spin-block or block")
        ->check(CLI::IsMember({"poll", "spin-block", "block"}))
        ->capture_default_str();
    command->add_option("--agent-cpu", options.agent_cpu, "pin the agent to this CPU");
    command->add_option("--faults", arguments->faults,
                        "inject seeded faults: loss=0.1,duplicate=0.05,reorder=0.05,corrupt=0.01,seed=7");
    command->add_flag("--no-auth", arguments->no_auth, "packets carry a checksum instead of an authentication tag");
    command->add_option("--peer-timeout", options.peer_timeout_ms, "milliseconds until a silent peer counts as dead")
        ->capture_default_str();
    command->add_option("--window", options.window, "packets in flight from a PE to a node")
        ->check(CLI::Range(1, int{SLW_WINDOW_MAX}))
        ->capture_default_str();
    command->add_option("--udp-port", options.udp_port, "UDP port of the job (7448, or a free one if that is taken)")
        ->check(CLI::Range(1, 65535));
    command->add_flag("--ipv6", options.ipv6, "IPv6 between nodes (xdp, or udp on a test bed)");
    command->add_option("--testbed", options.testbed, "xdp or udp on this test bed (see `syncline testbed`)");
    command->add_option("--switch", arguments->switch_kind, "xdp or udp on a private test bed with this switch")
        ->check(CLI::IsMember({"xdp", "bridge"}));
    add_mtu_option(
        command, &options.mtus,
        "xdp or udp on a private test bed whose links have this MTU, 1280 to 9000; 9000,1500 goes to the nodes "
        "in turn");
    command->add_option("--user", options.user, "run the PEs as this user");
    command->add_flag("--end-on-crash", options.end_on_crash, "a PE that is killed by a signal ends the job");
    command->add_flag("-q,--quiet", options.quiet, "no remarks");
    command->add_option("program", options.program, "the program and its arguments")->required();
    command->prefix_command(false);
    command->positionals_at_end();
    command->callback([arguments, exit_code] { *exit_code = run(*arguments); });
}

}  // namespace syncline::tools
