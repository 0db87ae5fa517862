// SPDX-License-Identifier: BSD-3-Clause
// Method: the cluster model against times worked out by hand from round costs; its barriers against those of the
// Myrinet model, which are the firmware's own; and clusters of random costs drawn from a seed: mutual exclusion, nobody
// early, nothing lost. SYNCLINE_SEED=<seed> replays one.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cstdlib>

#include "base/failure.h"
#include "base/prng.h"
#include "sim/experiments/experiment.h"
#include "sim/experiments/models.h"
#include "sim/models/cluster/model.h"
#include "sim/models/myrinet/model.h"

namespace syncline::sim {
namespace {

using Text = std::string;

// Microseconds that can be told apart in a sum.
ClusterParameters round_costs() {
    ClusterParameters p;
    p.send_ns = 1000;
    p.receive_ns = 2000;
    p.local_ns = 5000;
    p.server_ns = 10'000;
    p.wake_ns = 20'000;
    p.token_ns = 50'000;
    p.finish_ns = 100'000;
    p.fetch_ns = 200'000;
    p.nic_send_ns = 500'000;
    p.deliver_ns = 1'000'000;
    p.make_ns = 2'000'000;
    p.execute_ns = 5'000'000;
    p.bus_ns = 10'000'000;
    p.wire_ns = 20'000'000;
    p.gigabytes_per_s = 0.001;
    p.packet_bytes = 50;  // 50 us
    return p;
}
constexpr double wire = 20'050;
constexpr double out = 1 + 200 + 10'000 + 500 + wire;  // of a message of a process
constexpr double in = 1000 + 10'000;                   // to a host
constexpr double by_nic = 5000 + 2000 + wire;          // executed and answered
constexpr double by_server = in + 10 + 1 + 200 + 10'000 + 500 + wire;

TEST(Cluster, BarriersTakeTheSumOfTheirSteps) {
    ClusterParameters p = round_costs();
    p.nodes = 8;
    p.repeats = 3;
    const double nic = 1 + 50 + 10'000 + 3 * (2000 + wire + 5000) + 100 + 10'000 + 2;
    EXPECT_DOUBLE_EQ(run_cluster(p).number("latency_us"), nic);
    p.executor = Executor::kHost;
    EXPECT_DOUBLE_EQ(run_cluster(p).number("latency_us"), 3 * (out + in + 2));
}

TEST(Cluster, AtomicsTakeTheSumOfTheirSteps) {
    ClusterParameters p = round_costs();
    p.workload = ClusterWorkload::kAtomics;
    p.nodes = 2;
    EXPECT_DOUBLE_EQ(run_cluster(p).number("latency_us"), out + by_nic + in + 2);
    p.atomic_transfers = 2;
    EXPECT_DOUBLE_EQ(run_cluster(p).number("latency_us"), out + by_nic + 2 * 10'000 + in + 2);
    p.executor = Executor::kHost;
    EXPECT_DOUBLE_EQ(run_cluster(p).number("latency_us"), out + by_server + in + 2);
    p.server_spin_ns = 0;
    EXPECT_DOUBLE_EQ(run_cluster(p).number("latency_us"), out + by_server + 20 + in + 2);
    // Many initiators are served at the rate of the slower of a NIC's two steps and its link.
    p = round_costs();
    p.workload = ClusterWorkload::kAtomics;
    p.nodes = 101;
    EXPECT_NEAR(run_cluster(p).number("rate_mops"), 1 / 7000.0, 0.01 / 7000);
}

TEST(Cluster, ALockThatNobodyElseWantsTakesTheSumOfItsSteps) {
    ClusterParameters p = round_costs();
    p.workload = ClusterWorkload::kLock;
    p.nodes = 2;
    p.contenders = 1;
    p.home_contends = false;
    const double nic = out + by_nic + in + 2;
    EXPECT_DOUBLE_EQ(run_cluster(p).number("acquire_us"), nic);
    EXPECT_DOUBLE_EQ(run_cluster(p).number("release_us"), nic);
    p.executor = Executor::kHost;
    EXPECT_DOUBLE_EQ(run_cluster(p).number("both_us"), 2 * (out + by_server + in + 2));
    p.lock = LockAlgorithm::kHybrid;
    EXPECT_DOUBLE_EQ(run_cluster(p).number("release_us"), 1);
    p.home_contends = true;
    p.lock = LockAlgorithm::kMcs;
    EXPECT_DOUBLE_EQ(run_cluster(p).number("both_us"), 2 * 5);
}

TEST(Cluster, FencesTakeTheSumOfTheirSteps) {
    ClusterParameters p = round_costs();
    p.workload = ClusterWorkload::kFence;
    p.executor = Executor::kHost;
    p.nodes = 4;
    p.repeats = 1;
    const double message = out + in + 2, barrier = 2 * message;
    p.fence = FenceAlgorithm::kAcknowledged;
    EXPECT_DOUBLE_EQ(run_cluster(p).number("latency_us"), barrier);
    p.fence = FenceAlgorithm::kLinear;
    EXPECT_DOUBLE_EQ(run_cluster(p).number("latency_us"), 3 * (out + by_server + in + 2) + barrier);
    p.fence = FenceAlgorithm::kCounts;
    EXPECT_DOUBLE_EQ(run_cluster(p).number("latency_us"), 2 * (message + 4 * 8) + barrier);
    p.halve_counts = true;
    EXPECT_DOUBLE_EQ(run_cluster(p).number("latency_us"), 2 * message + 2 * 8 + 1 * 8 + barrier);
    p.fence_barrier = Executor::kNic;
    p.fence = FenceAlgorithm::kAcknowledged;
    EXPECT_DOUBLE_EQ(run_cluster(p).number("latency_us"),
                     1 + 50 + 10'000 + 2 * (2000 + wire + 5000) + 100 + 10'000 + 2);
}

TEST(Cluster, NodesThatShareACpuTakeTurns) {
    ClusterParameters p;
    p.nodes = 2;
    p.repeats = 1;
    p.cpus = 1;
    p.wire_ns = 0;
    p.packet_bytes = 0;
    p.switch_ns = 300;
    // A token, a message and a completion of each: 1, 0.5 + 0.5 and 1.3 us.
    EXPECT_DOUBLE_EQ(run_cluster(p).number("latency_us"), 2 * (1 + 0.5 + 0.5 + 1.3));
    // Whoever gets a lock waits until three others have polled in vain.
    p.workload = ClusterWorkload::kLock;
    p.home_contends = false;
    p.nodes = 6;
    p.contenders = 5;
    p.repeats = 100;
    const double before = run_cluster(p).number("section_us");
    p.switch_ns = 1300;
    EXPECT_NEAR(run_cluster(p).number("section_us") - before, 4 * 1.0, 1.0);
}

// The Myrinet model with the same costs. Its wire carries one packet after the other.
double myrinet(const ClusterParameters& p) {
    const auto cycles = [](double ns) { return static_cast<int64_t>(ns / 1000); };
    const Values values = {{"workload.kind", Text("barrier")},
                           {"workload.executor", Text(executor_names[static_cast<int>(p.executor)])},
                           {"workload.nodes", static_cast<int64_t>(p.nodes)},
                           {"workload.dimension", static_cast<int64_t>(p.dimension)},
                           {"workload.repeats", static_cast<int64_t>(p.repeats)},
                           {"lanai.clock_mhz", 1.0},
                           {"lanai.token_cycles", cycles(p.token_ns)},
                           {"lanai.finish_cycles", cycles(p.finish_ns)},
                           {"lanai.sdma_cycles", cycles(p.fetch_ns)},
                           {"lanai.send_cycles", cycles(p.nic_send_ns)},
                           {"lanai.receive_cycles", cycles(p.deliver_ns)},
                           {"lanai.rdma_cycles", int64_t{0}},
                           {"lanai.nic_send_cycles", cycles(p.make_ns)},
                           {"lanai.nic_receive_cycles", cycles(p.execute_ns)},
                           {"host.send_ns", p.send_ns},
                           {"host.receive_ns", p.receive_ns},
                           {"host.dma_ns", p.bus_ns},
                           {"network.wire_ns", static_cast<double>(p.packet_bytes) / p.gigabytes_per_s}};
    return make_model("myrinet", values)->run().number("latency_us");
}

TEST(Cluster, BarriersAreAsLongAsThoseOfTheFirmware) {
    for (uint64_t nodes = 2; nodes <= 17; nodes++) {
        for (uint64_t dimension = 0; dimension < nodes; dimension++) {
            for (const Executor executor : {Executor::kNic, Executor::kHost}) {
                ClusterParameters p = round_costs();
                p.nodes = nodes;
                p.dimension = dimension;
                p.executor = executor;
                p.repeats = 4;
                p.wire_ns = 0;
                p.execute_ns = 3'000'000;
                EXPECT_DOUBLE_EQ(run_cluster(p).number("latency_us"), myrinet(p))
                    << nodes << " nodes, dimension " << dimension << ", " << executor_names[static_cast<int>(executor)];
            }
        }
    }
}

uint64_t seed_of(const char* name, uint64_t otherwise) {
    const char* const text = std::getenv(name);
    return text != nullptr ? std::strtoull(text, nullptr, 10) : otherwise;
}

ClusterParameters draw(uint64_t seed) {
    Prng prng(seed);
    ClusterParameters p;
    p.workload = static_cast<ClusterWorkload>(prng.below(4));
    p.fence = static_cast<FenceAlgorithm>(prng.below(3));
    p.lock = static_cast<LockAlgorithm>(prng.below(2));
    p.fence_barrier = static_cast<Executor>(prng.below(2));
    p.halve_counts = prng.below(2) != 0;
    p.executor = p.lock == LockAlgorithm::kHybrid ? Executor::kHost : static_cast<Executor>(prng.below(2));
    p.nodes = 2 + prng.below(30);
    p.dimension = prng.below(2) * prng.below(p.nodes);
    p.repeats = 1 + prng.below(20);
    p.outstanding = 1 + prng.below(4);
    p.home_contends = prng.below(2) != 0;
    for (double* const cost :
         {&p.send_ns, &p.receive_ns, &p.local_ns, &p.server_ns, &p.server_spin_ns, &p.wake_ns, &p.token_ns,
          &p.finish_ns, &p.fetch_ns, &p.nic_send_ns, &p.deliver_ns, &p.make_ns, &p.execute_ns, &p.bus_ns, &p.wire_ns}) {
        *cost = static_cast<double>(prng.below(4) * prng.below(3000));
    }
    p.server_apart = prng.below(2) != 0;
    p.atomic_transfers = prng.below(3);
    p.cpus = prng.below(4);
    p.switch_ns = static_cast<double>(prng.below(2000));
    return p;
}

TEST(Cluster, KeepsItsPromisesAtAnyCosts) {
    const uint64_t first = seed_of("SYNCLINE_SEED", 1);
    const uint64_t last = std::getenv("SYNCLINE_SEED") != nullptr ? first : seed_of("SYNCLINE_SEEDS", 2000);
    for (uint64_t seed = first; seed <= last; seed++) {
        SCOPED_TRACE(fmt::format("SYNCLINE_SEED={}", seed));
        ClusterParameters p = draw(seed);
        Results results;
        ASSERT_NO_THROW(results = run_cluster(p));
        EXPECT_TRUE(results.flag("right"));
        EXPECT_EQ(results.values(), run_cluster(p).values());
    }
}

TEST(Cluster, SlowerPartsMakeNoBarrierFaster) {
    const std::pair<const char*, double ClusterParameters::*> costs[] = {
        {"send", &ClusterParameters::send_ns},   {"receive", &ClusterParameters::receive_ns},
        {"token", &ClusterParameters::token_ns}, {"finish", &ClusterParameters::finish_ns},
        {"make", &ClusterParameters::make_ns},   {"execute", &ClusterParameters::execute_ns},
        {"bus", &ClusterParameters::bus_ns},     {"wire", &ClusterParameters::wire_ns}};
    for (uint64_t seed = 1; seed <= 100; seed++) {
        ClusterParameters p = draw(seed);
        p.workload = ClusterWorkload::kBarrier;
        p.executor = Executor::kNic;
        p.repeats = 1;  // with more, an early node of the next may be in the way
        p.cpus = 0;
        const double before = run_cluster(p).number("latency_us");
        for (const auto& [name, cost] : costs) {
            ClusterParameters slower = p;
            slower.*cost += 1000;
            EXPECT_GE(run_cluster(slower).number("latency_us"), before) << name << ", seed " << seed;
        }
    }
}

TEST(Cluster, HasRoomForManyNodes) {
    ClusterParameters p;
    p.nodes = 65536;
    p.repeats = 1;
    const Results results = run_cluster(p);
    EXPECT_TRUE(results.flag("right"));
    EXPECT_EQ(results.number("messages_each"), 65536 * 16);
    // Every step is everybody's at the same time.
    EXPECT_NEAR(results.number("latency_us"), 2 + 16 * (0.5 + 0.064 + 1 + 0.5), 1e-6);
}

TEST(Cluster, ImpossibleOnesAreRefused) {
    ClusterParameters p;
    p.nodes = 4;
    p.dimension = 4;
    EXPECT_THROW(run_cluster(p), Failure);
    p.dimension = 0;
    p.contenders = 5;
    EXPECT_THROW(run_cluster(p), Failure);
    p.contenders = 0;
    p.workload = ClusterWorkload::kLock;
    p.lock = LockAlgorithm::kHybrid;
    EXPECT_THROW(run_cluster(p), Failure);
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
}  // namespace syncline::sim
