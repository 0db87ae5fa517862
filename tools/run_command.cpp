// SPDX-License-Identifier: BSD-3-Clause
// `syncline run`
#include <CLI/CLI.hpp>
#include <charconv>
#include <cstdlib>
#include <filesystem>
#include <optional>

#include "base/failure.h"
#include "base/variables.h"
#include "bench/report/progress.h"
#include "fabric/packet/fault/fault_transport.h"
#include "job/heap_size.h"
#include "job/job_variables.h"
#include "launch/launch.h"
#include "tools/commands.h"
#include "tools/launcher_words.h"
#include "tools/size_option.h"

namespace syncline::tools {
namespace {

struct RunArguments {
    LaunchOptions options;
    std::string transport = "auto";
    std::string heap;          // empty: the environment decides
    std::string memory_limit;  // likewise
    std::string bind_to;       // empty: the default
    std::string agent = "spin-block";
    std::string faults;
    std::string switch_kind;
    std::vector<std::string> variables;  // of -x
    bool no_auth = false;
};

// Checks the variables of -x: each has a value, or is set and so passed on in any case.
std::vector<std::string> set_variables(const std::vector<std::string>& variables) {
    std::vector<std::string> set;
    for (const std::string& variable : variables) {
        if (variable.find('=') != std::string::npos && variable[0] != '=') {
            set.push_back(variable);
        } else if (std::getenv(variable.c_str()) == nullptr) {
            refuse_words("-x {}: this variable is not set, and has no value here", variable);
        }
    }
    return set;
}

// Puts the variables of -x that configure the job into this launcher's environment: the launcher reads them, too.
void take_wishes(const std::vector<std::string>& variables) {
    for (const std::string& variable : variables) {
        const std::string name = variable.substr(0, variable.find('='));
        if (name.starts_with("SYNCLINE_") || name.starts_with("SHMEM_") || name.starts_with("SMA_")) {
            ::setenv(name.c_str(), variable.c_str() + name.size() + 1, 1);
        }
    }
}

void check_directory(const std::string& directory) {
    std::error_code ignored;
    if (!directory.empty() && !std::filesystem::is_directory(directory, ignored)) {
        refuse_words("--wdir: there is no folder '{}'", directory);
    }
}

uint32_t number_of_pes(const std::string& text) {
    uint32_t number = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
    if (error != std::errc() || end != text.data() + text.size() || number < 1 || number > SLW_RANKS_MAX) {
        refuse_words("a program cannot have {} PEs: give 1 to {}", text, +SLW_RANKS_MAX);
    }
    return number;
}

// Reads the words after a colon. Only -n, -x and --wdir may differ between the programs of a job.
ProgramPart read_part(const CLI::App& run, const Words& words) {
    const LauncherWords read = read_launcher_words(run, words);
    ProgramPart part = {number_of_pes(read.pes), read.program, {}, ""};
    if (part.program.empty()) {
        refuse_words("no program is named behind ':'");
    }
    if (!read.hosts.empty()) {
        throw UsageError(
            fmt::format("{} holds for the whole job: give it in front of the first program", read.hosts[0]));
    }
    for (size_t i = 0; i < read.options.size(); i += 2) {
        const std::string& option = read.options[i];
        if (option == "--env") {
            const std::vector<std::string> variables = set_variables({read.options[i + 1]});
            part.environment.insert(part.environment.end(), variables.begin(), variables.end());
        } else if (option == "--wdir") {
            part.directory = read.options[i + 1];
        } else if (option != "-n") {
            refuse_words("{} holds for the whole job: give it in front of the first program", option);
        }
    }
    check_directory(part.directory);
    return part;
}

// Reads all programs: the parser has put the first one and all words after it into one list.
void split_programs(const CLI::App& run, LaunchOptions* options) {
    const std::vector<Words> parts = programs_of(options->program);
    options->program = parts[0];
    for (size_t i = 1; i < parts.size(); i++) {
        options->more_programs.push_back(read_part(run, parts[i]));
        options->ranks += options->more_programs.back().ranks;
    }
}

// Takes each setting from its option, else from the environment, else from its default.
void decide(const CLI::App& command, const RunArguments& arguments, LaunchOptions* options) {
    const JobVariables wished = job_variables();
    const auto is_given = [&](const char* option) { return command.count(option) != 0; };
    options->transport =
        transport_named(is_given("--transport") ? arguments.transport : wished.transport.value_or("auto"));
    options->heap_bytes = arguments.heap.empty() ? heap_size_from_environment(options->ranks).bytes
                                                 : parse_size("--heap", arguments.heap);
    options->memory_limit = is_given("--memory-limit") ? parse_size("--memory-limit", arguments.memory_limit)
                                                       : wished.memory_limit.value_or(options->memory_limit);
    options->prints_traces = wished.trace_events != 0;
    options->authenticate = !arguments.no_auth && wished.authenticate.value_or(true);
    if (!is_given("--window")) {
        options->window = wished.window.value_or(options->window);
    }
    if (!is_given("--peer-timeout")) {
        options->peer_timeout_ms = wished.peer_timeout_ms.value_or(options->peer_timeout_ms);
    }
}

int run(const CLI::App& command, RunArguments& arguments) {
    LaunchOptions& options = arguments.options;
    options.environment = set_variables(arguments.variables);
    take_wishes(options.environment);
    check_directory(options.directory);
    split_programs(command, &options);
    decide(command, arguments, &options);
    options.bind_to = parse_bind_to(arguments.bind_to);
    options.agent_mode = parse_agent_mode(arguments.agent);
    options.faults = parse_fault_rates(arguments.faults.c_str());
    if (!arguments.switch_kind.empty()) {
        options.switch_kind = testbed::parse_switch_kind(arguments.switch_kind);
    }
    if (!options.quiet) {
        warn_of_unread_variables();
    }
    auto progress = std::make_unique<bench::Progress>(options.nodes);
    options.node_ready = [&progress](uint32_t node) { progress->step(fmt::format("node {} is ready", node)); };
    Launch launch(options);
    progress.reset();
    launch.start();
    return launch.run();
}

}  // namespace

AgentMode parse_agent_mode(const std::string& name) {
    if (name == "poll") {
        return AgentMode::kPoll;
    }
    return name == "block" ? AgentMode::kBlock : AgentMode::kSpinBlock;
}

std::vector<std::string> bind_to_names() {
    return {"core", "socket", "none"};
}

BindTo parse_bind_to(const std::string& name) {
    return name == "core"     ? BindTo::kCore
           : name == "socket" ? BindTo::kSocket
           : name == "none"   ? BindTo::kNone
                              : BindTo::kDefault;
}

void add_run_command(CLI::App* app, int* exit_code) {
    auto arguments = std::make_shared<RunArguments>();
    LaunchOptions& options = arguments->options;
    CLI::App* const command = app->add_subcommand(
        "run",
        "Start the PEs (processes) of a parallel program and wait for their end. A PE that exits before it joins the "
        "job, or without finalizing, ends the job. A PE that a signal kills does not end it: operations on that PE "
        "return an error. The exit code is that of the first PE that ends with one other than 0.");
    command->add_option("-n,--pes", options.ranks, "number of PEs")->capture_default_str();
    command->add_option("-N,--nodes", options.nodes, "number of nodes; the PEs are spread evenly over them")
        ->capture_default_str();
    command->add_option("-m,--map-by,--distribution", options.map_by, map_by_help)->capture_default_str();
    command->add_option("--bind-to", arguments->bind_to, bind_to_help)->check(CLI::IsMember(bind_to_names()));
    command->add_flag("--report-bindings", options.report_bindings, "print the CPUs that each PE is bound to");
    command
        ->add_option(
            "-t,--transport", arguments->transport,
            "transport: xdp (NICs execute the operations), udp (a host agent on each node does), shm (memory of one "
            "machine), or auto: shm for one node, else xdp where it is available, else udp; without this option "
            "SYNCLINE_TRANSPORT decides")
        ->check(CLI::IsMember({"shm", "udp", "xdp", "auto"}))
        ->capture_default_str();
    command->add_option(
        "--heap", arguments->heap,
        "symmetric heap per PE, with unit (64MiB); else SHMEM_SYMMETRIC_SIZE or SYNCLINE_HEAP_SIZE, else 32MiB");
    command->add_option("--memory-limit", arguments->memory_limit,
                        "limit of the symmetric memory of all PEs on this machine together, with unit (8GiB), at most "
                        "three quarters of the memory that is free on the machine and in its control group; else "
                        "SYNCLINE_MEMORY_LIMIT");
    command
        ->add_option("-x,--env", arguments->variables,
                     "set a variable in the environment of the program; may be repeated")
        ->type_name("NAME=VALUE")
        ->allow_extra_args(false);
    command->add_option("--wdir", options.directory, "start the program in this folder")->type_name("FOLDER");
    command->add_flag("-p,--prefix", options.prefix, "put the rank of the PE in front of each line of its output");
    command->add_option("--agent", arguments->agent, "how udp's host agent waits: poll, spin-block or block")
        ->check(CLI::IsMember({"poll", "spin-block", "block"}))
        ->capture_default_str();
    command->add_option("--agent-cpu", options.agent_cpu, "pin the host agent to this CPU");
    command->add_option(
        "--faults", arguments->faults,
        "lose, repeat, reorder and corrupt packets, as in loss=0.1,duplicate=0.05,reorder=0.05,corrupt=0.01,seed=7");
    command->add_flag("--no-auth", arguments->no_auth,
                      "packets carry a checksum instead of an authentication tag; else SYNCLINE_AUTHENTICATE");
    command
        ->add_option("--peer-timeout", options.peer_timeout_ms,
                     "milliseconds until a silent peer counts as dead; else SYNCLINE_PEER_TIMEOUT")
        ->check(CLI::Range(1u, UINT32_MAX))
        ->capture_default_str();
    command
        ->add_option("--window", options.window,
                     "packets that a PE may have in flight to one node; else SYNCLINE_WINDOW")
        ->check(CLI::Range(1, int{SLW_WINDOW_MAX}))
        ->capture_default_str();
    command
        ->add_option("--udp-port", options.udp_port,
                     "UDP port of the job; without this option 7448, or a free port if 7448 is taken")
        ->check(CLI::Range(1, 65535));
    command->add_flag("--ipv6", options.ipv6, "use IPv6 between nodes (xdp, or udp on a test bed)");
    command
        ->add_option("--testbed", options.testbed, "run the job on this test bed, which `syncline testbed up` has made")
        ->type_name("TESTBED");
    command->add_option("--switch", arguments->switch_kind, "switch of the private test bed of a job over xdp or udp")
        ->check(CLI::IsMember({"xdp", "bridge"}));
    add_mtu_option(command, &options.mtus,
                   "MTU of the links of the private test bed of a job over xdp or udp, 1280 to 9000; the nodes take "
                   "those of a list, as in 9000,1500, in turn");
    command->add_option("--user", options.user, "run the PEs as this user");
    command->add_flag("--end-on-crash", options.end_on_crash, "end the job when a signal kills a PE");
    command->add_flag("-q,--quiet", options.quiet, "print only the output of the program and error messages");
    command
        ->add_option(
            "program", options.program,
            "the program and its arguments; a word that is only a colon begins the next program of the job, with -n, "
            "-x and --wdir of its own")
        ->required();
    command->prefix_command(false);
    command->positionals_at_end();
    command->callback([arguments, command, exit_code] { *exit_code = run(*command, *arguments); });
}

}  // namespace syncline::tools
