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

using sim::Observation;
using sim::Values;
using std::string;

constexpr int64_t repeats = 20;
constexpr double forever_ns = 1e12;
constexpr auto not_a_result = "{} is not what `syncline bench barrier`, fence, lock or atomics writes";

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

// The barriers by the NICs of every shape: the library takes the shape that it expects to be the fastest.
std::vector<Values> any_shape(const Values& values, uint64_t nodes) {
    std::vector<Values> all;
    for (uint64_t dimension = 0; dimension < nodes; dimension = dimension < 4 ? dimension + 1 : 2 * dimension) {
        all.push_back(with(values, {{"workload.dimension", static_cast<int64_t>(dimension)}}));
    }
    return all;
}

// Returns the model's settings for a series of a benchmark: empty if the model has no counterpart.
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
void add(Observed* observed, const string& part, const string& series, uint64_t nodes, const nlohmann::json& cell,
         Mapping map, const char* result) {
    std::vector<Values> alternatives = nodes == 0 ? std::vector<Values>() : map(series, nodes);
    if (!alternatives.empty()) {
        observed->observations.push_back({.what = part + ", " + series,
                                          .nodes = nodes,
                                          .measured_us = cell.at("median").get<double>() / 1000,
                                          .result = result,
                                          .alternatives = std::move(alternatives)});
    }
}

// A benchmark that has a counterpart in the model. `by` is the parameter of its entries that has the number of nodes or
// contenders.
struct Benchmark {
    const char* name;
    const char* by;  // NULL: two nodes
    Mapping map;
    const char* part;
    const char* result;
};

constexpr Benchmark benchmarks[] = {
    {"acquire and release", "contenders", of_lock, "lock", "both_us"},
    {"fence after writes to all", "nodes", of_fence, "fence", "latency_us"},
    {"barrier", "nodes", of_barrier, "barrier", "latency_us"},
    {"latency", nullptr, of_atomics, "fetch&add", "latency_us"},
};

void read_entry(Observed* observed, const nlohmann::json& entry) {
    for (const Benchmark& benchmark : benchmarks) {
        if (entry.at("benchmark") != benchmark.name || entry.value("subject", benchmark.part) != benchmark.part) {
            continue;
        }
        const uint64_t nodes = benchmark.by == nullptr ? 2 : entry.at("at").at(benchmark.by).get<uint64_t>();
        add(observed, benchmark.part, entry.at("condition"), nodes, entry, benchmark.map, benchmark.result);
    }
}

void read(Observed* observed, const nlohmann::json& file) {
    for (const nlohmann::json& entry : file.at("series")) {
        read_entry(observed, entry);
    }
}

bool is_known(const nlohmann::json& file) {
    for (const char* const name : {"atomics", "barrier", "fence", "lock"}) {
        if (file.at("command") == string("syncline bench ") + name) {
            return true;
        }
    }
    return false;
}

string description_of(const nlohmann::json& machine) {
    return fmt::format("{}, {} cores, {}", machine.at("cpu").get<string>(), machine.at("cores").get<uint64_t>(),
                       machine.at("kernel").get<string>());
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
            const auto file = nlohmann::json::parse(input);
            if (!is_known(file)) {
                fail(SYNCLINE_ERR_INVALID, not_a_result, name);
            }
            const nlohmann::json& machine = file.at("machine");
            const auto cpus = machine.at("cores").get<uint64_t>();
            if (cpus == 0 || (observed.cpus != 0 && cpus != observed.cpus)) {
                fail(SYNCLINE_ERR_INVALID, "{}: measured on {} CPUs, the files before it on {}", name, cpus,
                     observed.cpus);
            }
            observed.cpus = cpus;
            observed.machine = description_of(machine);
            read(&observed, file);
        } catch (const nlohmann::json::exception&) {
            fail(SYNCLINE_ERR_INVALID, not_a_result, name);
        }
    }
    std::sort(observed.observations.begin(), observed.observations.end(),
              [](const Observation& a, const Observation& b) {
                  return a.what != b.what ? a.what < b.what : a.nodes < b.nodes;
              });
    return observed;
}

}  // namespace syncline::tools
