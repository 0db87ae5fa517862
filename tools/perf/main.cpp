// SPDX-License-Identifier: BSD-3-Clause
// syncline-perf: the PEs of `syncline perf`, which executes this program in its own place. The command itself stays
// apart from libsyncline, which is for PEs.
#include <CLI/CLI.hpp>

#include "base/failure.h"
#include "base/standard_descriptors.h"
#include "tools/perf/run.h"

namespace {

int run_words(int argc, char** argv) {
    CLI::App app{"`syncline perf` executes this program"};
    syncline::perf::Options options;
    syncline::perf::add_options(&app, &options);
    try {
        app.parse(argc, argv);
    } catch (const CLI::ParseError& error) {
        return app.exit(error) == 0 ? 0 : 2;
    }
    return syncline::perf::run(options);
}

}  // namespace

int main(int argc, char** argv) {
    syncline::fill_standard_descriptors();
    try {
        return syncline::flush_standard_output(run_words(argc, argv));
    } catch (const std::exception& exception) {
        fmt::print(stderr, "syncline: {}\n", exception.what());
        return 1;
    }
}
