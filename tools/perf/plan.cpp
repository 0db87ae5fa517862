// SPDX-License-Identifier: BSD-3-Clause
#include "tools/perf/plan.h"

#include <fmt/ranges.h>

#include <algorithm>

#include "base/failure.h"

namespace syncline::perf {
namespace {

constexpr uint64_t area_usual = 8ull << 20;

using Kind = PairsWanted::Kind;

std::vector<std::string> words_of(const Options& options, Kind pairs) {
    if (!options.words.empty()) {
        return options.words;
    }
    if (pairs == Kind::kAll) {
        return {"put", "fetch_add64"};
    }
    return {"put",   "get",  "put_signal", "accumulate_double", "fetch_add64", "swap64", "cas64",
            "add64", "lock", "barrier"};
}

std::vector<uint64_t> sizes_of(const Options& options, Kind pairs) {
    if (!options.sizes.empty()) {
        return parse_sizes(options.sizes);
    }
    const bool few = options.words.empty() || options.quick || pairs == Kind::kAll;
    return parse_sizes(few ? "8,4KiB,1MiB" : "8..4MiB");
}

std::vector<Pair> all_pairs(const Job& job) {
    std::vector<int> pes = job.nodes().front().pes;
    if (job.nodes().size() > 1) {
        pes.clear();
        for (const Node& node : job.nodes()) {
            pes.push_back(node.pes.front());
        }
    }
    std::vector<Pair> pairs;
    for (const int from : pes) {
        for (const int to : pes) {
            if (from != to) {
                pairs.push_back({from, to});
            }
        }
    }
    return pairs;
}

std::vector<Pair> pairs_of(const PairsWanted& wanted, const Job& job) {
    if (wanted.kind == Kind::kAll) {
        return all_pairs(job);
    }
    if (wanted.kind == Kind::kOne) {
        return {{0, job.nodes().size() > 1 ? job.nodes()[Job::node_of(0) == 0 ? 1 : 0].pes.front() : 1}};
    }
    for (const Pair& pair : wanted.list) {
        if (std::max(pair.from, pair.to) >= job.size()) {
            fail(SYNCLINE_ERR_RANK, "--pairs {}-{}: this job has PEs 0 to {}", pair.from, pair.to, job.size() - 1);
        }
    }
    return wanted.list;
}

std::vector<Step> steps_of(const Entry& entry, const std::vector<uint64_t>& sizes) {
    if (entry.unit == 0) {
        return {{&entry, entry.bytes}};
    }
    std::vector<Step> steps;
    for (const uint64_t bytes : sizes) {
        if (bytes % entry.unit == 0) {
            steps.push_back({&entry, bytes});
        }
    }
    if (steps.empty()) {
        fail(SYNCLINE_ERR_INVALID, "--sizes {}: {} moves whole numbers of {} bytes", fmt::join(sizes, ","), entry.name,
             entry.unit);
    }
    return steps;
}

// Operations of one size share a table.
void add_steps(Plan* plan, const std::vector<Step>& steps, const std::vector<Pair>& pairs, bool matrix) {
    const Entry& entry = *steps.front().entry;
    const bool of_all = entry.party == Party::kAll;
    if (!plan->sections.empty() && entry.unit == 0 && !of_all) {
        Section& last = plan->sections.back();
        if (!last.is_sized() && !last.of_all_pes()) {
            last.steps.insert(last.steps.end(), steps.begin(), steps.end());
            return;
        }
    }
    plan->sections.push_back({steps, of_all ? std::vector<Pair>{{}} : pairs, matrix && !of_all});
}

uint64_t area_for(const Step& step, uint32_t window) {
    return step.entry->unit == 0 ? 0 : std::min(step.bytes * window, std::max(step.bytes, area_usual));
}

std::vector<int> homes_of(const std::vector<Pair>& pairs) {
    std::vector<int> homes;
    for (const Pair& pair : pairs) {
        homes.push_back(pair.to);
    }
    std::sort(homes.begin(), homes.end());
    homes.erase(std::unique(homes.begin(), homes.end()), homes.end());
    return homes;
}

}  // namespace

Plan make_plan(const Options& options, const Job& job) {
    if (job.size() < 2) {
        fail(SYNCLINE_ERR_INVALID,
             "`syncline perf` measures between two PEs, and this job has one: start two, as in `syncline run -n 2 "
             "syncline "
             "perf`, or by mpirun or srun (docs/CLUSTER.md)");
    }
    const PairsWanted wanted = parse_pairs(options.pairs);
    const std::vector<Pair> pairs = pairs_of(wanted, job);
    const std::vector<uint64_t> sizes = sizes_of(options, wanted.kind);
    Plan plan;
    plan.area_bytes = 1;
    for (const Entry* const entry : select(words_of(options, wanted.kind))) {
        const std::vector<Step> steps = steps_of(*entry, sizes);
        add_steps(&plan, steps, pairs, wanted.kind == Kind::kAll);
        for (const Step& step : steps) {
            plan.area_bytes = std::max(plan.area_bytes, area_for(step, options.window));
        }
        if (std::string(entry->name) == "lock") {
            plan.homes = homes_of(pairs);
        }
    }
    return plan;
}

}  // namespace syncline::perf
