// SPDX-License-Identifier: BSD-3-Clause
// Table and JSON of `syncline bench lock`.
#include "bench/command/locks.h"
#include "bench/report/table.h"

namespace syncline::bench {
namespace {

constexpr Table lock_form = {20, 18};

void add_times(Text* text, const char* title, const std::vector<Row>& rows) {
    add(text, "\n{}\n\n", title);
    add_table(text, lock_form, "contenders", rows, [](const std::string&, const Cell& cell) {
        return fmt::format("{:.2f} {:8.1f}", cell.median / 1000, cell.p99 / 1000);
    });
}

void add_numbers(Text* text, const char* title, const std::vector<Row>& rows) {
    add(text, "\n{}\n\n", title);
    add_table(text, lock_form, "contenders", rows,
              [](const std::string&, const Cell& cell) { return fmt::format("{:.2f}", cell.mean); });
}

// Returns how much less `now` takes than `before`, if both were measured.
void add_gain(Text* text, const std::vector<Row>& rows, const std::string& now, const std::string& before) {
    const auto gain = [](const Cell& nic, const Cell& host) {
        return fmt::format("{:.1f} % {:.2f}x", improvement_percent(host.mean, nic.mean), host.mean / nic.mean);
    };
    add_comparison(text, lock_form, now, rows, now, before, gain, "   over " + before);
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
    json["parameters"] = {{"iterations", results.iterations}, {"repeats", results.repeats}};
    json["remarks"] = results.remarks;
    add_rows(&json, quantities::acquire_and_release, results.both);
    add_rows(&json, quantities::acquire, results.acquire);
    add_rows(&json, quantities::release, results.release);
    add_rows(&json, quantities::requests, results.requests);
    add_rows(&json, quantities::unfairness, results.unfairness);
    return json;
}

}  // namespace syncline::bench
