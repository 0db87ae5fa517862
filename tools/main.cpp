// SPDX-License-Identifier: BSD-3-Clause
// `syncline`: the command.
#include <CLI/CLI.hpp>

#include <cstdio>

#include "base/version.h"
#include "tools/commands.h"

namespace {

int run(int argc, char** argv) {
    CLI::App app{"Syncline: one-sided communication that the NIC executes."};
    int exit_code = 0;
    app.require_subcommand(1);
    app.set_version_flag("--version", std::string("syncline ") + syncline::version());
    syncline::tools::add_run_command(&app, &exit_code);
    syncline::tools::add_bench_command(&app, &exit_code);
    syncline::tools::add_testbed_command(&app, &exit_code);
    syncline::tools::add_info_command(&app, &exit_code);
    syncline::tools::add_stat_command(&app, &exit_code);
    syncline::tools::add_sim_command(&app, &exit_code);
    try {
        app.parse(argc, argv);
    } catch (const CLI::ParseError& error) {
        return app.exit(error) == 0 ? 0 : 2;
    }
    return exit_code;
}

}  // namespace

int main(int argc, char** argv) {
    try {
        return run(argc, argv);
    } catch (const std::exception& exception) {
        std::fprintf(stderr, "syncline: %s\n", exception.what());
        return 1;
    }
}
