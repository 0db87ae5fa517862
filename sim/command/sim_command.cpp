// SPDX-License-Identifier: BSD-3-Clause
// `syncline sim`: simulated machines.
#include <CLI/CLI.hpp>
#include <algorithm>
#include <filesystem>
#include <optional>
#include <string>
#include <thread>

#include "base/failure.h"
#include "base/read_whole.h"
#include "bench/report/progress.h"
#include "bench/report/result_files.h"
#include "sim/command/calibrate_command.h"
#include "sim/command/fidelity.h"
#include "sim/command/journal.h"
#include "sim/command/output.h"
#include "sim/command/sim_command.h"
#include "sim/experiments/models.h"
#include "sim/experiments/sweep.h"
#include "sim/papers/reproduce.h"
#include "sim/presets/presets.h"

namespace syncline::tools {
namespace {

using bench::check_file;
using bench::check_picture;
using bench::stream_beside;
using bench::write_file;
using bench::write_picture;

struct SimArguments {
    std::string experiment, json, csv, plot, journal;
    unsigned jobs = std::max(std::thread::hardware_concurrency(), 1u);
};

// Reads the experiment from a file, or else from a preset.
sim::Experiment load(const std::string& name) {
    if (!std::filesystem::exists(name) || std::filesystem::is_directory(name)) {
        if (sim::find_preset(name) == nullptr) {
            fail(SYNCLINE_ERR_INVALID, "{} is neither a file nor a preset: `syncline sim presets` lists the presets",
                 name);
        }
        return sim::load_preset(name);
    }
    const std::optional<std::string> text = read_whole(name);
    if (!text) {
        fail_errno(SYNCLINE_ERR_SYSTEM, "cannot read {}", name);
    }
    return sim::parse_experiment(*text, name);
}

int run(const SimArguments& arguments) {
    sim::Experiment experiment = load(arguments.experiment);
    experiment.sweep.clear();
    std::vector<sim::Point> points = points_of(experiment);
    check_file(arguments.json);
    const sim::Results results = sim::make_model(experiment.model, points[0].values)->run();
    points[0].results = results;
    write_file(arguments.json, json_of(experiment, points));
    fmt::print(stream_beside({arguments.json}), "{}\n\n{}", experiment.description, results_text(results));
    return 0;
}

// Finds mistakes before the simulation, which may take hours.
void check_outputs(const SimArguments& arguments, const sim::Experiment& experiment) {
    check_file(arguments.json);
    check_file(arguments.csv);
    if (!arguments.plot.empty()) {
        check_plot(experiment);
        check_picture(arguments.plot);
    }
}

int sweep(const SimArguments& arguments) {
    const sim::Experiment experiment = load(arguments.experiment);
    std::vector<sim::Point> points = points_of(experiment);
    check_outputs(arguments, experiment);
    Journal journal(arguments.journal);
    const size_t restored = journal.restore(&points);
    {
        bench::Progress progress(points.size() - restored);
        run_points(experiment.model, &points, arguments.jobs, [&](const sim::Point& point) {
            journal.add(point);
            progress.step(experiment.description);
        });
    }
    const std::string table = table_of(experiment, points);
    const bench::Figure plot = arguments.plot.empty() ? bench::Figure() : plot_of(experiment, points);
    write_file(arguments.json, json_of(experiment, points));
    write_file(arguments.csv, csv_of(experiment, points));
    write_picture(arguments.plot, plot);
    fmt::print(stream_beside({arguments.json, arguments.csv, arguments.plot}), "{}\n\n{}", experiment.description,
               table);
    return 0;
}

// Returns the named papers; if none is named, all of them and the studies beyond them.
int reproduce(const std::string& markdown, const std::vector<std::string>& numbers) {
    const uint64_t about = numbers.empty() ? 170 : 30 * numbers.size();
    const std::vector<std::string> known = sim::papers();
    for (const std::string& number : numbers) {
        if (std::find(known.begin(), known.end(), number) == known.end()) {
            fail(SYNCLINE_ERR_INVALID, "there is no paper whose presets' names begin with {}-; there are {}", number,
                 fmt::join(known, ", "));
        }
    }
    std::string text, summary;
    check_file(markdown);
    {
        bench::Progress progress(about);
        const auto step = [&](const std::string& what) { progress.step(what.substr(0, 60)); };
        const std::vector<sim::Fidelity> papers = sim::reproduce(numbers.empty() ? known : numbers, step);
        summary = summary_of(papers);
        text = numbers.empty() ? markdown_of(papers, sim::study_beyond(step)) : sections_of(papers);
    }
    write_file(markdown, text);
    fmt::print(stream_beside({markdown}), "{}", markdown.empty() ? text : summary);
    return 0;
}

int list_presets() {
    for (const sim::Preset& preset : sim::presets()) {
        const sim::Experiment experiment = sim::load_preset(preset.name);
        fmt::print("{:<24} {}{}\n", preset.name, experiment.description, experiment.sweep.empty() ? "" : " (sweep)");
    }
    return 0;
}

int show_preset(const std::string& name) {
    const sim::Preset* const preset = sim::find_preset(name);
    if (preset == nullptr) {
        fail(SYNCLINE_ERR_INVALID, "there is no preset {}: `syncline sim presets` lists them", name);
    }
    fmt::print("{}", preset->text);
    return 0;
}

int list_parameters(const std::string& name) {
    const auto model = sim::make_model(name);
    sim::Lister lister;
    model->visit(&lister);
    for (const sim::Lister::Line& line : lister.lines()) {
        fmt::print("{:<30} {:<24} # {}\n", line.key, sim::text_of(line.value), line.help);
    }
    return 0;
}

void add_run(CLI::App* sim, const std::shared_ptr<SimArguments>& arguments, int* exit_code) {
    CLI::App* const command = sim->add_subcommand("run", "simulate the experiment of a file or a preset once");
    command->add_option("experiment", arguments->experiment, "a TOML file, or a preset")
        ->type_name("PRESET")
        ->required();
    command->add_option("--json", arguments->json, "write settings and results to this file; - is the standard output");
    command->callback([arguments, exit_code] { *exit_code = run(*arguments); });
}

void add_sweep(CLI::App* sim, const std::shared_ptr<SimArguments>& arguments, int* exit_code) {
    CLI::App* const command =
        sim->add_subcommand("sweep", "simulate every combination of the values in an experiment's [sweep]");
    command->add_option("experiment", arguments->experiment, "a TOML file, or a preset")
        ->type_name("PRESET")
        ->required();
    command->add_option("--json", arguments->json, "write settings and results to this file; - is the standard output");
    command->add_option("--csv", arguments->csv,
                        "write a line for each combination to this file; - is the standard output");
    command->add_option(
        "--plot", arguments->plot,
        "draw the experiment's [plot] to this file with gnuplot, as SVG, or as PNG or PDF if its name ends so; "
        "- is the standard output");
    command->add_option("--jobs", arguments->jobs, "threads (one for each CPU)")->check(CLI::Range(1, 1024));
    command->add_option("--journal", arguments->journal, "keep finished points in this file, and continue from them");
    command->callback([arguments, exit_code] { *exit_code = sweep(*arguments); });
}

}  // namespace

void add_sim_command(CLI::App* app, int* exit_code) {
    CLI::App* const sim =
        app->add_subcommand("sim", "simulate NICs that you do not have: those of the papers and others");
    sim->require_subcommand(1);
    const auto arguments = std::make_shared<SimArguments>();
    const auto name = std::make_shared<std::string>();
    const auto numbers = std::make_shared<std::vector<std::string>>();
    add_run(sim, arguments, exit_code);
    add_sweep(sim, arguments, exit_code);
    add_calibrate_command(sim, exit_code);
    CLI::App* const papers =
        sim->add_subcommand("reproduce", "compare the papers' numbers and claims with the simulation");
    papers->add_option("--markdown", *name, "write the comparison to this file, and print a summary");
    papers->add_option("papers", *numbers,
                       "only the papers whose presets' names begin so; without any, all papers and the questions that "
                       "they leave open");
    papers->callback([name, numbers, exit_code] { *exit_code = reproduce(*name, *numbers); });
    CLI::App* const list = sim->add_subcommand("presets", "list the presets, or print one");
    list->add_option("preset", *name, "the preset to print")->type_name("PRESET");
    list->callback([name, exit_code] { *exit_code = name->empty() ? list_presets() : show_preset(*name); });
    CLI::App* const parameters = sim->add_subcommand("parameters", "list the parameters of a model");
    parameters->add_option("model", *name, "name of the model")
        ->required()
        ->check(CLI::IsMember(syncline::sim::model_names()));
    parameters->callback([name, exit_code] { *exit_code = list_parameters(*name); });
}

}  // namespace syncline::tools
