// SPDX-License-Identifier: BSD-3-Clause
#include "tools/app.h"

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <memory>
#include <optional>
#include <thread>

#include "base/failure.h"
#include "base/interruption.h"
#include "base/launcher_rank.h"
#include "base/standard_descriptors.h"
#include "base/version.h"
#include "bench/command/commands.h"
#include "sim/command/sim_command.h"
#include "tools/commands.h"
#include "tools/help_formatter.h"
#include "tools/launcher_words.h"
#include "tools/oshrun_command.h"

namespace syncline::tools {
namespace {

// CLI11 says that a subcommand is required. A word in its place is the mistake to name.
bool explain_unknown_command(const CLI::App& app) {
    const CLI::App* last = &app;
    std::string name = "syncline";
    while (!last->get_subcommands().empty()) {
        last = last->get_subcommands().front();
        name += " " + last->get_name();
    }
    const std::vector<std::string> words = last->remaining();
    if (last->get_require_subcommand_min() == 0 || words.empty() || words.front().starts_with('-')) {
        return false;
    }
    fmt::print(stderr, "syncline: '{} {}' is no command; `{} --help` lists the commands\n", name, words.front(), name);
    return true;
}

// All PEs of `syncline perf` read the same words, and PE 0 says what is wrong with these. The others give it the time
// for that, because a launcher ends the job once one of them has ended.
bool speaks(const std::string& command) {
    if (command != "perf" || launcher_rank() == "0") {
        return true;
    }
    std::this_thread::sleep_for(std::chrono::milliseconds(500));
    return false;
}

int parse_and_run(Words words) {
    CLI::App app{"Syncline: one-sided communication that the NIC executes.", "syncline"};
    app.formatter(std::make_shared<HelpFormatter>(terminal_columns()));  // before the commands, which inherit it
    int exit_code = 0;
    build_app(&app, &exit_code);
    if (!words.empty() && words[0] == "oshrun") {
        std::optional<Words> of_run =
            words_of_oshrun(*app.get_subcommand("run"), Words(words.begin() + 1, words.end()));
        if (!of_run) {
            return 0;
        }
        words = {"run"};
        words.insert(words.end(), of_run->begin(), of_run->end());
    }
    try {
        app.parse(words_for_parser(app, words));
    } catch (const CLI::RequiredError& error) {
        return explain_unknown_command(app) || app.exit(error) != 0 ? 2 : 0;
    } catch (const CLI::ParseError& error) {
        const int code = speaks(words.empty() ? "" : words[0]) ? app.exit(error) : error.get_exit_code();
        return code == 0 ? 0 : 2;
    }
    return exit_code;
}

int report_failures(int argc, char** argv) {
    const std::string command = argc > 1 ? argv[1] : "";
    try {
        return parse_and_run(Words(argv + std::min(argc, 1), argv + argc));
    } catch (const UsageError& error) {
        if (speaks(command)) {
            std::fprintf(stderr, "%s: %s\n", command == "oshrun" ? "oshrun" : "syncline", error.what());
        }
        return 2;
    } catch (const Interrupted& interrupted) {
        std::fprintf(stderr, "syncline: %s\n", interrupted.what());
        return 128 + interrupted.signal();
    } catch (const std::exception& exception) {
        std::fprintf(stderr, "syncline: %s\n", exception.what());
        return 1;
    }
}

}  // namespace

void build_app(CLI::App* app, int* exit_code) {
    app->require_subcommand(1);
    app->set_version_flag("--version", std::string("syncline ") + version());
    add_run_command(app, exit_code);
    bench::add_bench_command(app, exit_code);
    add_testbed_command(app, exit_code);
    add_info_command(app, exit_code);
    add_perf_command(app, exit_code);
    add_stat_command(app, exit_code);
    add_top_command(app, exit_code);
    add_sim_command(app, exit_code);
}

std::vector<std::string> words_for_parser(const CLI::App& app, const std::vector<std::string>& words) {
    Words all = words;
    if (!words.empty() && words[0] == "run") {
        all = words_for_run(*app.get_subcommand("run"), Words(words.begin() + 1, words.end()));
        all.insert(all.begin(), "run");
    }
    std::reverse(all.begin(), all.end());  // so CLI11 takes them
    return all;
}

int run_app(int argc, char** argv) {
    fill_standard_descriptors();
    return flush_standard_output(report_failures(argc, argv));
}

}  // namespace syncline::tools
