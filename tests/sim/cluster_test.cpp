// SPDX-License-Identifier: BSD-3-Clause
// Method: the cluster model against times worked out by hand from round costs; its barriers against those of the
// Myrinet model, which are the firmware's own; and clusters of random costs drawn from a seed: mutual exclusion, no
// node early, nothing lost. Which seeds are run, and how to replay one: tests/seeds.h.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include "base/failure.h"
#include "base/prng.h"
#include "sim/experiments/experiment.h"
#include "sim/experiments/models.h"
#include "sim/models/cluster/model.h"
#include "tests/seeds.h"

namespace syncline::sim::cluster {
namespace {

using Text = std::string;

// Microseconds that can be told apart in a sum.
Parameters round_costs() {
    Parameters p;
    p.host.send_ns = 1000;
    p.host.receive_ns = 2000;
    p.host.local_ns = 5000;
    p.server.execute_ns = 10'000;
    p.server.wake_ns = 20'000;
    p.nic.token_ns = 50'000;
    p.nic.finish_ns = 100'000;
    p.nic.fetch_ns = 200'000;
    p.nic.send_ns = 500'000;
    p.nic.deliver_ns = 1'000'000;
    p.nic.make_ns = 2'000'000;
    p.nic.execute_ns = 5'000'000;
    p.bus.latency_ns = 10'000'000;
    p.network.wire_ns = 20'000'000;
    p.network.bandwidth_gbps = 0.001;
    p.network.packet_bytes = 50;  // 50 us
    return p;
}
constexpr double wire = 20'050;
constexpr double out = 1 + 200 + 10'000 + 500 + wire;  // of a message of a process
constexpr double in = 1000 + 10'000;                   // to a host
constexpr double by_nic = 5000 + 2000 + wire;          // executed and answered
constexpr double by_server = in + 10 + 1 + 200 + 10'000 + 500 + wire;

TEST(Cluster, BarriersTakeTheSumOfTheirSteps) {
    Parameters p = round_costs();
    p.workload.nodes = 8;
    p.workload.repeats = 3;
    const double nic = 1 + 50 + 10'000 + 3 * (2000 + wire + 5000) + 100 + 10'000 + 2;
    EXPECT_DOUBLE_EQ(cluster::run(p).number("latency_us"), nic);
    p.workload.executed_by = ExecutedBy::kHost;
    EXPECT_DOUBLE_EQ(cluster::run(p).number("latency_us"), 3 * (out + in + 2));
}

TEST(Cluster, AtomicsTakeTheSumOfTheirSteps) {
    Parameters p = round_costs();
    p.workload.kind = WorkloadKind::kAtomics;
    p.workload.nodes = 2;
    EXPECT_DOUBLE_EQ(cluster::run(p).number("latency_us"), out + by_nic + in + 2);
    p.bus.atomic_transfers = 2;
    EXPECT_DOUBLE_EQ(cluster::run(p).number("latency_us"), out + by_nic + 2 * 10'000 + in + 2);
    p.workload.executed_by = ExecutedBy::kHost;
    EXPECT_DOUBLE_EQ(cluster::run(p).number("latency_us"), out + by_server + in + 2);
    p.server.spin_ns = 0;
    EXPECT_DOUBLE_EQ(cluster::run(p).number("latency_us"), out + by_server + 20 + in + 2);
    // Many initiators are served at the rate of the slower of a NIC's two steps and its link.
    p = round_costs();
    p.workload.kind = WorkloadKind::kAtomics;
    p.workload.nodes = 101;
    EXPECT_NEAR(cluster::run(p).number("rate_mops"), 1 / 7000.0, 0.01 / 7000);
}

TEST(Cluster, ALockWithoutContentionTakesTheSumOfItsSteps) {
    Parameters p = round_costs();
    p.workload.kind = WorkloadKind::kLock;
    p.workload.nodes = 2;
    p.workload.contenders = 1;
    p.workload.home_contends = false;
    const double nic = out + by_nic + in + 2;
    EXPECT_DOUBLE_EQ(cluster::run(p).number("acquire_us"), nic);
    EXPECT_DOUBLE_EQ(cluster::run(p).number("release_us"), nic);
    p.workload.executed_by = ExecutedBy::kHost;
    EXPECT_DOUBLE_EQ(cluster::run(p).number("both_us"), 2 * (out + by_server + in + 2));
    p.workload.lock = LockAlgorithm::kHybrid;
    EXPECT_DOUBLE_EQ(cluster::run(p).number("release_us"), 1);
    p.workload.home_contends = true;
    p.workload.lock = LockAlgorithm::kMcs;
    EXPECT_DOUBLE_EQ(cluster::run(p).number("both_us"), 2 * 5);
}

TEST(Cluster, FencesTakeTheSumOfTheirSteps) {
    Parameters p = round_costs();
    p.workload.kind = WorkloadKind::kFence;
    p.workload.executed_by = ExecutedBy::kHost;
    p.workload.nodes = 4;
    p.workload.repeats = 1;
    const double message = out + in + 2, barrier = 2 * message;
    p.workload.fence = FenceAlgorithm::kAcknowledged;
    EXPECT_DOUBLE_EQ(cluster::run(p).number("latency_us"), barrier);
    p.workload.fence = FenceAlgorithm::kLinear;
    EXPECT_DOUBLE_EQ(cluster::run(p).number("latency_us"), 3 * (out + by_server + in + 2) + barrier);
    p.workload.fence = FenceAlgorithm::kCounts;
    EXPECT_DOUBLE_EQ(cluster::run(p).number("latency_us"), 2 * (message + 4 * 8) + barrier);
    p.workload.halve_counts = true;
    EXPECT_DOUBLE_EQ(cluster::run(p).number("latency_us"), 2 * message + 2 * 8 + 1 * 8 + barrier);
    p.workload.fence_barrier = ExecutedBy::kNic;
    p.workload.fence = FenceAlgorithm::kAcknowledged;
    EXPECT_DOUBLE_EQ(cluster::run(p).number("latency_us"),
                     1 + 50 + 10'000 + 2 * (2000 + wire + 5000) + 100 + 10'000 + 2);
}

TEST(Cluster, NodesThatShareACpuTakeTurns) {
    Parameters p;
    p.workload.nodes = 2;
    p.workload.repeats = 1;
    p.machine.cpus = 1;
    p.network.wire_ns = 0;
    p.network.packet_bytes = 0;
    p.machine.switch_ns = 300;
    // A token, a message and a completion of each: 1, 0.5 + 0.5 and 1.3 us.
    EXPECT_DOUBLE_EQ(cluster::run(p).number("latency_us"), 2 * (1 + 0.5 + 0.5 + 1.3));
    // A process that gets a lock waits until three others have polled in vain.
    p.workload.kind = WorkloadKind::kLock;
    p.workload.home_contends = false;
    p.workload.nodes = 6;
    p.workload.contenders = 5;
    p.workload.repeats = 100;
    const double before = cluster::run(p).number("section_us");
    p.machine.switch_ns = 1300;
    EXPECT_NEAR(cluster::run(p).number("section_us") - before, 4 * 1.0, 1.0);
}

// The Myrinet model with the same costs. Its wire carries one packet after the other.
double myrinet_latency_us(const Parameters& p) {
    const auto cycles = [](double ns) { return static_cast<int64_t>(ns / 1000); };
    const Values values = {{"workload.kind", Text("barrier")},
                           {"workload.executor", Text(executed_by_names[static_cast<int>(p.workload.executed_by)])},
                           {"workload.nodes", static_cast<int64_t>(p.workload.nodes)},
                           {"workload.dimension", static_cast<int64_t>(p.workload.dimension)},
                           {"workload.repeats", static_cast<int64_t>(p.workload.repeats)},
                           {"lanai.clock_mhz", 1.0},
                           {"lanai.token_cycles", cycles(p.nic.token_ns)},
                           {"lanai.finish_cycles", cycles(p.nic.finish_ns)},
                           {"lanai.sdma_cycles", cycles(p.nic.fetch_ns)},
                           {"lanai.send_cycles", cycles(p.nic.send_ns)},
                           {"lanai.receive_cycles", cycles(p.nic.deliver_ns)},
                           {"lanai.rdma_cycles", int64_t{0}},
                           {"lanai.nic_send_cycles", cycles(p.nic.make_ns)},
                           {"lanai.nic_receive_cycles", cycles(p.nic.execute_ns)},
                           {"host.send_ns", p.host.send_ns},
                           {"host.receive_ns", p.host.receive_ns},
                           {"host.dma_ns", p.bus.latency_ns},
                           {"network.wire_ns", static_cast<double>(p.network.packet_bytes) / p.network.bandwidth_gbps}};
    return make_model("myrinet", values)->run().number("latency_us");
}

TEST(Cluster, BarriersAreAsLongAsThoseOfTheFirmware) {
    for (uint64_t nodes = 2; nodes <= 17; nodes++) {
        for (uint64_t dimension = 0; dimension < nodes; dimension++) {
            for (const ExecutedBy executor : {ExecutedBy::kNic, ExecutedBy::kHost}) {
                Parameters p = round_costs();
                p.workload.nodes = nodes;
                p.workload.dimension = dimension;
                p.workload.executed_by = executor;
                p.workload.repeats = 4;
                p.network.wire_ns = 0;
                p.nic.execute_ns = 3'000'000;
                EXPECT_DOUBLE_EQ(cluster::run(p).number("latency_us"), myrinet_latency_us(p))
                    << nodes << " nodes, dimension " << dimension << ", "
                    << executed_by_names[static_cast<int>(executor)];
            }
        }
    }
}

Parameters draw(uint64_t seed) {
    Prng prng(seed);
    Parameters p;
    p.workload.kind = static_cast<WorkloadKind>(prng.below(4));
    p.workload.fence = static_cast<FenceAlgorithm>(prng.below(3));
    p.workload.lock = static_cast<LockAlgorithm>(prng.below(2));
    p.workload.fence_barrier = static_cast<ExecutedBy>(prng.below(2));
    p.workload.halve_counts = prng.below(2) != 0;
    p.workload.executed_by =
        p.workload.lock == LockAlgorithm::kHybrid ? ExecutedBy::kHost : static_cast<ExecutedBy>(prng.below(2));
    p.workload.nodes = 2 + prng.below(30);
    p.workload.dimension = prng.below(2) * prng.below(p.workload.nodes);
    p.workload.repeats = 1 + prng.below(20);
    p.workload.outstanding = 1 + prng.below(4);
    p.workload.home_contends = prng.below(2) != 0;
    for (double* const cost :
         {&p.host.send_ns, &p.host.receive_ns, &p.host.local_ns, &p.server.execute_ns, &p.server.spin_ns,
          &p.server.wake_ns, &p.nic.token_ns, &p.nic.finish_ns, &p.nic.fetch_ns, &p.nic.send_ns, &p.nic.deliver_ns,
          &p.nic.make_ns, &p.nic.execute_ns, &p.bus.latency_ns, &p.network.wire_ns}) {
        *cost = static_cast<double>(prng.below(4) * prng.below(3000));
    }
    p.server.apart = prng.below(2) != 0;
    p.bus.atomic_transfers = prng.below(3);
    p.machine.cpus = prng.below(4);
    p.machine.switch_ns = static_cast<double>(prng.below(2000));
    return p;
}

TEST(Cluster, KeepsItsPromisesAtAnyCosts) {
    for_each_seed(2000, 500, [](uint64_t seed) {
        Parameters p = draw(seed);
        Results results;
        ASSERT_NO_THROW(results = cluster::run(p));
        EXPECT_TRUE(results.flag("right"));
        EXPECT_EQ(results.values(), cluster::run(p).values());
    });
}

TEST(Cluster, SlowerPartsMakeNoBarrierFaster) {
    using Cost = double& (*)(Parameters&);
    const std::pair<const char*, Cost> costs[] = {
        {"send", [](Parameters& p) -> double& { return p.host.send_ns; }},
        {"receive", [](Parameters& p) -> double& { return p.host.receive_ns; }},
        {"token", [](Parameters& p) -> double& { return p.nic.token_ns; }},
        {"finish", [](Parameters& p) -> double& { return p.nic.finish_ns; }},
        {"make", [](Parameters& p) -> double& { return p.nic.make_ns; }},
        {"execute", [](Parameters& p) -> double& { return p.nic.execute_ns; }},
        {"bus", [](Parameters& p) -> double& { return p.bus.latency_ns; }},
        {"wire", [](Parameters& p) -> double& { return p.network.wire_ns; }}};
    for (uint64_t seed = 1; seed <= 100; seed++) {
        Parameters p = draw(seed);
        p.workload.kind = WorkloadKind::kBarrier;
        p.workload.executed_by = ExecutedBy::kNic;
        p.workload.repeats = 1;  // with more, an early node of the next may be in the way
        p.machine.cpus = 0;
        const double before = cluster::run(p).number("latency_us");
        for (const auto& [name, cost] : costs) {
            Parameters slower = p;
            cost(slower) += 1000;
            EXPECT_GE(cluster::run(slower).number("latency_us"), before) << name << ", seed " << seed;
        }
    }
}

TEST(Cluster, HasRoomForManyNodes) {
    Parameters p;
    p.workload.nodes = 65536;
    p.workload.repeats = 1;
    const Results results = cluster::run(p);
    EXPECT_TRUE(results.flag("right"));
    EXPECT_EQ(results.number("messages_each"), 65536 * 16);
    // All nodes take each step at the same time.
    EXPECT_NEAR(results.number("latency_us"), 2 + 16 * (0.5 + 0.064 + 1 + 0.5), 1e-6);
}

TEST(Cluster, ImpossibleOnesAreRefused) {
    Parameters p;
    p.workload.nodes = 4;
    p.workload.dimension = 4;
    EXPECT_THROW(cluster::run(p), Failure);
    p.workload.dimension = 0;
    p.workload.contenders = 5;
    EXPECT_THROW(cluster::run(p), Failure);
    p.workload.contenders = 0;
    p.workload.kind = WorkloadKind::kLock;
    p.workload.lock = LockAlgorithm::kHybrid;
    EXPECT_THROW(cluster::run(p), Failure);
}

double fetch(const char* protocol, int64_t nodes, Values changes) {
    const Experiment experiment = load_preset("002-pages");
    changes["workload.protocol"] = Text(protocol);
    changes["workload.nodes"] = nodes;
    changes.insert(experiment.values.begin(), experiment.values.end());
    const Results results = make_model(experiment.model, changes)->run();
    EXPECT_EQ(results.number("fetched"), static_cast<double>((nodes - 1) * 1024));
    return results.number("fetch_us");
}

TEST(Pages, TakeTheSumOfTheirStepsAndWaitForEachOther) {
    EXPECT_NEAR(fetch("async", 2, {}), 8.69 + 9.5 + 6.7 + 8.44, 1e-9);
    EXPECT_NEAR(fetch("ardmar", 2, {}), 23 + 36.39, 1e-9);
    // A handler that is always busy: each of 15 readers gets every 15th of its turns, less what it does meanwhile.
    EXPECT_NEAR(fetch("async", 16, {}), 15 * (9.5 + 6.7 + 8.44) - 6.6, 0.5);
    // A link that is: the same, of 4096 bytes at 0.1 GB/s.
    EXPECT_NEAR(fetch("ardmar", 16, {{"adapter.bandwidth_gbps", 0.1}}), 15 * 40.96 - 6.6, 0.5);
    // Atomic operations one at a time.
    EXPECT_NEAR(fetch("ardmar", 16, {{"adapter.atomic_busy_ns", 20'000.0}}), 15 * 20 - 6.6, 0.5);
}

}  // namespace
}  // namespace syncline::sim::cluster
