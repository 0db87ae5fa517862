// SPDX-License-Identifier: BSD-3-Clause
#include "bench/atomics/report.h"
#include "bench/report/table.h"

namespace syncline::bench {

namespace {

bool is_nic_against_host(const std::string& condition, const std::string& base) {
    return condition.starts_with("xdp") && base.starts_with("udp");
}

}  // namespace

Json json_of(const Results& results, const Machine& machine) {
    Json json = new_result("syncline bench atomics", machine);
    json["parameters"] = {{"quick", results.settings.quick},
                          {"iterations", results.settings.iterations},
                          {"repeats", results.settings.repeats}};
    json["remarks"] = results.remarks;
    add_rows(&json, quantities::latency, results.latency, is_nic_against_host);
    add_rows(&json, quantities::computing_target, transposed(results.computing));
    add_rows(&json, quantities::same_node, results.local);
    add_rows(&json, quantities::rate, results.rates);
    add_lines(&json, quantities::counter, results.counter);
    add_lines(&json, quantities::bandwidth, results.bandwidth);
    return json;
}

}  // namespace syncline::bench
