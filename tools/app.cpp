// SPDX-License-Identifier: BSD-3-Clause
#include "tools/app.h"

#include <algorithm>
#include <cstdio>
#include <cstring>
#include <optional>

#include "base/failure.h"
#include "base/interruption.h"
#include "base/standard_descriptors.h"
#include "base/version.h"
#include "bench/command/commands.h"
#include "sim/command/sim_command.h"
#include "tools/commands.h"
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

int parse_and_run(Words words) {
    CLI::App app{"Syncline: one-sided communication that the NIC executes."};
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
        return app.exit(error) == 0 ? 0 : 2;
    }
    return exit_code;
}

int report_failures(int argc, char** argv) {
    const bool is_oshrun = argc > 1 && std::strcmp(argv[1], "oshrun") == 0;
    try {
        return parse_and_run(Words(argv + std::min(argc, 1), argv + argc));
    } catch (const UsageError& error) {
        std::fprintf(stderr, "%s: %s\n", is_oshrun ? "oshrun" : "syncline", error.what());
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
    const int exit_code = report_failures(argc, argv);
    errno = 0;
    if (std::fflush(stdout) != 0 || std::ferror(stdout) != 0) {
        fmt::print(stderr, "syncline: cannot write to standard output{}{}\n", errno != 0 ? ": " : "",
                   errno != 0 ? std::strerror(errno) : "");
        return exit_code != 0 ? exit_code : 1;
    }
    return exit_code;
}

}  // namespace syncline::tools
