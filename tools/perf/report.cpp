// SPDX-License-Identifier: BSD-3-Clause
#include "tools/perf/report.h"

#include <fmt/ranges.h>

#include <algorithm>
#include <cstdlib>

#include "base/counted.h"
#include "bench/report/machine.h"
#include "bench/report/result_files.h"

namespace syncline::perf {
namespace {

using bench::Json;

constexpr size_t nodes_shown = 32;

// "PE 3", "PEs 0 to 3", "PEs 0, 2, 4".
std::string list_of(const std::vector<int>& pes) {
    if (pes.size() == 1) {
        return fmt::format("PE {}", pes.front());
    }
    if (pes.back() - pes.front() + 1 == static_cast<int>(pes.size())) {
        return fmt::format("PEs {} to {}", pes.front(), pes.back());
    }
    return fmt::format("PEs {}", fmt::join(pes, ", "));
}

std::string header_of(const Options& options, const Job& job) {
    std::string text = fmt::format("{} on {}{}\n", counted(static_cast<uint64_t>(job.size()), "PE"),
                                   counted(job.nodes().size(), "node"),
                                   job.nodes().size() > 1 ? fmt::format(", over {}", job.transport()) : "");
    for (size_t i = 0; i < std::min(job.nodes().size(), nodes_shown); i++) {
        text += fmt::format("node {}, host {}: {}\n", i, job.nodes()[i].host, list_of(job.nodes()[i].pes));
    }
    if (job.nodes().size() > nodes_shown) {
        text += fmt::format("and {} more\n", counted(job.nodes().size() - nodes_shown, "node"));
    }
    const Effort effort = effort_of(options);
    const std::string batch = effort.operations != 0
                                  ? counted(effort.operations, "operation")
                                  : fmt::format("{:.3g} ms", static_cast<double>(effort.batch_ns) / 1e6);
    const char* const wait = std::getenv("SYNCLINE_WAIT");
    return text + fmt::format("{} {} of {} for each number; rates with {} under way at once; PEs wait by {}\n",
                              effort.repeats, effort.repeats == 1 ? "batch" : "batches", batch,
                              counted(options.window, "operation"), wait != nullptr ? wait : "poll");
}

Json parameters_of(const Options& options, const Job& job) {
    const Effort effort = effort_of(options);
    Json parameters = {{"quick", options.quick}, {"repeats", options.repeats}, {"window", options.window}};
    if (effort.operations != 0) {
        parameters["iterations"] = effort.operations;
    } else {
        parameters["batch_ns"] = effort.batch_ns;
    }
    if (effort.warm_up != 0) {
        parameters["warm_up"] = effort.warm_up;
    }
    parameters["pes"] = job.size();
    parameters["nodes"] = job.nodes().size();
    parameters["transport"] = job.transport();
    parameters["places"] = Json::array();
    for (size_t i = 0; i < job.nodes().size(); i++) {
        parameters["places"].push_back({{"node", i}, {"host", job.nodes()[i].host}, {"pes", job.nodes()[i].pes}});
    }
    return parameters;
}

bench::Cell times(bench::Cell cell, double factor) {
    cell.median *= factor;
    cell.mean *= factor;
    for (double& batch : cell.batches) {
        batch *= factor;
    }
    return cell;
}

}  // namespace

Report::Report(const Options& options, const Job& job)
    : options_(options), job_(job), stream_(bench::stream_beside({options.json})) {
    bench::check_file(options.json);
}

void Report::print(const std::string& text) const {
    fmt::print(stream_, "{}", text);
    std::fflush(stream_);
}

void Report::begin() {
    print(header_of(options_, job_));
    json_ = bench::new_result("syncline perf", bench::describe_machine());
    json_["parameters"] = parameters_of(options_, job_);
}

void Report::add(const Section& section, const Numbers& numbers) {
    print(tables_of(section, numbers, job_));
    add_to_file(section, numbers);
}

void Report::add_to_file(const Section& section, const Numbers& numbers) {
    for (size_t i = 0; i < section.pairs.size(); i++) {
        const Pair pair = section.pairs[i];
        for (size_t j = 0; j < section.steps.size(); j++) {
            const auto& [entry, bytes] = section.steps[j];
            bench::Named named = {entry->name, section.of_all_pes() ? job_.transport() : job_.transport(pair), {}};
            if (section.of_all_pes()) {
                named.at["pes"] = job_.size();
            } else {
                named.at = {{"from", pair.from}, {"to", pair.to}};
            }
            if (bytes != 0) {
                named.at["bytes"] = bytes;
            }
            const auto& [time, rate] = numbers[i][j];
            bench::add_entry(&json_, bench::quantities::perf_time, named, time);
            if (rate.median != 0) {
                bench::add_entry(&json_, bench::quantities::perf_rate, named, rate);
                bench::add_entry(&json_, bench::quantities::perf_bandwidth, named,
                                 times(rate, static_cast<double>(bytes)));
            }
        }
    }
}

void Report::end() {
    json_["date"] = bench::describe_machine().date;
    bench::write_file(options_.json, bench::text_of(json_));
}

}  // namespace syncline::perf
