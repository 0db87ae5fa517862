// SPDX-License-Identifier: BSD-3-Clause
#include "bench/command/batches.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <CLI/CLI.hpp>

#include "bench/command/quick.h"

namespace syncline::bench {

void Batches::add_options(CLI::App* command, const Words& words) {
    files.add_options(command);
    command->add_flag("--quick", quick, "few and short batches");
    command
        ->add_option("--iterations", iterations,
                     fmt::format("{} in a batch ({}; quick: {})", words.iterations, usual.iterations, few.iterations))
        ->check(CLI::Range(10, 1'000'000));
    command
        ->add_option("--repeats", repeats,
                     fmt::format("batches of every condition ({}; quick: {})", usual.repeats, few.repeats))
        ->check(CLI::Range(1, 10'000));
    command
        ->add_option(words.option, counts,
                     fmt::format("{}, one after the other: {} (quick: {})", words.counts, fmt::join(usual.counts, ","),
                                 fmt::join(few.counts, ",")))
        ->delimiter(',')
        ->check(CLI::Range(words.least, words.most));
}

void Batches::set_defaults() {
    set_default(&iterations, quick, few.iterations, usual.iterations);
    set_default(&repeats, quick, few.repeats, usual.repeats);
    set_default(&counts, quick, few.counts, usual.counts);
}

}  // namespace syncline::bench
