// SPDX-License-Identifier: BSD-3-Clause
// Method: traces written by hand or drawn from a seed, of operations that do not commute, on the machine of Underwood
// 2008: memory must be what they give one after the other. Far apart in time they come from all PEs; close together
// from one for each word, for a PE's operations on a word keep their order.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <set>

#include "base/failure.h"
#include "base/prng.h"
#include "sim/experiments/experiment.h"
#include "sim/experiments/models.h"
#include "sim/models/atomic_unit/machine.h"
#include "sim/models/atomic_unit/trace.h"

namespace syncline::sim::atomic_unit {
namespace {

constexpr uint32_t nodes = 4, per_node = 2, words = 8;

class Trace : public testing::Test {
  protected:
    Trace() {
        char pattern[] = "/tmp/syncline-trace-XXXXXX";
        folder_ = ::mkdtemp(pattern);
        machine_.workload.kind = WorkloadKind::kTrace;
        machine_.workload.pes = nodes * per_node;
        machine_.workload.trace = folder_ + "/hand.trace";
        machine_.processor.per_node = per_node;
    }
    ~Trace() override { std::filesystem::remove_all(folder_); }

    void write(const std::string& text) { std::ofstream(machine_.workload.trace) << text; }

    std::string refusal(const std::string& text) {
        write(text);
        try {
            atomic_unit::run(machine_);
        } catch (const Failure& failure) {
            EXPECT_EQ(failure.status(), SYNCLINE_ERR_INVALID);
            return failure.what();
        }
        return "";
    }

    // Runs what was written. The words of all nodes must be those of a sequential run, in the order of the lines.
    Results run_and_compare() {
        const std::vector<TraceLine> lines = read_trace(machine_.workload.trace, nodes * per_node, nodes);
        std::vector<std::vector<uint64_t>> expected(nodes, std::vector<uint64_t>(words_needed(machine_)));
        for (const TraceLine& line : lines) {
            uint64_t& word = expected[line.target][line.request.word];
            word = apply(line.request, word);
        }
        Machine machine(machine_);
        const Results results = machine.run();
        for (uint32_t node = 0; node < nodes; node++) {
            EXPECT_EQ(machine.memory(node)->words(), expected[node]) << "node " << node;
        }
        EXPECT_EQ(results.number("completions"), static_cast<double>(lines.size()));
        EXPECT_EQ(results.number("unit_operations"), static_cast<double>(lines.size()));
        return results;
    }

