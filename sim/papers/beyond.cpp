// SPDX-License-Identifier: BSD-3-Clause
// Questions that Underwood 2008 leaves open: where messages overtake atomics on a machine of today, and how much the
// options that the paper mentions are worth.
#include <fmt/format.h>

#include "sim/experiments/measurements.h"
#include "sim/papers/reproduce.h"

namespace syncline::sim {

namespace {

using namespace std::string_literals;

// A machine that runs RandomAccess.
struct Contest {
    std::string name, preset;
    int64_t per_node;
    Values changes;
};

double rate(Measurements* m, const Contest& contest, const std::string& kind, double apply_ns) {
    Values changes = contest.changes;
    changes["workload.kind"] = kind;
    changes["processor.apply_ns"] = apply_ns;
    return m->number(contest.preset, changes, "rate_mops_per_node");
}

// Returns the time for an update, in whole ns, from which on messages are not quicker than atomics.
double crossover(Measurements* m, const Contest& contest, double atomics) {
    double quicker = 1, slower = 129;
    while (slower - quicker > 1) {
        const double middle = (quicker + slower) / 2;
        (rate(m, contest, "random-access-messages", middle) > atomics ? quicker : slower) = middle;
    }
    return slower;
}

std::vector<std::string> row_of(Measurements* m, const Contest& contest) {
    const double atomics = rate(m, contest, "random-access", 4);
    const double messages = rate(m, contest, "random-access-messages", 1);
    const double ns = crossover(m, contest, atomics);
    return {contest.name,
            fmt::format("{}", contest.per_node),
            fmt::format("{:.1f}", atomics),
            fmt::format("{:.1f}", messages),
            fmt::format("{:.0f} ns", ns),
            fmt::format("{:.1f} ns", ns / static_cast<double>(contest.per_node))};
}

Contest modern(int64_t per_node) {
    return {"modern", "modern-crossover", per_node,
            Values{{"processor.per_node", per_node},
                   {"workload.pes", 8 * per_node},
                   {"workload.operations", 16000 / per_node}}};
}

Study study_crossover(Measurements* m) {
    const Contest paper = {
        "as in 2008, 128 tags", "003-random-access", 2,
        Values{{"cache.ways", int64_t{16}}, {"host.tags", int64_t{128}}, {"workload.operations", int64_t{2000}}}};
    Study study = {
        "RandomAccess: where is the crossover between NIC atomics and messages?",
        {"Machine", "PEs per node", "Atomics", "Messages, 1 ns per update", "Crossover, time per update of a PE",
         "of the node"},
        {},
        "The rates are millions of updates per second on each node. Messages win if the processors need less time for "
        "an "
        "update than the crossover. On the machine of 2008 the bus decides: it carries 32 bytes for an update by "
        "messages and 44 bytes for one by atomics. PCIe 5.0 x16 carries more of either than the 333 million per second "
        "that the adapter takes, so messages win by little, and only if a node's processors together do an update in "
        "2 ns."};
    for (const Contest& contest : {paper, modern(4), modern(16)}) {
        study.rows.push_back(row_of(m, contest));
    }
    return study;
}

struct Option {
    std::string name;
    Values changes;
};

std::vector<Option> all_options() {
    const Value back = "write-back"s;
    return {{"as in the paper", {}},
            {"4 operations set aside", {{"unit.set_aside", int64_t{4}}}},
            {"16 operations set aside", {{"unit.set_aside", int64_t{16}}}},
            {"out of order: 127 operations set aside", {{"unit.set_aside", int64_t{127}}}},
            {"write-back after 1 µs", {{"cache.policy", back}, {"cache.write_back_ns", 1000.0}}},
            {"write-back after 10 µs", {{"cache.policy", back}, {"cache.write_back_ns", 10000.0}}},
            {"write-back after 1 µs, out of order", {{"cache.policy", back}, {"unit.set_aside", int64_t{127}}}},
            {"floating-point ALU, 6 deep", {{"workload.operation", "add-double"s}}}};
}

// Returns the rate in millions a second, and the writes to the host for each operation.
std::string cell(Measurements* m, Values changes, const Values& workload, const std::string& result) {
    changes.insert(workload.begin(), workload.end());
    const Results& results = m->run("003-options", changes);
    return fmt::format("{:.1f} ({:.2f})", results.number(result),
                       results.number("host_writes") / results.number("operations"));
}

Study study_options(Measurements* m) {
    const Value focused = "focused"s;
    const Values many = {{"workload.kind", focused}, {"workload.operations", int64_t{1000}}};
    const Values one = {
        {"workload.kind", focused}, {"workload.operations", int64_t{1000}}, {"workload.addresses", int64_t{1}}};
    const Values random = {{"workload.kind", "random-access"s}, {"workload.operations", int64_t{2000}}};
    Study study = {"How much do the options help that \"High Message Rate, NIC-Based Atomics\" mentions?",
                   {"Option", "Focused, 16 words each", "Focused, one word", "RandomAccess, each node"},
                   {},
                   "The numbers are millions of operations per second and, in brackets, writes to the host per "
                   "operation, with 128 lines, 4-way, and 128 tags (`003-options`). RandomAccess has no "
                   "floating-point operation."};
    for (const Option& option : all_options()) {
        const bool real = option.changes.contains("workload.operation");
        study.rows.push_back({option.name, cell(m, option.changes, many, "rate_mops"),
                              cell(m, option.changes, one, "rate_mops"),
                              real ? "" : cell(m, option.changes, random, "rate_mops_per_node")});
    }
    return study;
}

}  // namespace

std::vector<Study> study_beyond(const std::function<void(const std::string&)>& progress) {
    Measurements measurements(progress);
    return {study_crossover(&measurements), study_options(&measurements)};
}

}  // namespace syncline::sim
