// SPDX-License-Identifier: BSD-3-Clause
#include "bench/bulk/report.h"

#include <algorithm>

#include "bench/bulk/ratios.h"
#include "bench/report/table.h"

namespace syncline::bench {

namespace {

constexpr int bulk_title_width = 32, bulk_column_width = 22;

bool is_bulk_base(const std::string& condition, const std::string& base) {
    return (condition.starts_with(conditions::xdp) && base == conditions::peer) ||
           (condition == conditions::pieces && base == conditions::each);
}

std::string microseconds(const std::string&, const Cell& cell) {
    return fmt::format("{:.2f} {:>10.2f}", cell.median / 1e3, cell.p99 / 1e3);
}

// Ends a line with how many times better the first of two series is than the second.
void add_timed(Text* text, const char* corner, const std::vector<Row>& rows, const char* own, const char* base) {
    const auto ending = [&](const std::string& title) {
        if (title.empty()) {
            return rows.front().find(base) != nullptr ? fmt::format("    {} / {}", base, own) : std::string();
        }
        const auto row = std::find_if(rows.begin(), rows.end(), [&](const Row& known) { return known.name == title; });
        const Cell* const other = row->find(base);
        return other != nullptr ? fmt::format("{:>12}", fmt::format("{:.2f}x", other->median / row->find(own)->median))
                                : std::string();
    };
    add(text, "\n");
    add_table(text, {bulk_title_width, bulk_column_width}, corner, transposed(rows), microseconds, ending);
}

void add_xor_rates(Text* text, const std::vector<Row>& rows) {
    add(text, "\n");
    add_table(text, {bulk_title_width, bulk_column_width}, "millions a second", transposed(rows),
              [](const std::string&, const Cell& cell) { return fmt::format("{:.2f}", cell.median / 1e6); });
}

std::string wanted_text(const Ratio& ratio) {
    return ratio.wanted ? fmt::format("{} {:g}", ratio.at_most ? "at most" : "at least", *ratio.wanted) : "-";
}

void add_ratios(Text* text, const std::vector<BulkResult>& results) {
    add(text, "\n{:>5} {:<60}{:>8}{:>18}  {:<8}{:>14}\n", "MTU", "ratio: median of the rounds', least to largest",
        "got", "", "", "wanted");
    for (const BulkResult& result : results) {
        for (const Ratio& ratio : ratios_of(result.measured, result.mtu)) {
            const auto [least, largest] = std::minmax_element(ratio.rounds.begin(), ratio.rounds.end());
            add(text, "{:>5} {:<60}{:>8.2f}{:>18}  {:<8}{:>14}{}\n", ratio.mtu, ratio.title, ratio.got,
                fmt::format("{:.2f} to {:.2f}", *least, *largest), ratio.unit, wanted_text(ratio),
                !ratio.wanted     ? ""
                : ratio.reached() ? "  reached"
                                  : "  not reached");
        }
    }
}

Json ratio_json(const Ratio& ratio) {
    Json json = {{"ratio", ratio.name}, {"title", ratio.title}, {"at", {{"mtu", ratio.mtu}}},
                 {"unit", ratio.unit},  {"got", ratio.got},     {"rounds", ratio.rounds}};
    if (ratio.wanted) {
        json["limit"] = ratio.at_most ? "at most" : "at least";
        json["wanted"] = *ratio.wanted;
        json["reached"] = ratio.reached();
    }
    return json;
}

std::vector<std::string> remarks_of(const BulkSettings& settings) {
    std::vector<std::string> remarks = {
        "bare: frames as long as a fetch&add's request and reply, which XDP programs turn round and deposit without "
        "any "
        "work",
        fmt::format("an accumulate adds {} doubles; the target's NIC program adds, and on a veth it runs on the "
                    "initiator's CPU",
                    accumulated_doubles)};
    if (!settings.peer.empty()) {
        remarks.push_back(
            fmt::format("Open MPI goes over TCP without authentication, with a flush behind each operation; its target "
                        "waits inside "
                        "MPI, or where it computes, enters MPI after {} ms: MPI makes no progress before",
                        peer_compute_ms));
    }
    return remarks;
}

}  // namespace

std::string bulk_table(const BulkSettings& settings, const std::vector<BulkResult>& results, const Machine& machine) {
    Text text;
    add(&text,
        "{}\nTwo nodes, {} rounds of all series by turns, batches of {} (long operations: {}): medians of the rounds' "
        "medians\nand of their 99th percentiles\n",
        machine.line(), settings.repeats, settings.samples, settings.few());
    for (const std::string& remark : remarks_of(settings)) {
        add(&text, "{}\n", remark);
    }
    for (const auto& [mtu, measured] : results) {
        add(&text, "\nLinks with an MTU of {}\n", mtu);
        add_timed(&text, "us", measured.rows(quantities::bulk, &BulkSubject::title), conditions::xdp, conditions::peer);
        add_timed(&text, "us", measured.rows(quantities::pieces, &BulkSubject::title), conditions::pieces,
                  conditions::each);
        add_xor_rates(&text, measured.rows(quantities::rate, &BulkSubject::title));
    }
    add_ratios(&text, results);
    return fmt::to_string(text);
}

Json bulk_json(const BulkSettings& settings, const std::vector<BulkResult>& results, const Machine& machine) {
    Json json = new_result("syncline bench bulk", machine);
    json["parameters"] = {{"quick", settings.quick},
                          {"samples", settings.samples},
                          {"repeats", settings.repeats},
                          {"doubles", accumulated_doubles},
                          {"peer_compute_ms", peer_compute_ms}};
    json["remarks"] = remarks_of(settings);
    json["ratios"] = Json::array();
    for (const auto& [mtu, measured] : results) {
        for (const Quantity* const quantity :
             {&quantities::bulk, &quantities::pieces, &quantities::undisturbed, &quantities::rate}) {
            add_rows(&json, *quantity, measured.rows(*quantity, &BulkSubject::name), is_bulk_base, {{"mtu", mtu}});
        }
        for (const Ratio& ratio : ratios_of(measured, mtu)) {
            json["ratios"].push_back(ratio_json(ratio));
        }
    }
    return json;
}

}  // namespace syncline::bench
