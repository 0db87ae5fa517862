// SPDX-License-Identifier: BSD-3-Clause
// Table and JSON of `syncline bench lock`.
#include <algorithm>

#include "bench/command/locks.h"
#include "bench/report/text.h"

namespace syncline::bench {
namespace {

void add_header(Text* text, const std::vector<Row>& rows, const char* title) {
    add(text, "\n{}\n\n{:<20}", title, "contenders");
    for (const Row& row : rows) {
        add(text, "{:>18}", row.name);
    }
    add(text, "\n");
}

void add_times(Text* text, const char* title, const std::vector<Row>& rows) {
    add_header(text, rows, title);
    for (const NamedCell& named : rows.front().cells) {
        add(text, "{:<20}", named.series);
        for (const Row& row : rows) {
            const Cell& cell = *row.find(named.series);
            add(text, "{:>18}", fmt::format("{:.2f} {:8.1f}", cell.median / 1000, cell.p99 / 1000));
        }
        add(text, "\n");
    }
}

void add_numbers(Text* text, const char* title, const std::vector<Row>& rows) {
    add_header(text, rows, title);
    for (const NamedCell& named : rows.front().cells) {
        add(text, "{:<20}", named.series);
        for (const Row& row : rows) {
            add(text, "{:>18.2f}", row.find(named.series)->mean);
        }
        add(text, "\n");
    }
}

// How much less `now` takes than `before`, if both were measured.
void add_gain(Text* text, const std::vector<Row>& rows, const std::string& now, const std::string& before) {
    if (rows.front().find(now) == nullptr || rows.front().find(before) == nullptr) {
        return;
    }
    add(text, "{:<20}", "  " + now);
    for (const Row& row : rows) {
        const double host = row.find(before)->mean;
        const double nic = row.find(now)->mean;
        add(text, "{:>18}", fmt::format("{:.1f} % {:.2f}x", improvement_percent(host, nic), host / nic));
    }
    add(text, "   over {}\n", before);
}

}  // namespace

std::string lock_table_of(const LockResults& results, const Machine& machine) {
    Text text;
    add(&text, "{}\n", machine.line());
    for (const std::string& remark : results.remarks) {
        add(&text, "{}\n", remark);
    }
    add(&text, "us; median of the medians of {} batches of {} by each contender, then p99 of all\n", results.repeats,
        results.iterations);
    add_times(&text, "Acquire and release", results.both);
    add(&text, "\nHow much shorter the mean is, and how many times\n");
    for (const char* const host : {"udp-poll mcs", "udp-block mcs"}) {
        add_gain(&text, results.both, "xdp mcs", host);
    }
    for (const char* const lock : {"xdp mcs", "xdp local-release", "xdp ticket"}) {
        add_gain(&text, results.both, lock, "xdp hybrid");
    }
    add_times(&text, "Acquire", results.acquire);
    add_times(&text, "Release", results.release);
    add_numbers(&text, "Requests to other PEs for an acquire and a release", results.requests);
    add_numbers(&text, "Unfairness: the slowest contender's mean acquire over the quickest's", results.unfairness);
    return fmt::to_string(text);
}

Json lock_json_of(const LockResults& results, const Machine& machine) {
    Json json = new_result("syncline bench lock", machine);
    json["remarks"] = results.remarks;
    json["iterations"] = results.iterations;
    json["repeats"] = results.repeats;
    json["unit"] = "ns";
    json["acquire_and_release"] = json_of_rows(results.both);
    json["acquire"] = json_of_rows(results.acquire);
    json["release"] = json_of_rows(results.release);
    json["requests"] = json_of_rows(results.requests);
    json["unfairness"] = json_of_rows(results.unfairness);
    return json;
}

}  // namespace syncline::bench
