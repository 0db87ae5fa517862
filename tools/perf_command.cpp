// SPDX-License-Identifier: BSD-3-Clause
// `syncline perf`: reads the words, so that a mistake costs no job, and becomes a PE.
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <memory>

#include "base/failure.h"
#include "launch/child.h"
#include "tools/commands.h"
#include "tools/launcher_words.h"
#include "tools/perf/options.h"

namespace syncline::tools {
namespace {

// The words that were parsed, in a form that the other program parses alike.
std::vector<std::string> parsed_words(const CLI::App& command) {
    std::vector<std::string> words;
    std::vector<std::string> operations = {"--"};
    for (const CLI::Option* const option : command.get_options()) {
        for (const std::string& value : option->results()) {
            if (option->get_positional()) {
                operations.push_back(value);
            } else {
                words.push_back(fmt::format("--{}={}", option->get_lnames().front(), value));
            }
        }
    }
    words.insert(words.end(), operations.begin(), operations.end());
    return words;
}

[[noreturn]] void become_pe(const CLI::App& command) {
    const std::string program = installed_program("syncline-perf");
    std::vector<std::string> words = parsed_words(command);
    words.insert(words.begin(), program);
    std::vector<char*> argv;
    for (std::string& word : words) {
        argv.push_back(word.data());
    }
    argv.push_back(nullptr);
    ::execv(program.c_str(), argv.data());
    fail_errno(SYNCLINE_ERR_SYSTEM, "cannot execute {}", program);
}

}  // namespace

void add_perf_command(CLI::App* app, int* /*exit_code*/) {
    const auto options = std::make_shared<perf::Options>();
    CLI::App* const command = app->add_subcommand("perf",
                                                  "Measure operations between the nodes of a job, which any launcher "
                                                  "starts: times with their percentiles, rates and "
                                                  "bandwidths, by size. `mpirun -np 2 --host a,b syncline perf` "
                                                  "measures the usual operations between two machines, "
                                                  "and checks their results. Only PE 0 speaks.");
    perf::add_options(command, options.get());
    command->callback([options, command] {
        try {
            perf::check_options(*options);
        } catch (const Failure& failure) {
            throw UsageError(failure.what());
        }
        become_pe(*command);
    });
}

}  // namespace syncline::tools
