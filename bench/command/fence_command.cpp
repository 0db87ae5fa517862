// SPDX-License-Identifier: BSD-3-Clause
// `syncline bench fence`: the experiment of paper 001, section 4.1 (figure 7). One PE on each of 2 to 16 nodes writes
// to every other one, all meet, and the combined fence and barrier is timed at every PE.
#include <CLI/App.hpp>
#include <map>

#include "base/failure.h"
#include "bench/atomics/world.h"
#include "bench/command/batches.h"
#include "bench/command/commands.h"
#include "bench/command/run_bench.h"
#include "bench/measure/job.h"
#include "bench/report/progress.h"
#include "bench/report/text.h"

namespace syncline::bench {
namespace {

constexpr uint32_t nodes_max = 16;

struct Condition {
    const char* name;
    TransportKind transport;
    int algorithm;
    bool host;  // the barrier behind it: pairwise exchange by the hosts; else by the NICs, as the library chooses
};

constexpr Condition conditions[] = {
    {"xdp acknowledged", TransportKind::kXdp, SYNCLINE_FENCE_ACKNOWLEDGED, false},
    {"xdp counts", TransportKind::kXdp, SYNCLINE_FENCE_COUNTS, false},
    {"xdp linear", TransportKind::kXdp, SYNCLINE_FENCE_LINEAR, true},
    {"udp-block acknowledged", TransportKind::kUdp, SYNCLINE_FENCE_ACKNOWLEDGED, false},
    {"udp-block counts", TransportKind::kUdp, SYNCLINE_FENCE_COUNTS, true},
    {"udp-block linear", TransportKind::kUdp, SYNCLINE_FENCE_LINEAR, true},
};

// A job of one PE on each node, on a test bed of its own.
struct Bed {
    Bed(TransportKind transport, uint32_t nodes);

    std::unique_ptr<testbed::Testbed> testbed;
    std::unique_ptr<BenchJob> job;  // behind the test bed: it ends first
};

Bed::Bed(TransportKind transport, uint32_t nodes) {
    testbed::Options wanted;
    wanted.nodes = static_cast<int>(nodes);
    testbed = std::make_unique<testbed::Testbed>(testbed::Testbed::create(wanted));
    LaunchOptions options;
    options.transport = transport;
    options.authenticate = false;
    options.ranks = options.nodes = nodes;
    options.agent_mode = AgentMode::kBlock;
    options.shared_testbed = testbed.get();
    job = std::make_unique<BenchJob>(std::move(options), 65536);
}

class FenceBench {
  public:
    explicit FenceBench(const Batches& arguments) : arguments_(arguments) {
        if (const std::string why = why_no_xdp(); !why.empty()) {
            fail(SYNCLINE_ERR_UNSUPPORTED, "syncline bench fence needs XDP, and it {}", why);
        }
    }

    void run();
    std::string table(const Machine& machine) const;
    Json json(const Machine& machine) const;

  private:
    void run_among(uint32_t nodes, Progress* progress);
    void batch(BenchJob* job, const Condition& condition, uint32_t targets, Gatherer* gatherer) const;
    std::vector<uint32_t> few_targets() const;
    static std::vector<Row> rows_of(const std::vector<uint32_t>& numbers,
                                    const std::map<uint32_t, std::map<std::string, Gatherer>>& gathered);

