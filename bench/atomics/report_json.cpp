// SPDX-License-Identifier: BSD-3-Clause
#include "bench/atomics/report.h"

namespace syncline::bench {
namespace {

Json of(const Cell& cell) {
    Json json;
    json["median"] = cell.median;
    if (cell.p99 != 0) {
        json["p99"] = cell.p99;
    }
    json["mean"] = cell.mean;
    json["batch_medians"] = cell.batches;
    return json;
}

Json of(const std::vector<Row>& rows, const char* unit) {
    Json json;
    json["unit"] = unit;
    for (const Row& row : rows) {
        for (const NamedCell& named : row.cells) {
            json["values"][row.name][named.series] = of(named.cell);
        }
    }
    return json;
}

Json of(const std::vector<Line>& lines, const char* unit) {
    Json json;
    json["unit"] = unit;
    for (const Line& line : lines) {
        for (const Point& point : line.points) {
            Json value = of(point.value);
            value["offered_per_s"] = point.rate_per_s;
            json["values"][line.series].push_back(value);
        }
    }
    return json;
}

// In percent, of every series that the NIC executes over every one that the host does.
Json improvements(const std::vector<Row>& rows) {
    Json json;
    for (const Row& row : rows) {
        for (const NamedCell& nic : row.cells) {
            for (const NamedCell& host : row.cells) {
                if (nic.series.starts_with("xdp") && host.series.starts_with("udp")) {
                    json[row.name][nic.series][host.series] = improvement_percent(host.cell.median, nic.cell.median);
                }
            }
        }
    }
    return json;
}

}  // namespace

Json json_of(const Results& results, const Machine& machine) {
    Json json = new_result("syncline bench atomics", machine);
    json["machine"] = {{"cpu", machine.cpu},
                       {"cores", machine.cores},
                       {"kernel", machine.kernel},
                       {"compiler", machine.compiler},
                       {"date", machine.date}};
    json["settings"] = {{"quick", results.settings.quick},
                        {"iterations", results.settings.iterations},
                        {"repeats", results.settings.repeats}};
    json["remarks"] = results.remarks;
    if (!results.latency.empty()) {
        json["latency"] = of(results.latency, "ns");
        json["latency"]["improvement_percent"] = improvements(results.latency);
    }
    if (!results.computing.empty()) {
        json["computing_target"] = of(results.computing, "ns");
    }
    if (!results.local.empty()) {
        json["same_node"] = of(results.local, "ns");
    }
    if (!results.rates.empty()) {
        json["rates"] = of(results.rates, "operations/s");
    }
    if (!results.counter.empty()) {
        json["counter"] = of(results.counter, "iterations/1000us");
    }
    if (!results.bandwidth.empty()) {
        json["bandwidth"] = of(results.bandwidth, "bytes/s");
    }
    return json;
}

}  // namespace syncline::bench
