// SPDX-License-Identifier: BSD-3-Clause
// `syncline bench barrier`: the barrier experiment of Buntinas 2001 (figure 5), with one PE on each of up to 16 nodes
// (--nodes). The NICs and the hosts run barriers among the first 2, 4, 8 and 16 PEs, one after the other without a
// pause.
#include <CLI/CLI.hpp>
#include <algorithm>
#include <map>

#include "bench/command/batches.h"
#include "bench/command/commands.h"
#include "bench/command/run_bench.h"
#include "bench/measure/bed.h"
#include "bench/report/progress.h"

namespace syncline::bench {
namespace {

constexpr uint32_t barrier_nodes_max = 16;
constexpr uint32_t automatic = UINT32_MAX;  // a dimension that leaves the choice to the library

struct BarrierCondition {
    uint32_t nodes;
    bool host;
    uint32_t dimension;  // dimension of the tree; 0: exchange; or `automatic`

    auto operator<=>(const BarrierCondition&) const = default;
};

class BarrierBench {
  public:
    explicit BarrierBench(const Batches& arguments) : arguments_(arguments) {
        require_xdp("syncline bench barrier");
        bed_ = std::make_unique<Bed>(BedOptions{.nodes = most_nodes()});
        for (const uint32_t nodes : arguments_.counts) {
            for (const bool host : {false, true}) {
                for (uint32_t dimension = 0; dimension < nodes; dimension++) {
                    conditions_.push_back({nodes, host, dimension});
                }
                conditions_.push_back({nodes, host, automatic});
            }
        }
    }

    void run() {
        Progress progress(arguments_.repeats * conditions_.size());
        for (uint64_t i = 0; i < arguments_.repeats; i++) {
            for (const BarrierCondition& condition : conditions_) {
                progress.step(fmt::format("{} nodes, {}", condition.nodes, name_of(condition)));
                batch(condition);
            }
        }
    }

    // Returns one row for each number of nodes: both algorithms by NIC and by host, trees of their best dimension.
    std::vector<Row> best() const {
        std::vector<Row> rows;
        for (const uint32_t nodes : arguments_.counts) {
            Row row{std::to_string(nodes), {}};
            for (const bool host : {false, true}) {
                row.cells.push_back({host ? "host exchange" : "nic exchange", cell({nodes, host, 0})});
                row.cells.push_back(
                    {host ? "host tree" : "nic tree", cell({nodes, host, best_dimension(nodes, host)})});
                row.cells.push_back({host ? "host auto" : "nic auto", cell({nodes, host, automatic})});
            }
            rows.push_back(row);
        }
        return rows;
    }

    std::string table(const Machine& machine) const;
    Json json(const Machine& machine) const;

  private:
    static std::string name_of(const BarrierCondition& condition) {
        const char* const executor = condition.host ? "host" : "nic";
        return condition.dimension == 0           ? fmt::format("{} exchange", executor)
               : condition.dimension == automatic ? fmt::format("{} auto", executor)
                                                  : fmt::format("{} tree {}", executor, condition.dimension);
    }

    Cell cell(const BarrierCondition& condition) const { return gathered_.at(condition).cell(); }

    uint32_t most_nodes() const { return *std::max_element(arguments_.counts.begin(), arguments_.counts.end()); }
    uint32_t best_dimension(uint32_t nodes, bool host) const {
        uint32_t best = 1;
        for (uint32_t dimension = 2; dimension < nodes; dimension++) {
            if (cell({nodes, host, dimension}).median < cell({nodes, host, best}).median) {
                best = dimension;
            }
        }
        return best;
    }

    void batch(const BarrierCondition& condition) {
        const int algorithm = condition.dimension == 0           ? SYNCLINE_BARRIER_EXCHANGE
                              : condition.dimension == automatic ? SYNCLINE_BARRIER_AUTO
                                                                 : SYNCLINE_BARRIER_TREE;
        const Command command = {.verb = Verb::kBarrier,
                                 .count = arguments_.iterations,
                                 .pes = condition.nodes,
                                 .barrier = algorithm,
                                 .dimension = condition.dimension == automatic ? 0 : condition.dimension,
                                 .by_host = condition.host ? 1u : 0u};
        bed_->job().post_pinned(condition.nodes, command);
        for (uint32_t rank = 0; rank < condition.nodes; rank++) {
            const Result result = bed_->job().collect(rank);
            if (rank == 0) {
                gathered_[condition].add(result.samples);
            }
        }
    }

