// SPDX-License-Identifier: BSD-3-Clause
#include "bench/atomics/report.h"
#include "bench/report/table.h"

namespace syncline::bench {
namespace {

bool is_host(const std::string& series) {
    return series.starts_with("udp");
}

constexpr Table wide = {20, 20};

void add_latency(Text* text, const Results& results) {
    const std::vector<Row>& rows = results.latency;
    add(text, "\nLatency of a blocking 64-bit atomic on another node in us: median of {} batches of {}, p99 of all\n\n",
        results.settings.repeats, results.settings.iterations);
    add_table(text, wide, "", rows, [](const std::string&, const Cell& cell) {
        return fmt::format("{:.2f}  {:6.2f}", cell.median / 1000, cell.p99 / 1000);
    });
    const auto improvement = [](const Cell& nic, const Cell& host) {
        return fmt::format("{:.1f} %  {:.2f}x", improvement_percent(host.median, nic.median), host.median / nic.median);
    };
    for (const NamedCell& nic : rows.front().cells) {
        if (is_host(nic.series)) {
            continue;
        }
        add(text, "\n{}, improvement (host - nic) / host and ratio\n", nic.series);
        for (const NamedCell& host : rows.front().cells) {
            if (is_host(host.series)) {
                add_comparison(text, wide, "over " + host.series, rows, nic.series, host.series, improvement);
            }
        }
    }
}

std::string time_text(double ns) {
    return ns < 1000 ? fmt::format("{:.2f} ns", ns) : fmt::format("{:.2f} us", ns / 1000);
}

// Adds rows of two cells, with the second as a multiple of the first.
void add_pairs(Text* text, const char* title, const std::vector<Row>& rows) {
    add(text, "\n{}\n\n", title);
    for (const Row& row : rows) {
        const NamedCell& base = row.cells[0];
        const NamedCell& other = row.cells[1];
        add(text, "{:<20}{} {}   {} {}   ratio {:.2f}\n", row.name, base.series, time_text(base.cell.median),
            other.series, time_text(other.cell.median), other.cell.median / base.cell.median);
    }
}

void add_rates(Text* text, const std::vector<Row>& rows) {
    add(text, "\nRates, millions of operations per second\n\n");
    add_table(text, {30, 12}, "", transposed(rows),
              [](const std::string&, const Cell& cell) { return fmt::format("{:.2f}", cell.median / 1e6); });
}

void add_load(Text* text, const char* title, const std::vector<Line>& lines, double scale, int digits) {
    add(text, "\n{}\n\n", title);
    for (const Line& line : lines) {
        const double idle = line.points.front().value.median;
        add(text, "{:<20}none: {:.{}f}", line.series, idle / scale, digits);
        for (size_t i = 1; i < line.points.size(); i++) {
            const Point& point = line.points[i];
            add(text, "{}{:>7.1f} k/s: {:.{}f} ({:.0f} %)", i % 4 == 1 ? "\n    " : "  ", point.rate_per_s / 1e3,
                point.value.median / scale, digits, point.value.median / idle * 100);
        }
        add(text, "\n");
    }
}

}  // namespace

std::string table_of(const Results& results, const Machine& machine) {
    Text text;
    add(&text, "{}\n", machine.line());
    for (const std::string& remark : results.remarks) {
        add(&text, "{}\n", remark);
    }
    add(&text,
        "xdp: the target's NIC program executes; xdp+auth: with a SipHash tag in each packet; udp-poll, "
        "udp-spin-block, "
        "udp-block:\na host agent executes, and polls, spins before it blocks, or blocks; shm: one node, shared "
        "memory\n");
    if (!results.latency.empty()) {
        add_latency(&text, results);
    }
    if (!results.computing.empty()) {
        add_pairs(&text, "fetch_add to a PE that computes and never calls the library, against an idle one",
                  results.computing);
    }
    if (!results.local.empty()) {
        add_pairs(&text, "fetch_add to a PE of the same node, against the CPU's instruction on the same line",
                  results.local);
    }
    if (!results.rates.empty()) {
        add_rates(&text, results.rates);
    }
    if (!results.counter.empty()) {
        add_load(&text,
                 "Iterations of a counter loop at the target in 1000 us while another node does fetch_adds;\n"
                 "on a veth, series xdp executes on the initiator's CPU, inside its send call: no CPU of the target's",
                 results.counter, 1, 0);
    }
    if (!results.bandwidth.empty()) {
        add_load(&text,
                 "TCP stream from the target to a third node in MB/s while another node does fetch_adds;\n"
                 "sender and sink share one CPU, the initiator has its own",
                 results.bandwidth, 1e6, 1);
    }
    return fmt::to_string(text);
}

}  // namespace syncline::bench
