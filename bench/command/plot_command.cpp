// SPDX-License-Identifier: BSD-3-Clause
// `syncline bench plot` draws the picture of an earlier result.
#include <CLI/CLI.hpp>
#include <fstream>

#include "base/failure.h"
#include "bench/command/commands.h"
#include "bench/report/pictures.h"
#include "bench/report/result_files.h"

namespace syncline::bench {

namespace {

struct PlotArguments {
    std::string result, picture;
};

int plot(const PlotArguments& arguments) {
    check_picture(arguments.picture);
    std::ifstream file(arguments.result);
    if (!file) {
        fail_errno(SYNCLINE_ERR_INVALID, "cannot read {}", arguments.result);
    }
    Figure picture;
    try {
        picture = picture_of(Json::parse(file));
    } catch (const Json::exception&) {
        fail(SYNCLINE_ERR_INVALID, "{} is not what `syncline bench` writes with --json", arguments.result);
    }
    write_picture(arguments.picture, picture);
    return 0;
}

}  // namespace

void add_bench_plot_command(CLI::App* bench, int* exit_code) {
    const auto arguments = std::make_shared<PlotArguments>();
    CLI::App* const command = bench->add_subcommand("plot",
                                                    "Draw the picture of a result that was measured before, with "
                                                    "gnuplot. Measures nothing and needs no privilege.");
    command->add_option("result", arguments->result, "a file that a benchmark wrote with --json")->required();
    command
        ->add_option("picture", arguments->picture,
                     "the file to draw to, as SVG, or as PNG or PDF if its name ends so; - is the standard output")
        ->required();
    command->callback([arguments, exit_code] { *exit_code = plot(*arguments); });
}

}  // namespace syncline::bench
