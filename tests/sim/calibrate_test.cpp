// SPDX-License-Identifier: BSD-3-Clause
// Method: a cluster of known costs is measured in simulation, small; its costs are then fitted to that alone, and what
// they say of larger clusters is compared with these.
#include <gtest/gtest.h>

#include <cmath>

#include "base/failure.h"
#include "sim/experiments/calibrate.h"
#include "sim/experiments/models.h"

namespace syncline::sim {
namespace {

using Text = std::string;

Values truth() {
    return {{"host.send_ns", 1700.0},      {"host.receive_ns", 900.0},    {"nic.deliver_ns", 600.0},
            {"nic.execute_ns", 2300.0},    {"server.execute_ns", 4100.0}, {"server.wake_ns", 31'000.0},
            {"machine.switch_ns", 1300.0}, {"machine.cpus", int64_t{2}},  {"nic.make_ns", 0.0},
            {"nic.send_ns", 0.0},          {"network.wire_ns", 0.0},      {"network.packet_bytes", int64_t{0}}};
}

Values workload(const char* kind, const char* executor, int64_t nodes) {
    return {{"workload.kind", Text(kind)},
            {"workload.executor", Text(executor)},
            {"workload.nodes", nodes},
            {"workload.repeats", int64_t{20}}};
}

std::vector<Observation> measure() {
    std::vector<Observation> observations;
    const auto add = [&observations](Values values, const char* result, const char* what) {
        Values all = values;
        const Values costs = truth();
        all.insert(costs.begin(), costs.end());
        const double time = make_model("cluster", all)->run().number(result);
        const auto nodes = static_cast<uint64_t>(std::get<int64_t>(values.at("workload.nodes")));
        observations.push_back({what, nodes, time, result, {std::move(values)}});
    };
    for (const int64_t nodes : {2, 4, 8, 16}) {
        for (const char* const executor : {"nic", "host"}) {
            add(workload("barrier", executor, nodes), "latency_us", "barrier");
            Values lock = workload("lock", executor, nodes);
            lock["server.spin_ns"] = nodes == 4 ? 0.0 : 1e12;
            add(lock, "both_us", "lock");
        }
    }
    for (const double spin_ns : {0.0, 1e12}) {
        Values atomics = workload("atomics", "host", 2);
        atomics["server.spin_ns"] = spin_ns;
        add(atomics, "latency_us", "atomics");
    }
    add(workload("atomics", "nic", 2), "latency_us", "atomics");
    return observations;
}

TEST(Calibrate, SmallRunsOfAKnownClusterSayWhatLargeOnesTake) {
    const Calibration calibration = calibrate(measure(), 2, 4);
    for (const Observation& observation : calibration.observations) {
        EXPECT_EQ(observation.fitted, observation.nodes <= 4);
        EXPECT_LT(std::abs(observation.error()), 0.15) << observation.what << ", " << observation.nodes << " nodes";
    }
    EXPECT_LT(calibration.median_error(true), 0.03);
    EXPECT_LT(calibration.median_error(false), 0.05);
}

TEST(Calibrate, NothingToFitToIsRefused) {
    EXPECT_THROW(calibrate(measure(), 2, 1), Failure);
    EXPECT_THROW(calibrate({}, 2, 4), Failure);
}

TEST(Predict, ThreadsDoNotChangeThePredictions) {
    const auto predicted = [](unsigned threads) {
        size_t steps = 0;
        const auto predictions = predict(truth(), {}, {2, 16, 256}, threads, [&steps] { steps++; });
        EXPECT_EQ(steps, 3 * simulations_each);
        return predictions;
    };
    const std::vector<Prediction> one = predicted(1), three = predicted(3);
    for (size_t i = 0; i < one.size(); i++) {
        EXPECT_EQ(one[i].nodes, three[i].nodes);
        EXPECT_EQ(one[i].nic_exchange_us, three[i].nic_exchange_us);
        EXPECT_EQ(one[i].fence_counts_us, three[i].fence_counts_us);
        EXPECT_EQ(one[i].host_lock_us, three[i].host_lock_us);
        EXPECT_EQ(one[i].nic_atomics_mops, three[i].nic_atomics_mops);
    }
}

TEST(Predict, ALinearFenceIsContinuedByItsEquation) {
    // Costs such that nobody waits for anybody: every further node is a request and its answer.
    const auto p = predict(truth(), {}, {512, linear_most, 4 * linear_most}, 1, [] {});
    EXPECT_TRUE(p[1].linear_simulated);
    EXPECT_FALSE(p[2].linear_simulated);
    const auto each = [](const Prediction& of) {
        return (of.fence_linear_us - of.host_exchange_us) / static_cast<double>(of.nodes - 1);
    };
    EXPECT_NEAR(each(p[0]), each(p[1]), 0.01 * each(p[1]));
    EXPECT_NEAR(each(p[2]), each(p[1]), 1e-6 * each(p[1]));
}

}  // namespace
}  // namespace syncline::sim
