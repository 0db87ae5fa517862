// SPDX-License-Identifier: BSD-3-Clause
// Method: small whole machines, of random parameters drawn from a seed: nothing is lost or done twice, memory holds
// what a sequential run gives, more of a resource is not slower, and the same input gives the same output on any number
// of threads. The 64-PE machines of Underwood 2008 are checked against its equations.
//
// Which seeds are run, and how to replay one: tests/seeds.h.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include "base/failure.h"
#include "base/prng.h"
#include "sim/experiments/models.h"
#include "sim/experiments/sweep.h"
#include "sim/models/atomic_unit/machine.h"
#include "sim/presets/presets.h"
#include "tests/seeds.h"

namespace syncline::sim::atomic_unit {
namespace {

template <typename T>
T pick(Prng* prng, std::initializer_list<T> choices) {
    return choices.begin()[prng->below(choices.size())];
}

Parameters draw(uint64_t seed) {
    Prng prng(seed);
    Parameters machine;
    machine.workload.kind =
        pick(&prng, {WorkloadKind::kFocused, WorkloadKind::kRandomAccess, WorkloadKind::kRandomAccessMessages});
    machine.processor.per_node = pick<uint64_t>(&prng, {1, 2, 4});
    machine.workload.pes = machine.processor.per_node * pick<uint64_t>(&prng, {2, 4, 8});
    machine.workload.operations = 100;
    machine.workload.addresses = pick<uint64_t>(&prng, {1, 2, 16});
    machine.workload.order = pick(&prng, {AddressOrder::kRandom, AddressOrder::kCyclic});
    machine.workload.operation = pick(&prng, {Operation::ADD, Operation::XOR, Operation::ADD_DOUBLE});
    machine.workload.fetch = prng.below(2) != 0;
    machine.workload.outstanding = pick<uint64_t>(&prng, {1, 7, 1024});
    machine.workload.table_words = pick<uint64_t>(&prng, {8, 64, 1024});  // small: words meet
    machine.workload.seed = seed;
    machine.nic.command_queue = pick<uint64_t>(&prng, {1, 8, 128});
    machine.nic.receive_queue = pick<uint64_t>(&prng, {1, 16});
    machine.unit.input = pick<uint64_t>(&prng, {1, 64});
    machine.unit.pending = pick<uint64_t>(&prng, {1, 8, 128});
    machine.unit.window = pick<uint64_t>(&prng, {0, 4, 64});
    machine.unit.registers = pick<uint64_t>(&prng, {0, 1, 8});
    machine.unit.ageing = pick(&prng, {Ageing::kCount, Ageing::kHostQueue, Ageing::kBoth});
    machine.unit.age_limit = pick<uint64_t>(&prng, {0, 1, 16});
    machine.unit.set_aside = pick<uint64_t>(&prng, {0, 3, 127});
    machine.unit.lines = pick<uint64_t>(&prng, {0, 1, 8, 32});
    machine.unit.ways = machine.unit.lines < 8 ? 1 : pick<uint64_t>(&prng, {1, 2, 8});
    machine.unit.blocking = prng.below(2) != 0;
    machine.unit.policy = pick(&prng, {CachePolicy::kWriteThrough, CachePolicy::kWriteBack});
    machine.unit.hazard = pick(&prng, {HazardScheme::kAcknowledge, HazardScheme::kFlush});
    machine.unit.hazard_entries = pick<uint64_t>(&prng, {1, 4, 128});
    machine.host.tags = pick<uint64_t>(&prng, {1, 4, 64});
    machine.host.queue = pick<uint64_t>(&prng, {1, 32});
    machine.host.latency_ns = pick(&prng, {3.0, 50.0, 250.0});
    machine.host.tag_until_acknowledged = prng.below(2) != 0;
    machine.host.write_credits = pick<uint64_t>(&prng, {0, 1, 16});
    machine.host.acknowledgement_bytes = pick(&prng, {0.0, 4.0});
    machine.network.buffer_packets = pick<uint64_t>(&prng, {1, 8});
    return machine;
}

TEST(AtomicUnitMachine, LosesNothingAndComputesWhatASequentialRunDoes) {
    for_each_seed(60, 20, [](uint64_t seed) {
        const Parameters parameters = draw(seed);
        Results results;
        ASSERT_NO_THROW(results = atomic_unit::run(parameters));
        const bool focused = parameters.workload.kind == WorkloadKind::kFocused;
        const double wanted =
            static_cast<double>((parameters.workload.pes - (focused ? 1 : 0)) * parameters.workload.operations);
        EXPECT_TRUE(results.flag("memory_right"));
        EXPECT_EQ(results.number("operations"), wanted);
        if (parameters.workload.kind == WorkloadKind::kRandomAccessMessages) {
            EXPECT_EQ(results.number("applied_by_processors"), wanted);
        } else {
            EXPECT_EQ(results.number("completions"), wanted);
            EXPECT_EQ(results.number("unit_operations"), wanted);
        }
        EXPECT_LE(results.number("tags_most"), static_cast<double>(parameters.host.tags));
    });
}

// Two writes of a word are under way when it is read again: the first one's acknowledgement says nothing of the second.
TEST(AtomicUnitMachine, AnAcknowledgementIsNoFlush) {
    const Parameters parameters = draw(5161057726);
    ASSERT_EQ(parameters.unit.hazard, HazardScheme::kFlush);
    EXPECT_TRUE(atomic_unit::run(parameters).flag("memory_right"));
}

TEST(AtomicUnitMachine, AMissingHazardBufferIsNoticed) {
    Parameters machine;
    machine.workload.pes = 8;
    machine.workload.addresses = 1;
    machine.unit.lines = 0;
    machine.unit.hazard = HazardScheme::kNone;
    EXPECT_FALSE(atomic_unit::run(machine).flag("memory_right"));
}

TEST(AtomicUnitMachine, MoreIsNotSlower) {
    Parameters machine;
    machine.workload.pes = 16;
    machine.workload.operations = 500;
    machine.unit.lines = 0;
    machine.unit.registers = 0;
    // The time may not grow, but for the noise that a change of order makes.
    const auto check = [&machine](auto member, auto values) {
        Parameters copy = machine;
        double before = 0;
        for (const auto value : values) {
            member(&copy) = value;
            const double time = atomic_unit::run(copy).number("time_us");
            if (before != 0) {
                EXPECT_LE(time, 1.03 * before) << "with " << value;
            }
            before = time;
        }
    };
    check([](Parameters* m) -> uint64_t& { return m->host.tags; }, std::vector<uint64_t>{1, 4, 16, 64, 128});
    check([](Parameters* m) -> double& { return m->host.latency_ns; }, std::vector<double>{400, 250, 100, 20});
    check([](Parameters* m) -> double& { return m->host.bandwidth_gbps; }, std::vector<double>{0.2, 0.5, 2.3, 10});
    check([](Parameters* m) -> double& { return m->network.link_gbps; }, std::vector<double>{0.2, 1, 4, 20});
    machine.unit.lines = 64;
    check([](Parameters* m) -> uint64_t& { return m->unit.ways; }, std::vector<uint64_t>{1, 4, 16, 64});
}

TEST(AtomicUnitMachine, ThreadsDoNotChangeTheResults) {
    const Experiment experiment = parse_experiment(R"(
base = "003-focused"
[workload]
pes = 8
operations = 200
[sweep]
"host.tags" = [4, 32]
"cache.ways" = [1, 4, 64]
)",
                                                   "here");
    std::vector<Point> one = points_of(experiment), four = points_of(experiment);
    run_points(experiment.model, &one, 1, [](const Point&) {});
    run_points(experiment.model, &four, 4, [](const Point&) {});
    ASSERT_EQ(one.size(), 6u);
    for (size_t i = 0; i < one.size(); i++) {
        EXPECT_EQ(one[i].refused, four[i].refused);
        ASSERT_EQ(one[i].results.has_value(), four[i].results.has_value());
        if (one[i].results) {
            EXPECT_EQ(one[i].results->values(), four[i].results->values());
        }
    }
    EXPECT_NE(one.back().refused, "");  // 32 lines, 64 ways
}

TEST(AtomicUnitMachine, ReachesTheBoundsOfThePaperAndDoesNotPassThem) {
    Parameters machine;
    machine.workload.addresses = 1;
    // One sixth of the link: 83.3 million operations a second.
    const double shared = atomic_unit::run(machine).number("rate_mops");
    EXPECT_GT(shared, 0.98 * 4000 / 48);
    EXPECT_LT(shared, 1.001 * 4000 / 48);
    machine.workload.kind = WorkloadKind::kRandomAccessMessages;
    machine.workload.operations = 500;
    EXPECT_LT(atomic_unit::run(machine).number("rate_mops_per_node"), 2300.0 / 32);
    machine.workload.kind = WorkloadKind::kRandomAccess;
    EXPECT_LT(atomic_unit::run(machine).number("rate_mops_per_node"), 2300.0 / 44);
}

double updates_of(const std::string& preset, const std::string& kind, double apply_ns) {
    const Experiment experiment = load_preset(preset);
    Values values = experiment.values;
    values["workload.operations"] = int64_t{500};
    values["workload.kind"] = kind;
    values["processor.apply_ns"] = apply_ns;
    const Results results = make_model(experiment.model, values)->run();
    EXPECT_TRUE(results.flag("memory_right"));
    return results.number("rate_mops_per_node");
}

TEST(Presets, OnTheModernMachineTheAdapterIsTheLimit) {
    constexpr double adapter = 1000.0 / 3;
    const double atomics = updates_of("modern-crossover", "random-access", 4);
    const double messages = updates_of("modern-crossover", "random-access-messages", 4);
    EXPECT_GT(atomics, 0.85 * adapter);
    EXPECT_LT(atomics, adapter);
    EXPECT_GT(messages, 0.85 * adapter);
    EXPECT_LT(messages, adapter);
    EXPECT_LT(updates_of("modern-crossover", "random-access-messages", 64), 0.8 * atomics);
    EXPECT_EQ(updates_of("modern-crossover", "random-access", 64), atomics);
}

// Makes a run of any preset short.
void shorten(Values* values) {
    const auto limit = [values](const char* key, int64_t most) {
        const auto found = values->find(key);
        if (found != values->end()) {
            found->second = std::min(std::get<int64_t>(found->second), most);
        }
    };
    limit("workload.operations", 50);
    limit("workload.repeats", 3);
    limit("workload.nodes", 64);
    limit("workload.pages", 20);
}

TEST(Presets, AllRunAndAreRight) {
    EXPECT_GE(presets().size(), 10u);
    for (const Preset& preset : presets()) {
        SCOPED_TRACE(preset.name);
        Experiment experiment;
        ASSERT_NO_THROW(experiment = load_preset(preset.name));
        std::vector<Values> points = experiment.points();
        for (Values* const values : {&points.front(), &points.back()}) {
            shorten(values);
            Results results;
            ASSERT_NO_THROW(results = make_model(experiment.model, *values)->run());
            for (const auto& [name, value] : results.values()) {
                EXPECT_TRUE(value != Value(false)) << name;
            }
        }
    }
}

std::string refusal(const char* text) {
    try {
        const Experiment experiment = parse_experiment(text, "here");
        make_model(experiment.model, experiment.values)->run();
    } catch (const Failure& failure) {
        return failure.what();
    }
    return "";
}

TEST(Experiment, WrongOnesAreRefusedWithTheReason) {
    EXPECT_NE(refusal("base = \"003-focused\"\n[cache]\nlinez = 3").find("no parameter cache.linez"),
              std::string::npos);
    EXPECT_NE(refusal("base = \"003-focused\"\n[cache]\nlines = 32\nways = 64").find("64 ways"), std::string::npos);
    EXPECT_NE(refusal("base = \"003-focused\"\n[cache]\nlines = \"many\"").find("whole number"), std::string::npos);
    EXPECT_NE(refusal("base = \"003-focused\"\n[host]\ntags = 0").find("from 1"), std::string::npos);
    EXPECT_NE(refusal("[cache]\nlines = 3").find("the model is missing"), std::string::npos);
    EXPECT_NE(refusal("model = \"abacus\"").find("give one of"), std::string::npos);
    EXPECT_NE(refusal("base = \"003-focused\"\n[sweep]\n\"host.tags\" = 3").find("not a list"), std::string::npos);
    EXPECT_NE(refusal("base =").find("here:1"), std::string::npos);
}

}  // namespace
}  // namespace syncline::sim::atomic_unit
