// SPDX-License-Identifier: BSD-3-Clause
#include "bench/command/batches.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <CLI/CLI.hpp>

namespace syncline::bench {

void Batches::add_options(CLI::App* command, const Words& words) {
    files.add_options(command);
    command->add_option("--iterations", iterations, fmt::format("{} in a batch ({})", words.iterations, iterations))
        ->check(CLI::Range(10, 1'000'000));
    command->add_option("--repeats", repeats, fmt::format("batches of every condition ({})", repeats))
        ->check(CLI::Range(1, 10'000));
    command
        ->add_option(words.option, counts,
                     fmt::format("{}, one after the other: {}", words.counts, fmt::join(counts, ",")))
        ->delimiter(',')
        ->check(CLI::Range(words.least, words.most));
}

}  // namespace syncline::bench
