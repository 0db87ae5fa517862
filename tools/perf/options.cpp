// SPDX-License-Identifier: BSD-3-Clause
#include "tools/perf/options.h"

#include <fmt/ranges.h>

#include <CLI/CLI.hpp>
#include <charconv>

#include "base/failure.h"
#include "tools/perf/catalogue.h"
#include "tools/perf/limits.h"
#include "tools/size_option.h"

namespace syncline::perf {
namespace {

std::vector<std::string> parts_of(const std::string& text, const std::string& separator) {
    std::vector<std::string> parts;
    size_t from = 0;
    for (size_t at; (at = text.find(separator, from)) != std::string::npos; from = at + separator.size()) {
        parts.push_back(text.substr(from, at - from));
    }
    parts.push_back(text.substr(from));
    return parts;
}

uint64_t parse_one_size(const std::string& text) {
    const uint64_t bytes = tools::parse_size("--sizes", text);
    if (bytes == 0 || bytes > bytes_max) {
        fail(SYNCLINE_ERR_INVALID, "--sizes cannot be '{}': an operation moves 1 byte to 1 GiB", text);
    }
    return bytes;
}

int parse_pe(const std::string& text, const std::string& whole) {
    int pe = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), pe);
    if (error != std::errc() || end != text.data() + text.size() || pe < 0) {
        fail(SYNCLINE_ERR_INVALID, "--pairs cannot be '{}': give one, all, or pairs of PEs, as in 0-1,2-3", whole);
    }
    return pe;
}

void add_effort(CLI::App* command, Options* options) {
    CLI::Option* const iterations = command
                                        ->add_option("--iterations", options->iterations,
                                                     "operations of a batch, instead of a time for each number")
                                        ->check(CLI::Range(uint64_t{1}, iterations_max));
    command
        ->add_option("--seconds", options->seconds,
                     "how long the times of an operation are measured, and then its rate (0.2; quick: 0.02)")
        ->check(CLI::Range(0.001, 60.0))
        ->excludes(iterations);
    command
        ->add_option("--warm-up", options->warm_up,
                     "operations in front of each number that do not count (as many as fit into a part of its time)")
        ->check(CLI::Range(uint64_t{1}, iterations_max));
    command->add_option("--repeats", options->repeats, "batches of each number; a median is that of their medians")
        ->check(CLI::Range(1u, repeats_max))
        ->capture_default_str();
    command->add_option("--window", options->window, "operations that are under way at once where a rate is measured")
        ->check(CLI::Range(1u, window_max))
        ->capture_default_str();
    command->add_flag("--quick", options->quick, "few sizes and little time");
}

}  // namespace

std::vector<uint64_t> parse_sizes(const std::string& text) {
    std::vector<uint64_t> sizes;
    for (const std::string& part : parts_of(text, ",")) {
        const std::vector<std::string> ends = parts_of(part, "..");
        const uint64_t first = parse_one_size(ends.front());
        const uint64_t last = parse_one_size(ends.back());
        if (ends.size() > 2 || last < first) {
            fail(SYNCLINE_ERR_INVALID,
                 "--sizes cannot be '{}': a range goes from the lesser size to the greater, as 8..1MiB", part);
        }
        for (uint64_t bytes = first; bytes < last; bytes *= 2) {
            sizes.push_back(bytes);
        }
        sizes.push_back(last);
    }
    return sizes;
}

PairsWanted parse_pairs(const std::string& text) {
    if (text == "one") {
        return {};
    }
    if (text == "all") {
        return {.kind = PairsWanted::Kind::kAll};
    }
    PairsWanted wanted = {.kind = PairsWanted::Kind::kList};
    for (const std::string& part : parts_of(text, ",")) {
        const std::vector<std::string> ends = parts_of(part, "-");
        const Pair pair = {parse_pe(ends.front(), text), parse_pe(ends.back(), text)};
        if (ends.size() != 2 || pair.from == pair.to) {
            fail(SYNCLINE_ERR_INVALID, "--pairs cannot be '{}': a pair is two different PEs, as 0-1", text);
        }
        wanted.list.push_back(pair);
    }
    return wanted;
}

void check_options(const Options& options) {
    (void)select(options.words);
    (void)parse_pairs(options.pairs);
    if (!options.sizes.empty()) {
        (void)parse_sizes(options.sizes);
    }
}

void add_options(CLI::App* command, Options* options) {
    command->add_option("operations", options->words,
                        fmt::format("what is measured: {}; one type or width by its whole name, as accumulate_float or "
                                    "fetch_add32; without this argument, one of each kind",
                                    fmt::join(operation_words(), ", ")));
    command->add_option("--sizes", options->sizes,
                        "bytes of an operation, as 8,4KiB,1MiB, or 8..1MiB, which doubles (8..4MiB; of the usual "
                        "operations, of all pairs "
                        "and of --quick 8,4KiB,1MiB). An accumulate takes those that are whole numbers of its type");
    command
        ->add_option(
            "--pairs", options->pairs,
            "one: PE 0 and the first PE of another node, or of its own if there is one node; all: a PE of "
            "each node with that of every other, or all PEs of one node, as a matrix; or PEs, as 0-1,2-3. Pairs "
            "take turns, while the other PEs sleep")
        ->capture_default_str();
    add_effort(command, options);
    command->add_option("--json", options->json,
                        "write everything measured, and where, to this file; - is the standard output");
}

}  // namespace syncline::perf
