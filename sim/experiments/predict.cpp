// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>
#include <map>
#include <span>

#include "base/failure.h"
#include "sim/experiments/calibrate.h"

namespace syncline::sim {

namespace {

using Text = std::string;

// Returns the simulations for a number of nodes, in the order of Prediction's members.
std::vector<Values> workloads(uint64_t nodes) {
    const auto count = static_cast<int64_t>(nodes);
    const int64_t linear_nodes = std::min<int64_t>(count, linear_most);
    const auto barrier = [](const char* executor, int64_t among, int64_t dimension) {
        return Values{{"workload.kind", Text("barrier")},
                      {"workload.executor", Text(executor)},
                      {"workload.nodes", among},
                      {"workload.dimension", dimension},
                      {"workload.repeats", int64_t{1}}};
    };
    const auto fence = [](const char* algorithm, const char* by, int64_t among) {
        return Values{{"workload.kind", Text("fence")},   {"workload.fence", Text(algorithm)},
                      {"workload.executor", Text("nic")}, {"workload.fence_barrier", Text(by)},
                      {"workload.nodes", among},          {"workload.repeats", int64_t{1}},
                      {"workload.halve_counts", true}};
    };
    const auto many = [count](const char* kind, const char* executor, int64_t total) {
        return Values{{"workload.kind", Text(kind)},
                      {"workload.executor", Text(executor)},
                      {"workload.nodes", count},
                      {"workload.repeats", std::max<int64_t>(2, total / count)}};
    };
    return {barrier("nic", count, 0),
            barrier("nic", count, std::min<int64_t>(tree_dimension, count - 1)),
            barrier("host", count, 0),
            fence("counts", "nic", count),
            fence("linear", "host", linear_nodes),
            barrier("host", linear_nodes, 0),
            many("lock", "nic", 2000),
            many("lock", "host", 2000),
            many("atomics", "nic", 20'000),
            many("atomics", "host", 20'000)};
}

// `which` are the indices of this prediction's points.
Prediction prediction_of(uint64_t nodes, const std::vector<Point>& points, std::span<const size_t> which) {
    const auto number = [&](size_t workload, const char* result) {
        const Point& point = points[which[workload]];
        if (!point.results) {
            fail(SYNCLINE_ERR_INVALID, "{}", point.refused);
        }
        return point.results->number(result);
    };
    Prediction p;
    p.nodes = nodes;
    p.nic_exchange_us = number(0, "latency_us");
    p.nic_tree_us = number(1, "latency_us");
    p.host_exchange_us = number(2, "latency_us");
    p.fence_counts_us = number(3, "latency_us");
    p.linear_simulated = nodes <= linear_most;
    const double asking = number(4, "latency_us") - number(5, "latency_us");
    const auto others = static_cast<double>(std::min(nodes, linear_most) - 1);
    p.fence_linear_us = asking * static_cast<double>(nodes - 1) / others + p.host_exchange_us;
    p.nic_lock_us = number(6, "section_us");
    p.host_lock_us = number(7, "section_us");
    p.nic_atomics_mops = number(8, "rate_mops");
    p.host_atomics_mops = number(9, "rate_mops");
    return p;
}

}  // namespace

std::vector<Prediction> predict(const Values& costs, const Separation& separation, const std::vector<uint64_t>& nodes,
                                unsigned threads, const std::function<void()>& done) {
    Values apart = costs;
    apart["machine.cpus"] = int64_t{0};
    apart["network.wire_ns"] = separation.wire_ns;
    apart["network.bandwidth_gbps"] = separation.gigabytes_per_s;
    apart["network.packet_bytes"] = int64_t{64};
    std::vector<Point> points;
    std::vector<size_t> which;  // a point may serve several predictions
    std::map<Values, size_t> known;
    for (const uint64_t count : nodes) {
        for (const Values& workload : workloads(count)) {
            const auto [entry, is_new] = known.try_emplace(workload, points.size());
            which.push_back(entry->second);
            if (!is_new) {
                done();
                continue;
            }
            Point& point = points.emplace_back();
            point.values = workload;
            point.values.insert(apart.begin(), apart.end());
        }
    }
    run_points("cluster", &points, threads, [&done](const Point&) { done(); });
    std::vector<Prediction> predictions;
    for (size_t i = 0; i < nodes.size(); i++) {
        predictions.push_back(
            prediction_of(nodes[i], points, std::span(which).subspan(simulations_each * i, simulations_each)));
    }
    return predictions;
}

}  // namespace syncline::sim
