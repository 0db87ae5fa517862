// SPDX-License-Identifier: BSD-3-Clause
// `syncline bench fence`: the experiment of Buntinas 2003, section 4.1 (figure 7). One PE on each of 2 to 16 nodes
// writes to every other PE, all pass a barrier, and every PE times the combined fence and barrier.
#include <CLI/CLI.hpp>
#include <map>

#include "bench/command/batches.h"
#include "bench/command/commands.h"
#include "bench/command/run_bench.h"
#include "bench/measure/bed.h"
#include "bench/report/progress.h"
#include "bench/report/table.h"

namespace syncline::bench {
namespace {

constexpr uint32_t fence_nodes_max = 16;

struct FenceCondition {
    const char* name;
    TransportKind transport;
    int algorithm;
    bool host;  // the barrier after the fence: pairwise exchange by the hosts; else by the NICs, as the library chooses
};

constexpr FenceCondition fence_conditions[] = {
    {"xdp acknowledged", TransportKind::kXdp, SYNCLINE_FENCE_ACKNOWLEDGED, false},
    {"xdp counts", TransportKind::kXdp, SYNCLINE_FENCE_COUNTS, false},
    {"xdp linear", TransportKind::kXdp, SYNCLINE_FENCE_LINEAR, true},
    {"udp-block acknowledged", TransportKind::kUdp, SYNCLINE_FENCE_ACKNOWLEDGED, false},
    {"udp-block counts", TransportKind::kUdp, SYNCLINE_FENCE_COUNTS, true},
    {"udp-block linear", TransportKind::kUdp, SYNCLINE_FENCE_LINEAR, true},
};

class FenceBench {
  public:
    explicit FenceBench(const Batches& arguments) : arguments_(arguments) { require_xdp("syncline bench fence"); }

    void run();
    std::string table(const Machine& machine) const;
    Json json(const Machine& machine) const;

  private:
    void run_among(uint32_t nodes, Progress* progress);
    void batch(BenchJob* job, const FenceCondition& condition, uint32_t targets, Gatherer* gatherer) const;
    std::vector<uint32_t> few_targets() const;
    static std::vector<Row> rows_of(const std::vector<uint32_t>& numbers,
                                    const std::map<uint32_t, std::map<std::string, Gatherer>>& gathered);

