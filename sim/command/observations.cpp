// SPDX-License-Identifier: BSD-3-Clause
#include "sim/command/observations.h"

#include <algorithm>
#include <charconv>
#include <fstream>
#include <nlohmann/json.hpp>
#include <regex>

#include "base/failure.h"

namespace syncline::tools {

namespace {

using nlohmann::json;
using sim::Observation;
using sim::Values;
using std::string;

constexpr int64_t repeats = 20;
constexpr double forever_ns = 1e12;

uint64_t number_of(const string& text) {
    uint64_t value = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    return error == std::errc() && end == text.data() + text.size() ? value : 0;
}

Values workload(const char* kind, const char* executor, uint64_t nodes) {
    return {{"workload.kind", string(kind)},
            {"workload.executor", string(executor)},
            {"workload.nodes", static_cast<int64_t>(nodes)},
            {"workload.repeats", repeats}};
}

Values with(Values values, const Values& more) {
    values.insert(more.begin(), more.end());
    return values;
}

// By the NICs, of any shape: the library takes the one that it expects to be the fastest.
std::vector<Values> any_shape(const Values& values, uint64_t nodes) {
    std::vector<Values> all;
    for (uint64_t dimension = 0; dimension < nodes; dimension = dimension < 4 ? dimension + 1 : 2 * dimension) {
        all.push_back(with(values, {{"workload.dimension", static_cast<int64_t>(dimension)}}));
    }
    return all;
}

// A series of a benchmark: empty if the model has none like it.
std::vector<Values> of_barrier(const string& series, uint64_t nodes) {
    static const std::regex form("(nic|host) (exchange|tree ([0-9]+))");
    std::smatch parts;
    if (!std::regex_match(series, parts, form)) {
        return {};
    }
    const uint64_t dimension = parts[3].matched ? number_of(parts[3]) : 0;
    return {with(workload("barrier", parts[1].str().c_str(), nodes),
                 {{"workload.dimension", static_cast<int64_t>(dimension)}})};
}

std::vector<Values> of_fence(const string& series, uint64_t nodes) {
    const Values fence = workload("fence", "nic", nodes);
    if (series == "xdp acknowledged" || series == "xdp counts") {
        return any_shape(with(fence, {{"workload.fence", series.substr(4)},
                                      {"workload.fence_barrier", string("nic")},
                                      {"workload.halve_counts", true}}),
                         nodes);
    }
    if (series == "xdp linear") {
        return {with(fence, {{"workload.fence", string("linear")}, {"workload.fence_barrier", string("host")}})};
    }
    return {};
}

std::vector<Values> of_lock(const string& series, uint64_t contenders) {
    const Values apart = {{"workload.home_contends", false}, {"workload.contenders", static_cast<int64_t>(contenders)}};
    if (series == "xdp mcs") {
        return {with(workload("lock", "nic", contenders + 1), apart)};
    }
    const Values by_host = with(workload("lock", "host", contenders + 1), apart);
    if (series == "udp-block mcs") {
        return {with(by_host, {{"server.spin_ns", 0.0}})};
    }
    if (series == "xdp hybrid") {
        return {with(by_host, {{"workload.lock", string("hybrid")}, {"server.spin_ns", forever_ns}})};
    }
    return {};
}

std::vector<Values> of_atomics(const string& series, uint64_t nodes) {
    if (series == "xdp") {
        return {workload("atomics", "nic", nodes)};
    }
    if (series == "udp-poll" || series == "udp-block") {
        const double spin_ns = series == "udp-block" ? 0 : forever_ns;
        return {with(workload("atomics", "host", nodes), {{"server.spin_ns", spin_ns}})};
    }
    return {};
}

using Mapping = std::vector<Values> (*)(const string& series, uint64_t nodes);

// One cell of a benchmark's table, in nanoseconds.
void add(Observed* observed, const string& part, const string& series, uint64_t nodes, const json& cell, Mapping map,
         const char* result) {
    std::vector<Values> alternatives = nodes == 0 ? std::vector<Values>() : map(series, nodes);
    if (!alternatives.empty()) {
        observed->observations.push_back({.what = part + ", " + series,
                                          .nodes = nodes,
                                          .measured_us = cell.at("median").get<double>() / 1000,
                                          .result = result,
                                          .alternatives = std::move(alternatives)});
    }
}

void add_series(Observed* observed, const string& part, const json& section, Mapping map, const char* result) {
    for (const auto& [series, cells] : section.items()) {
        for (const auto& [nodes, cell] : cells.items()) {
            add(observed, part, series, number_of(nodes), cell, map, result);
        }
    }
}

void read(Observed* observed, const json& file) {
    if (file.contains("acquire_and_release")) {
        add_series(observed, "lock", file.at("acquire_and_release"), of_lock, "both_us");
    } else if (file.contains("by_nodes")) {
        add_series(observed, "fence", file.at("by_nodes"), of_fence, "latency_us");
    } else if (file.at("latency").contains("values")) {
        for (const auto& [series, cell] : file.at("latency").at("values").at("fetch&add").items()) {
            add(observed, "fetch&add", series, 2, cell, of_atomics, "latency_us");
        }
    } else {
        add_series(observed, "barrier", file.at("latency"), of_barrier, "latency_us");
    }
}

// Some files have its line for people, others its parts.
std::pair<string, uint64_t> machine_of(const json& machine) {
    if (machine.is_object()) {
        const auto cores = machine.at("cores").get<uint64_t>();
        return {
            fmt::format("{}, {} cores, {}", machine.at("cpu").get<string>(), cores, machine.at("kernel").get<string>()),
            cores};
    }
    const auto line = machine.get<string>();
    static const std::regex form("(.*, ([0-9]+) cores?, [^,]*).*");
    std::smatch parts;
    return std::regex_match(line, parts, form) ? std::pair<string, uint64_t>{parts[1], number_of(parts[2])}
                                               : std::pair<string, uint64_t>{line, 0};
}

}  // namespace

Observed read_observations(const std::vector<string>& files) {
    Observed observed;
    for (const string& name : files) {
        std::ifstream input(name);
        if (!input) {
            fail_errno(SYNCLINE_ERR_INVALID, "cannot read {}", name);
        }
        try {
            const json file = json::parse(input);
            const auto [machine, cpus] = machine_of(file.at("machine"));
            if (cpus == 0 || (observed.cpus != 0 && cpus != observed.cpus)) {
                fail(SYNCLINE_ERR_INVALID, "{}: measured on {} CPUs, the files before it on {}", name, cpus,
                     observed.cpus);
            }
            observed.cpus = cpus;
            observed.machine = machine;
            read(&observed, file);
        } catch (const json::exception&) {
            fail(SYNCLINE_ERR_INVALID, "{} is not what `syncline bench barrier`, fence, lock or atomics writes", name);
        }
    }
    std::sort(observed.observations.begin(), observed.observations.end(),
              [](const Observation& a, const Observation& b) {
                  return a.what != b.what ? a.what < b.what : a.nodes < b.nodes;
              });
    return observed;
}

}  // namespace syncline::tools