    std::string folder_;
    Parameters machine_;
};

std::string draw_line(Prng* prng, double ns, uint64_t initiator, uint64_t target, uint64_t word) {
    const uint64_t operation = prng->below(static_cast<uint64_t>(Operation::ADD_DOUBLE));
    const bool compares = static_cast<Operation>(operation) == Operation::CAS;
    const std::string comparand = compares ? fmt::format(" {}", prng->below(3)) : "";
    return fmt::format("{} {} {} {} {} {}{}\n", ns, initiator, target, operation_names[operation], word, prng->below(3),
                       comparand);
}

TEST_F(Trace, GivesTheMemoryOfASequentialRun) {
    write(R"(# ns PE node operation word operand comparand
0     2 0 add 3 5          # 5
5000  4 0 swap 3 9         # 9
10000 6 0 xor 3 12         # 5
15000 3 0 cas 3 7 5

20000 2 1 compare-swap 0 1 5 # misses: the word is 0. An earlier name of cas
)");
    Machine machine(machine_);
    const Results results = machine.run();
    EXPECT_EQ(machine.memory(0)->load(3), 7u);
    EXPECT_EQ(machine.memory(1)->load(0), 0u);
    EXPECT_EQ(results.number("operations"), 5);
    EXPECT_GT(results.number("time_us"), 20);
    run_and_compare();
}

TEST_F(Trace, OperationsFarApartHappenInTheOrderOfTheirTimes) {
    for (uint64_t seed = 1; seed <= 10; seed++) {
        SCOPED_TRACE(seed);
        Prng prng(seed);
        std::string text;
        for (int i = 0; i < 200; i++) {
            text += draw_line(&prng, 5000.0 * i, prng.below(nodes * per_node), prng.below(nodes), prng.below(words));
        }
        write(text);
        // A PE that waits for the time of its next operation takes the results of those before.
        EXPECT_LT(run_and_compare().number("latency_ns"), 3000);
    }
}

TEST_F(Trace, OperationsOfAPeOnAWordKeepTheirOrderHoweverCloseTheyAre) {
    for (uint64_t seed = 1; seed <= 10; seed++) {
        SCOPED_TRACE(seed);
        Prng prng(seed);
        machine_.unit.window = prng.below(2) * 16;
        machine_.unit.set_aside = prng.below(2) * 16;
        machine_.unit.lines = prng.below(2) * 4;  // of up to 64 words
        std::string text;
        for (int i = 0; i < 500; i++) {
            const uint64_t initiator = prng.below(nodes * per_node);
            text += draw_line(&prng, 0, initiator, prng.below(nodes), initiator * words + prng.below(words));
        }
        write(text);
        const Results results = run_and_compare();
        EXPECT_LT(results.number("time_us"), 200);
    }
}

TEST_F(Trace, WrongLinesAreRefusedWithTheirPlace) {
    const std::string good = "0 1 0 add 3 5\n\n";
    const std::string place = machine_.workload.trace + ":3: ";
    for (const char* const line :
         {"0 1 0 add 3", "0 1 0 add 3 5 7", "0 1 0 cas 3 5", "0 1 0 divide 3 5", "zero 1 0 add 3 5", "-1 1 0 add 3 5",
          "0 8 0 add 3 5", "0 1 4 add 3 5", "0 1 0 add 99999999999 5", "0 1 0 cas 3 5 1 1"}) {
        EXPECT_EQ(refusal(good + line + "\n" + good).find(place), 0u) << line << ": " << refusal(good + line);
    }
    EXPECT_EQ(refusal(good), "");
    machine_.workload.trace = folder_;
    EXPECT_NE(refusal("").find("cannot read the trace"), std::string::npos);
    machine_.workload.trace = folder_ + "/none";
    try {
        atomic_unit::run(machine_);
        FAIL() << "a trace that is not there";
    } catch (const Failure& failure) {
        EXPECT_NE(std::string(failure.what()).find("No such file"), std::string::npos) << failure.what();
    }
}

// The operations of a queueing lock: each of 40 entries of 8 contenders swaps the one word of the home, the tail.
TEST_F(Trace, TheOneOfALiveLockIsPartOfTheProgram) {
    const Experiment experiment = load_preset("lock-trace");
    const std::vector<TraceLine> lines = read_trace("lock-mcs-8", 20, 5);
    const Results results = make_model(experiment.model, experiment.values)->run();
    EXPECT_GT(lines.size(), 500u);
    EXPECT_EQ(results.number("completions"), static_cast<double>(lines.size()));
    EXPECT_GE(results.number("time_us") * 1000, lines.back().ns);
    EXPECT_TRUE(std::is_sorted(lines.begin(), lines.end(), [](const auto& a, const auto& b) { return a.ns < b.ns; }));
    std::set<uint32_t> contenders;
    uint64_t entries = 0, tail = 0;
    for (const TraceLine& line : lines) {
        contenders.insert(line.initiator);
        EXPECT_NE(line.initiator / 4, line.target);  // on its own node a PE needs no NIC
        if (line.target == 0) {
            tail += line.request.word == 0 ? 1 : 0;
            entries += line.request.operation == Operation::SWAP ? 1 : 0;
        } else {
            EXPECT_EQ(line.request.operation, Operation::SWAP);
        }
    }
    EXPECT_EQ(contenders.size(), 8u);
    EXPECT_EQ(entries, 8u * 40);
    EXPECT_GT(tail, entries);
}

}  // namespace
}  // namespace syncline::sim::atomic_unit