    const Batches arguments_;
    std::map<uint32_t, std::map<std::string, Gatherer>> by_nodes_;
    std::map<uint32_t, std::map<std::string, Gatherer>> by_targets_;  // with the most nodes
};

// Returns the numbers of PEs that each PE writes to, where these are not all: 0, 1, 2, 4 and so on.
std::vector<uint32_t> FenceBench::few_targets() const {
    std::vector<uint32_t> targets = {0};
    for (uint32_t few = 1; few < arguments_.counts.back() - 1; few *= 2) {
        targets.push_back(few);
    }
    return targets;
}

void FenceBench::batch(BenchJob* job, const FenceCondition& condition, uint32_t targets, Gatherer* gatherer) const {
    const Command command = {.verb = Verb::kFence,
                             .count = arguments_.iterations,
                             .pes = job->ranks(),
                             .targets = targets,
                             .fence = condition.algorithm,
                             .barrier = condition.host ? SYNCLINE_BARRIER_EXCHANGE : SYNCLINE_BARRIER_AUTO,
                             .by_host = condition.host ? 1u : 0u};
    job->post_pinned(job->ranks(), command);
    std::vector<uint32_t> samples;
    for (uint32_t rank = 0; rank < job->ranks(); rank++) {
        const Result result = job->collect(rank);
        samples.insert(samples.end(), result.samples.begin(), result.samples.end());
    }
    gatherer->add(samples);
}

// All conditions of a size take turns.
void FenceBench::run_among(uint32_t nodes, Progress* progress) {
    Bed xdp({.transport = TransportKind::kXdp, .nodes = nodes});
    Bed udp({.transport = TransportKind::kUdp, .nodes = nodes});
    for (uint64_t i = 0; i < arguments_.repeats; i++) {
        for (const FenceCondition& condition : fence_conditions) {
            progress->step(fmt::format("{} nodes, {}", nodes, condition.name));
            BenchJob* const job = condition.transport == TransportKind::kXdp ? &xdp.job() : &udp.job();
            batch(job, condition, nodes - 1, &by_nodes_[nodes][condition.name]);
            if (nodes == arguments_.counts.back() && condition.transport == TransportKind::kXdp) {
                for (const uint32_t targets : few_targets()) {
                    batch(job, condition, targets, &by_targets_[targets][condition.name]);
                }
            }
        }
    }
}

void FenceBench::run() {
    Progress progress(arguments_.counts.size() * arguments_.repeats * std::size(fence_conditions));
    for (const uint32_t nodes : arguments_.counts) {
        run_among(nodes, &progress);
    }
}

std::vector<Row> FenceBench::rows_of(const std::vector<uint32_t>& numbers,
                                     const std::map<uint32_t, std::map<std::string, Gatherer>>& gathered) {
    std::vector<Row> rows;
    for (const uint32_t number : numbers) {
        Row row{std::to_string(number), {}};
        for (const FenceCondition& condition : fence_conditions) {
            if (const auto found = gathered.at(number).find(condition.name); found != gathered.at(number).end()) {
                row.cells.push_back({condition.name, found->second.cell()});
            }
        }
        rows.push_back(row);
    }
    return rows;
}

constexpr Table fence_form = {26, 20};

void add_times(Text* text, const std::string& title, const std::vector<Row>& rows) {
    add(text, "\n");
    add_table(text, fence_form, title, rows, [](const std::string&, const Cell& cell) {
        return fmt::format("{:.1f} {:8.1f}", cell.median / 1e3, cell.p99 / 1e3);
    });
}

void add_factors(Text* text, const std::vector<Row>& rows, const char* now, const char* before) {
    const auto factor = [](const Cell& own, const Cell& base) { return fmt::format("{:.2f}x", base.mean / own.mean); };
    add_comparison(text, fence_form, now, rows, now, before, factor, fmt::format("   over {}", before));
}

std::string FenceBench::table(const Machine& machine) const {
    const std::vector<Row> rows = rows_of(arguments_.counts, by_nodes_);
    Text text;
    add(&text,
        "{}\nAll nodes are network namespaces of this machine and share its CPUs. Fence and barrier after each PE has "
        "written\nto every other, us: median of the medians of {} batches of {} at each PE, p99 of all\n"
        "acknowledged, counts: before a barrier by the NICs as the library chooses it, on udp-block counts before one "
        "by "
        "the\nhosts; linear (as the original GA_Sync of Global Arrays): before pairwise exchange by the hosts\n",
        machine.line(), arguments_.repeats, arguments_.iterations);
    add_times(&text, "nodes", rows);
    add(&text, "\nHow many times shorter the mean is\n");
    for (const char* const now : {"xdp acknowledged", "xdp counts"}) {
        add_factors(&text, rows, now, "xdp linear");
    }
    for (const char* const now : {"xdp acknowledged", "xdp counts", "udp-block acknowledged", "udp-block counts"}) {
        add_factors(&text, rows, now, "udp-block linear");
    }
    add_times(&text, fmt::format("{} nodes; written to", rows.back().name), rows_of(few_targets(), by_targets_));
    return fmt::to_string(text);
}

Json FenceBench::json(const Machine& machine) const {
    Json json = new_result("syncline bench fence", machine);
    json["parameters"] = arguments_.parameters();
    add_rows(&json, quantities::fence_after_all, rows_of(arguments_.counts, by_nodes_));
    add_rows(&json, quantities::fence_after_some, rows_of(few_targets(), by_targets_), nullptr,
             {{"nodes", arguments_.counts.back()}});
    return json;
}

}  // namespace

void add_bench_fence_command(CLI::App* bench, int* exit_code) {
    const auto arguments = std::make_shared<Batches>(Batches{{100, 7, {2, 4, 8, 16}}, {25, 2, {2, 4}}});
    CLI::App* const command = bench->add_subcommand(
        "fence",
        "Measure fence and barrier in one among 2 to 16 nodes on private test beds, after each PE has written to "
        "every other: the experiment of Buntinas, Saify, Panda and Nieplocha's \"Optimizing Synchronization "
        "Operations for Remote Memory Communication Systems\", figure 7. Needs root for XDP.");
    arguments->add_options(command, {"rounds", "--nodes", "numbers of nodes", 2, fence_nodes_max});
    command->callback([arguments, exit_code] {
        arguments->set_defaults();
        *exit_code = run_bench<FenceBench>(*arguments);
    });
}

}  // namespace syncline::bench
