// SPDX-License-Identifier: BSD-3-Clause
#include <fmt/format.h>

#include "bench/dsm/dsm_report.h"
#include "bench/report/dsm_quantities.h"

namespace syncline::bench {
namespace {

Json dsm_ratio_json(const DsmRatio& ratio) {
    Json at = {{"nodes", ratio.of.nodes}, {"mtu", ratio.of.mtu}};
    if (!ratio.of.size.empty()) {
        at["size"] = ratio.of.size;
    }
    Json json = {{"ratio", ratio.name},
                 {"title", ratio.title},
                 {"subject", ratio.of.subject},
                 {"condition", ratio.of.condition},
                 {"at", at},
                 {"unit", "times"},
                 {"got", ratio.got},
                 {"rounds", ratio.rounds}};
    if (ratio.wanted) {
        json["limit"] = ratio.at_most ? "at most" : "at least";
        json["wanted"] = *ratio.wanted;
        json["reached"] = ratio.reached();
    }
    if (ratio.published) {
        json["published"] = *ratio.published;
    }
    return json;
}

void add_ratio_entries(const std::vector<DsmRatio>& ratios, Json* json) {
    for (const DsmRatio& ratio : ratios) {
        (*json)["ratios"].push_back(dsm_ratio_json(ratio));
    }
}

void add_parameters(const DsmSettings& settings, Json* json) {
    (*json)["parameters"] = {
        {"quick", settings.quick},           {"nodes", settings.nodes},     {"mtu", settings.mtus},
        {"protocols", settings.protocols},   {"sizes", settings.sizes},     {"pages", settings.pages},
        {"iterations", settings.iterations}, {"repeats", settings.repeats}, {"runs", settings.runs},
        {"verified", settings.verify},       {"transport", "xdp"},          {"authenticated", settings.authenticate}};
}

}  // namespace

std::vector<std::string> dsm_remarks(const DsmResult& result, const Machine& machine) {
    const DsmSettings& settings = result.settings;
    std::vector<std::string> remarks = {fmt::format(
        "nodes are network namespaces of this machine, each with one process, over xdp {} authentication; "
        "{} processes share {} CPUs{}",
        settings.authenticate ? "with" : "without", settings.nodes.back(), machine.cores,
        settings.nodes.back() > machine.cores ? ", so times of more processes than CPUs include the wait for one"
                                              : "")};
    if (settings.has("pages")) {
        remarks.push_back(fmt::format(
            "pages: process 0 writes a word of each of {} pages, which makes it their home, then the others "
            "read it; all at once: the time until the last one has read all, of a page; one reader: one "
            "process after the other, the median of them. In order the library reads ahead, scattered it "
            "cannot",
            settings.pages));
        remarks.emplace_back(
            "first: a page that the reader has not had, whose home it has to learn; again: a page that process 0 has "
            "changed since the reader has had it");
    }
    if (settings.has("synchronisation")) {
        remarks.emplace_back(
            "lock: lock, increment of a shared counter, unlock; handed over: by all processes at once, the time of a "
            "round of one of them");
        remarks.emplace_back("allocation: 64 bytes by one process, where there are few and behind 10,000 others");
    }
    if (settings.has("applications")) {
        remarks.push_back(fmt::format(
            "applications: examples/dsm, {} verified against the sequential program; page fetches and flushes are "
            "parts of faults, locks and barriers; a handler is a thread of its own",
            settings.verify ? "whose first run is" : "not"));
    }
    remarks.insert(remarks.end(), result.failures.begin(), result.failures.end());
    return remarks;
}

Json dsm_json(const DsmResult& result, const Machine& machine) {
    Json json = new_result("syncline bench dsm", machine);
    add_parameters(result.settings, &json);
    json["remarks"] = dsm_remarks(result, machine);
    json["ratios"] = Json::array();
    for (const Quantity* const quantity : {&quantities::page_time, &quantities::page_cpu,
                                           &quantities::shared_synchronisation, &quantities::application}) {
        result.measured.add_entries(*quantity, &json);
    }
    for (const ShareOfTime& share : shares_of_time) {
        result.measured.add_entries(share.quantity, &json);
    }
    for (const PartOfShares& part : parts_of_shares) {
        result.measured.add_entries(part.quantity, &json);
    }
    result.measured.add_entries(quantities::application_faults, &json);
    for (const int mtu : result.settings.mtus) {
        add_ratio_entries(page_ratios(result.settings, result.measured, mtu), &json);
    }
    add_ratio_entries(application_ratios(result.settings, result.measured), &json);
    return json;
}

}  // namespace syncline::bench
