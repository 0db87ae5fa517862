// SPDX-License-Identifier: BSD-3-Clause
// The table and the file of `syncline bench armci`.
#include <algorithm>
#include <map>

#include "base/counted.h"
#include "bench/armci/armci_bench.h"
#include "bench/report/shmem_operations.h"
#include "bench/report/table.h"

namespace syncline::bench {

namespace {

constexpr Table armci_form = {28, 26};
constexpr uint64_t compute_ms = 20;  // as in programs/armci_program.c

std::string median_and_p99(const std::string&, const Cell& cell) {
    return fmt::format("{:.3f} {:>11}", cell.median / 1e3, cell.p99 == 0 ? "-" : fmt::format("{:.3f}", cell.p99 / 1e3));
}

// Says how many times better Syncline is, and whether that reaches the limit.
std::string verdict(const ArmciRatio& ratio) {
    const auto [least, largest] = std::minmax_element(ratio.rounds.begin(), ratio.rounds.end());
    const std::string spread = fmt::format("{:.2f} to {:.2f}", *least, *largest);
    std::string text = fmt::format("{:>10.2f}x {:>18}", ratio.got, spread);
    if (ratio.wanted) {
        text += fmt::format("  at least {:g}  {}", *ratio.wanted, ratio.reached() ? "reached" : "not reached");
    }
    return text;
}

Json armci_ratio_json(const ArmciRatio& ratio) {
    Json json = {
        {"ratio", ratio.name}, {"title", ratio.title}, {"unit", "times"}, {"got", ratio.got}, {"rounds", ratio.rounds}};
    if (ratio.wanted) {
        json["limit"] = "at least";
        json["wanted"] = *ratio.wanted;
        json["reached"] = ratio.reached();
    }
    return json;
}

}  // namespace

std::vector<std::string> ArmciBench::libraries() const {
    std::vector<std::string> names;
    for (const Contender& contender : contenders_) {
        names.push_back(contender.library->name());
    }
    return names;
}

std::vector<ArmciRatio> ArmciBench::ratios() const {
    const std::vector<std::string> names = libraries();
    const uint64_t nodes = arguments_.layout.nodes;
    std::vector<ArmciRatio> all;
    if (names.size() > 1) {
        all = measured_.ratios(names[0], names[1], nodes);
    }
    if (const std::optional<ArmciRatio> original = measured_.original(names[0], nodes)) {
        all.push_back(*original);
    }
    return all;
}

std::vector<std::string> ArmciBench::remarks() const {
    std::vector<std::string> remarks = {
        fmt::format("computing: the target computes for {} ms and makes no call of the library", compute_ms)};
    if (original_ != nullptr) {
        remarks.push_back(fmt::format(
            "{}: the fence asks one process after the other, then the hosts exchange messages; by this library's "
            "processes, as `syncline bench fence` runs it, after non-blocking puts",
            original_series));
    }
    if (!arguments_.peer.empty() && arguments_.layout.nodes > 1) {
        remarks.emplace_back("Open MPI goes over TCP without authentication");
    }
    if (contenders_.front().global_arrays != nullptr) {
        remarks.push_back(
            fmt::format("GA get, put, acc: {}, sections of doubles; GA matrix product: {} x {} in blocks of {} x {}, "
                        "dealt out by a "
                        "shared counter; Open MPI starts the processes of both libraries",
                        contenders_.front().global_arrays->test_program(), GlobalArrays::matrix, GlobalArrays::matrix,
                        GlobalArrays::block, GlobalArrays::block));
    }
    return remarks;
}

std::string ArmciBench::table(const Machine& machine) const {
    std::map<std::string, ArmciRatio> by_title;
    for (const ArmciRatio& ratio : ratios()) {
        by_title.emplace(ratio.title, ratio);
    }
    const auto ending = [&](const std::string& title) {
        if (title.empty()) {
            return std::string(contenders_.size() > 1 ? "  better by      least to largest" : "");
        }
        const auto found = by_title.find(title);
        return found != by_title.end() ? verdict(found->second) : std::string();
    };
    Text text;
    const ShmemLayout& layout = arguments_.layout;
    add(&text, "{}\n{}{}: median of the medians of {} by turns, then of their 99th percentiles, us\n", machine.line(),
        place_of(layout.pes, layout.nodes), layout.nodes > 1 ? fmt::format(" at MTU {}", layout.mtu) : "",
        counted(arguments_.repeats, "run"));
    for (const std::string& remark : remarks()) {
        add(&text, "{}\n", remark);
    }
    add(&text, "\n");
    add_table(&text, armci_form, "", transposed(measured_.rows(libraries(), &ArmciOperation::title)), median_and_p99,
              ending);
    if (original_ != nullptr) {
        const Cell original = cell_of(measured_.runs(sync_subject, original_series));
        add(&text, "{:<{}}{:>{}}{:>{}}{}\n", original_title, armci_form.first, median_and_p99("", original),
            armci_form.column, "", contenders_.size() > 1 ? armci_form.column : 0, ending(original_title));
    }
    return fmt::to_string(text);
}

Json ArmciBench::json(const Machine& machine) const {
    const ShmemLayout& layout = arguments_.layout;
    Json json = new_result("syncline bench armci", machine);
    json["parameters"] = {{"pes", layout.pes},
                          {"nodes", layout.nodes},
                          {"quick", arguments_.quick},
                          {"samples", arguments_.samples},
                          {"repeats", arguments_.repeats},
                          {"compute_ms", compute_ms}};
    if (layout.nodes > 1) {
        json["parameters"]["transport"] = layout.transport;
        json["parameters"]["authenticated"] = layout.authenticate;
        json["parameters"]["mtu"] = layout.mtu;
    }
    json["remarks"] = remarks();
    json["ratios"] = Json::array();
    std::vector<std::string> series = libraries();
    series.emplace_back(original_series);
    const auto is_peer = [](const std::string& condition, const std::string& base) {
        return condition.starts_with("syncline") && !base.starts_with("syncline");
    };
    add_rows(&json, quantities::armci, measured_.rows(series, &ArmciOperation::name), is_peer);
    for (const ArmciRatio& ratio : ratios()) {
        json["ratios"].push_back(armci_ratio_json(ratio));
    }
    return json;
}

}  // namespace syncline::bench