    const Batches arguments_;
    std::unique_ptr<Bed> bed_;
    std::vector<BarrierCondition> conditions_;
    std::map<BarrierCondition, Gatherer> gathered_;
};

std::string BarrierBench::table(const Machine& machine) const {
    std::string text = machine.line() + "\n";
    text += fmt::format(
        "All {} nodes are network namespaces of this machine and share its CPUs. Latency of barriers in a row at PE 0, "
        "us:\n"
        "median of the medians of {} batches of {}, p99 of all; trees of their best dimension, in parentheses\n\n",
        most_nodes(), arguments_.repeats, arguments_.iterations);
    text += fmt::format("{:<8}{:>20}{:>20}{:>9}{:>26}{:>26}{:>9}\n", "nodes", "NIC exchange", "host exchange", "factor",
                        "NIC tree", "host tree", "factor");
    const auto us = [](const Cell& cell) { return fmt::format("{:.1f} {:8.1f}", cell.median / 1e3, cell.p99 / 1e3); };
    for (const Row& row : best()) {
        const auto nodes = static_cast<uint32_t>(std::stoul(row.name));
        const Cell& nic = *row.find("nic exchange");
        const Cell& host = *row.find("host exchange");
        const Cell& nic_tree = *row.find("nic tree");
        const Cell& host_tree = *row.find("host tree");
        text += fmt::format("{:<8}{:>20}{:>20}{:>8.2f}x{:>21} ({:>2}){:>21} ({:>2}){:>8.2f}x\n", row.name, us(nic),
                            us(host), host.median / nic.median, us(nic_tree), best_dimension(nodes, false),
                            us(host_tree), best_dimension(nodes, true), host_tree.median / nic_tree.median);
    }
    text += fmt::format("\n{:<8}{:>20}{:>12}{:>12}{:>26}{:>29}\n", "nodes", "NIC as chosen", "per node", "of best",
                        "exch. by host / chosen", "best by host / best by NIC");
    for (const Row& row : best()) {
        const double chosen = row.find("nic auto")->median;
        const double nic = std::min(row.find("nic exchange")->median, row.find("nic tree")->median);
        const double host = std::min(row.find("host exchange")->median, row.find("host tree")->median);
        text += fmt::format("{:<8}{:>20}{:>12.1f}{:>11.2f}x{:>25.2f}x{:>28.2f}x\n", row.name, us(*row.find("nic auto")),
                            chosen / 1e3 / std::stod(row.name), chosen / nic,
                            row.find("host exchange")->median / chosen, host / nic);
    }
    text += "\nTrees of every dimension, median in us: NIC / host\n";
    for (const uint32_t nodes : arguments_.counts) {
        text += fmt::format("{:<8}", nodes);
        for (uint32_t dimension = 1; dimension < nodes; dimension++) {
            text += fmt::format("  {}: {:.1f}/{:.1f}", dimension, cell({nodes, false, dimension}).median / 1e3,
                                cell({nodes, true, dimension}).median / 1e3);
        }
        text += "\n";
    }
    return text;
}

Json BarrierBench::json(const Machine& machine) const {
    std::vector<Row> rows;
    for (const uint32_t nodes : arguments_.counts) {
        Row row{std::to_string(nodes), {}};
        for (const BarrierCondition& condition : conditions_) {
            if (condition.nodes == nodes) {
                row.cells.push_back({name_of(condition), cell(condition)});
            }
        }
        rows.push_back(row);
    }
    Json json = new_result("syncline bench barrier", machine);
    json["parameters"] = arguments_.parameters();
    add_rows(&json, quantities::barrier, rows);
    return json;
}

}  // namespace

void add_bench_barrier_command(CLI::App* bench, int* exit_code) {
    const auto arguments = std::make_shared<Batches>(Batches{{200, 7, {2, 4, 8, 16}}, {50, 2, {2, 4}}});
    CLI::App* const command = bench->add_subcommand(
        "barrier",
        "Measure barriers among 2 to 16 nodes on a private test bed, run by the NICs and by the hosts, by pairwise "
        "exchange and by trees of every dimension: the experiment of Buntinas, Panda and Sadayappan's \"Fast "
        "NIC-Based Barrier over Myrinet/GM\", figure 5. Needs root for XDP.");
    arguments->add_options(command, {"barriers", "--nodes", "numbers of nodes", 2, barrier_nodes_max});
    command->callback([arguments, exit_code] {
        arguments->set_defaults();
        *exit_code = run_bench<BarrierBench>(*arguments);
    });
}

}  // namespace syncline::bench
