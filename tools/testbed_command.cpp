// SPDX-License-Identifier: BSD-3-Clause
// `syncline testbed up | down | status | faults`
#include <CLI/CLI.hpp>

#include "base/counted.h"
#include "base/failure.h"
#include "base/interruption.h"
#include "testbed/checks.h"
#include "testbed/testbed.h"
#include "tools/commands.h"

namespace syncline::tools {
namespace {

using testbed::Testbed;

struct TestbedArguments {
    testbed::Options options = {.nodes = 4, .name = "default"};
    std::string kind = "xdp";
    bool all = false;
};

void add_fault_options(CLI::App* command, testbed::Faults* faults) {
    command->add_option("--loss", faults->loss, "rate of frames lost, 0 to 1")->capture_default_str();
    command->add_option("--duplicate", faults->duplicate, "rate of frames sent twice")->capture_default_str();
    command->add_option("--reorder", faults->reorder, "rate of frames held back behind others")->capture_default_str();
    command->add_option("--corrupt", faults->corrupt, "rate of frames with bits flipped")->capture_default_str();
    command->add_option("--seed", faults->seed, "seed of the faults")->capture_default_str();
}

std::string text_of(const testbed::Faults& faults) {
    return fmt::format("loss {:g}, duplicate {:g}, reorder {:g}, corrupt {:g}, seed {}", faults.loss, faults.duplicate,
                       faults.reorder, faults.corrupt, faults.seed);
}

const char* switch_text(testbed::SwitchKind kind) {
    return kind == testbed::SwitchKind::kBridge ? "a bridge, its ports with an XDP program that passes everything"
                                                : "an XDP switch";
}

void print_status(const Testbed& bed) {
    const testbed::Options& options = bed.options();
    const testbed::Counters counters = bed.counters();
    const bool is_bridge = options.kind == testbed::SwitchKind::kBridge;
    fmt::print("{}: {} on {}\n", options.name, counted(bed.nodes().size(), "node"), switch_text(options.kind));
    for (size_t i = 0; i < bed.nodes().size(); i++) {
        const testbed::Node& node = bed.nodes()[i];
        fmt::print("  node {}: namespace syncline-{}-{}, {} {} {}, MTU {}\n", i, options.name, i, node.interface,
                   node.address4, node.address6, node.mtu);
    }
    if (options.faults.any()) {
        fmt::print("  faults: {}\n", text_of(options.faults));
    }
    if (is_bridge) {
        fmt::print("  frames: {} came to the bridge, which counts nothing else\n", counters.forwarded);
        return;
    }
    fmt::print(
        "  frames: {} forwarded, {} flooded, {} lost, {} duplicated, {} reordered, {} corrupted, {} unknown, {} too "
        "long\n",
        counters.forwarded, counters.flooded, counters.lost, counters.duplicated, counters.reordered,
        counters.corrupted, counters.unknown, counters.too_long);
}

// Prints what a user may see who may not look into the test bed. Returns the test bed's damage, or "".
std::string show_outline(const std::string& name) {
    try {
        const testbed::Options options = Testbed::outline(name);
        fmt::print("{}: {} on {}; root sees addresses, faults and frames\n", name,
                   counted(static_cast<uint64_t>(options.nodes), "node"), switch_text(options.kind));
        return "";
    } catch (const Failure& failure) {
        return failure.what();
    }
}

int status() {
    const std::vector<std::string> names = Testbed::list();
    if (names.empty()) {
        fmt::print("no test bed is up\n");
        return 0;
    }
    int exit_code = 0;
    for (const std::string& name : names) {
        try {
            print_status(Testbed::open(name));
        } catch (const Failure& failure) {
            const std::string damage =
                failure.status() == SYNCLINE_ERR_PERMISSION ? show_outline(name) : failure.what();
            if (!damage.empty()) {
                fmt::print("{}: damaged: {}; remove it with `syncline testbed down --name {}`\n", name, damage, name);
                exit_code = 1;
            }
        }
    }
    return exit_code;
}

int down(const TestbedArguments& arguments) {
    const DeferredSignals whole;  // a test bed that is half removed would only have to be removed again
    for (const std::string& name : Testbed::list()) {
        if (arguments.all) {
            Testbed::destroy(name);
        }
    }
    if (!arguments.all) {
        Testbed::destroy(arguments.options.name);
    }
    return 0;
}

}  // namespace

void add_mtu_option(CLI::App* command, std::vector<int>* mtus, const std::string& description) {
    const auto read = [mtus](const std::string& text) {
        try {
            *mtus = testbed::parse_mtus(text);
        } catch (const Failure& failure) {
            throw CLI::ValidationError("--mtu", failure.what());
        }
    };
    command->add_option_function<std::string>("--mtu", read, description);
}

void add_testbed_command(CLI::App* app, int* exit_code) {
    auto arguments = std::make_shared<TestbedArguments>();
    testbed::Options& options = arguments->options;
    CLI::App* const command = app->add_subcommand(
        "testbed", "Nodes as network namespaces on this machine, joined by a switch with seeded faults. Needs root.");
    command->require_subcommand(1);

    CLI::App* const up = command->add_subcommand("up", "make a test bed");
    up->add_option("-n,--nodes", options.nodes, "number of nodes")->capture_default_str();
    up->add_option("--name", options.name, "name of the test bed; `syncline run` uses the one named default")
        ->capture_default_str();
    up->add_option("--switch", arguments->kind, "xdp, or bridge (the Linux bridge; no faults)")
        ->check(CLI::IsMember({"xdp", "bridge"}))
        ->capture_default_str();
    add_mtu_option(up, &options.mtus,
                   "MTU of the links, 1280 to 9000 (1500); 9000,1500 gives the nodes these MTUs in turn");
    add_fault_options(up, &options.faults);
    up->callback([arguments, exit_code] {
        arguments->options.kind = testbed::parse_switch_kind(arguments->kind);
        testbed::check_name(arguments->options.name);
        const DeferredSignals deferred;
        print_status(Testbed::create(arguments->options));
        deferred.forget();  // the test bed is up, and the user has been told
        *exit_code = 0;
    });

    CLI::App* const off = command->add_subcommand("down", "remove a test bed, or the rest of a damaged one");
    off->add_option("--name", options.name, "its name")->type_name("TESTBED")->capture_default_str();
    off->add_flag("--all", arguments->all, "remove every test bed");
    off->callback([arguments, exit_code] { *exit_code = down(*arguments); });

    command->add_subcommand("status", "list the test beds that are up, and the frames that their switches have handled")
        ->callback([exit_code] { *exit_code = status(); });

    CLI::App* const faults = command->add_subcommand("faults", "change the faults of a test bed that is up");
    faults->add_option("--name", options.name, "its name")->type_name("TESTBED")->capture_default_str();
    add_fault_options(faults, &options.faults);
    faults->callback([arguments, exit_code] {
        Testbed bed = Testbed::open(arguments->options.name);
        bed.set_faults(arguments->options.faults);
        fmt::print("{}: faults are now: {}\n", bed.options().name, text_of(bed.options().faults));
        *exit_code = 0;
    });
}

}  // namespace syncline::tools