    const Batches arguments_;
    std::map<uint32_t, std::map<std::string, Gatherer>> by_nodes_;
    std::map<uint32_t, std::map<std::string, Gatherer>> by_targets_;  // among the most nodes
};

// To how many each PE writes, where fewer than all matter: 0, 1, 2, 4 and so on.
std::vector<uint32_t> FenceBench::few_targets() const {
    std::vector<uint32_t> targets = {0};
    for (uint32_t few = 1; few < arguments_.counts.back() - 1; few *= 2) {
        targets.push_back(few);
    }
    return targets;
}

void FenceBench::batch(BenchJob* job, const Condition& condition, uint32_t targets, Gatherer* gatherer) const {
    const Command command = {
        .verb = Verb::kFence,
        .target = job->ranks(),
        .count = arguments_.iterations,
        .delay_ns = static_cast<uint64_t>(condition.algorithm),
        .bytes = static_cast<uint64_t>(condition.host ? SYNCLINE_BARRIER_EXCHANGE : SYNCLINE_BARRIER_AUTO),
        .bare = condition.host ? 1u : 0u,
        .port = targets};
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
    Bed xdp(TransportKind::kXdp, nodes);
    Bed udp(TransportKind::kUdp, nodes);
    for (uint64_t i = 0; i < arguments_.repeats; i++) {
        for (const Condition& condition : conditions) {
            progress->step(fmt::format("{} nodes, {}", nodes, condition.name));
            BenchJob* const job = condition.transport == TransportKind::kXdp ? xdp.job.get() : udp.job.get();
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
    Progress progress(arguments_.counts.size() * arguments_.repeats * std::size(conditions));
    for (const uint32_t nodes : arguments_.counts) {
        run_among(nodes, &progress);
    }
}

std::vector<Row> FenceBench::rows_of(const std::vector<uint32_t>& numbers,
                                     const std::map<uint32_t, std::map<std::string, Gatherer>>& gathered) {
    std::vector<Row> rows;
    for (const uint32_t number : numbers) {
        Row row{std::to_string(number), {}};
        for (const Condition& condition : conditions) {
            if (const auto found = gathered.at(number).find(condition.name); found != gathered.at(number).end()) {
                row.cells.push_back({condition.name, found->second.cell()});
            }
        }
        rows.push_back(row);
    }
    return rows;
}

void add_times(Text* text, const char* title, const std::vector<Row>& rows) {
    add(text, "\n{:<26}", title);
    for (const Row& row : rows) {
        add(text, "{:>20}", row.name);
    }
    add(text, "\n");
    for (const NamedCell& named : rows.front().cells) {
        add(text, "{:<26}", named.series);
        for (const Row& row : rows) {
            const Cell& cell = *row.find(named.series);
            add(text, "{:>20}", fmt::format("{:.1f} {:8.1f}", cell.median / 1e3, cell.p99 / 1e3));
        }
        add(text, "\n");
    }
}

void add_factors(Text* text, const std::vector<Row>& rows, const char* now, const char* before) {
    add(text, "{:<26}", fmt::format("  {}", now));
    for (const Row& row : rows) {
        add(text, "{:>20}", fmt::format("{:.2f}x", row.find(before)->mean / row.find(now)->mean));
    }
    add(text, "   over {}\n", before);
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
    add_times(&text, fmt::format("{} nodes; written to", rows.back().name).c_str(),
              rows_of(few_targets(), by_targets_));
    return fmt::to_string(text);
}

Json FenceBench::json(const Machine& machine) const {
    Json json = new_result("syncline bench fence", machine);
    json["iterations"] = arguments_.iterations;
    json["repeats"] = arguments_.repeats;
    json["unit"] = "ns";
    json["by_nodes"] = json_of_rows(rows_of(arguments_.counts, by_nodes_));
    json["by_targets"] = json_of_rows(rows_of(few_targets(), by_targets_));
    return json;
}

}  // namespace

void add_bench_fence_command(CLI::App* bench, int* exit_code) {
    const auto arguments = std::make_shared<Batches>(Batches{100, 7, {2, 4, 8, 16}, {}});
    CLI::App* const command = bench->add_subcommand(
        "fence",
        "Fence and barrier in one among 2 to 16 nodes on private test beds, after each PE has written to every other: "
        "the experiment of Buntinas, Saify, Panda and Nieplocha's \"Optimizing Synchronization Operations for Remote "
        "Memory Communication Systems\", figure 7. Needs root for XDP.");
    arguments->add_options(command, {"rounds", "--nodes", "among how many", 2, nodes_max});
    command->callback([arguments, exit_code] { *exit_code = run_bench<FenceBench>(*arguments); });
}

}  // namespace syncline::bench
