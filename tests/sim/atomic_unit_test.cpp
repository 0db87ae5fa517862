// SPDX-License-Identifier: BSD-3-Clause
// Method: one atomic unit on its host bus, without a network, against timelines worked out by hand: a clock of 2 ns, a
// bus of 100 ns and 8 bytes a ns each way, memory of 70 ns and 8 bytes a ns.
#include <gtest/gtest.h>

#include <vector>

#include "sim/models/atomic_unit/atomic_unit.h"

namespace syncline::sim::atomic_unit {
namespace {

constexpr uint64_t unit_words = 64;

HostParameters bus() {
    HostParameters host;
    host.latency_ns = 100;
    host.bandwidth_gbps = 8;
    return host;
}

UnitParameters uncached() {
    UnitParameters unit;
    unit.lines = 0;
    unit.registers = 0;
    return unit;
}

class Bench final : public HostClient, public UnitClient {
  public:
    Bench(const UnitParameters& unit, const HostParameters& host)
        : memory_({.bandwidth_gbps = 8}, unit_words),
          host_(&kernel_, host, &memory_, this),
          unit_(&kernel_, unit, &host_, this) {}

    void add(uint64_t word, uint64_t operand) { unit_.accept({.word = word, .operand = operand}); }

    // Steps until the word holds this value. When that was, in ns.
    double time_of(uint64_t word, uint64_t value) {
        while (memory_.load(word) != value && kernel_.step()) {
        }
        return to_ns(kernel_.now());
    }
    void run() { kernel_.run(); }

    void read_done(uint32_t ticket, uint64_t value) override { unit_.read_done(ticket, value); }
    void write_acknowledged(uint64_t word) override { unit_.write_acknowledged(word); }
    void flushed() override { unit_.flushed(); }
    void host_moved() override { unit_.host_moved(); }
    void command_arrived(uint64_t) override {}
    void message_visible(uint64_t) override {}
    void operation_done(const Request& request, uint64_t old) override {
        done.push_back(to_ns(kernel_.now()));
        olds.push_back(old);
        operands.push_back(request.operand);
    }
    void input_moved() override {}

    std::vector<double> done;
    std::vector<uint64_t> olds, operands;

    const AtomicUnit& unit() const { return unit_; }
    const HostInterface& host() const { return host_; }
    const Memory& memory() const { return memory_; }

  private:
    Kernel kernel_;
    Memory memory_;
    HostInterface host_;
    AtomicUnit unit_;
};

TEST(Unit, OneOperationTakesItsTime) {
    Bench bench(uncached(), bus());
    bench.add(3, 5);
    // Admitted at 2, read requested at 4. Request: 1 + 100; memory: 1 + 70; response: 1.5 + 100: 277.5, so the cycle at
    // 278. Three cycles in the ALU: 284. Write: 2 + 100, visible 70 later.
    EXPECT_EQ(bench.time_of(3, 5), 284 + 2 + 100 + 70);
    bench.run();
    EXPECT_EQ(bench.done, std::vector<double>{278});
    EXPECT_TRUE(bench.unit().idle());
}

TEST(Unit, WithoutACacheTheSecondOperationReadsWhatTheFirstHasWritten) {
    Bench bench(uncached(), bus());
    bench.add(3, 5);
    bench.add(3, 7);
    bench.run();
    // The first write is visible at 456 and acknowledged at 556, a clock edge; then the read takes 273.5.
    EXPECT_EQ(bench.done, (std::vector<double>{278, 556 + 274}));
    EXPECT_EQ(bench.olds, (std::vector<uint64_t>{0, 5}));
    EXPECT_EQ(bench.memory().load(3), 12u);
}

TEST(Unit, WithoutAHazardBufferAReadPassesTheWrite) {
    UnitParameters unit = uncached();
    unit.hazard = HazardScheme::kNone;
    Bench bench(unit, bus());
    bench.add(3, 5);
    bench.add(3, 7);
    bench.run();
    EXPECT_EQ(bench.olds, (std::vector<uint64_t>{0, 0}));
    EXPECT_EQ(bench.memory().load(3), 7u);
}

TEST(Unit, FlushSchemeKeepsReadsBehindWrites) {
    UnitParameters unit = uncached();
    unit.hazard = HazardScheme::kFlush;
    unit.hazard_entries = 4;
    Bench bench(unit, bus());
    for (uint64_t i = 0; i < 40; i++) {
        bench.add(i % 8, 1);
    }
    bench.run();
    for (uint64_t word = 0; word < 8; word++) {
        EXPECT_EQ(bench.memory().load(word), 5u);
    }
    EXPECT_GT(bench.host().statistics().flushes, 0u);
    EXPECT_TRUE(bench.unit().idle());
}

TEST(Unit, ACachedWordIsUpdatedEveryFewCycles) {
    UnitParameters unit;
    unit.registers = 0;
    Bench bench(unit, bus());
    for (uint64_t i = 0; i < 5; i++) {
        bench.add(3, 1);
    }
    bench.run();
    // Three cycles in the ALU, one in the cache.
    EXPECT_EQ(bench.done, (std::vector<double>{278, 286, 294, 302, 310}));
    EXPECT_EQ(bench.host().statistics().reads, 1u);
    EXPECT_EQ(bench.memory().load(3), 5u);
}

TEST(Unit, RegistersSaveTheCacheAndTheHost) {
    UnitParameters unit;
    unit.ageing = Ageing::kCount;
    unit.age_limit = 2;
    Bench bench(unit, bus());
    for (uint64_t i = 0; i < 6; i++) {
        bench.add(3, 1);
    }
    bench.run();
    // Two results in a row stay in the register file, the third is written, and is read from the cache.
    EXPECT_EQ(bench.done, (std::vector<double>{278, 284, 290, 298, 304, 310}));
    EXPECT_EQ(bench.unit().statistics().to_register, 4u);
    EXPECT_EQ(bench.unit().statistics().to_cache, 2u);
    EXPECT_EQ(bench.memory().load(3), 6u);
}

TEST(Unit, AWindowOfNothingSeesNothing) {
    UnitParameters unit;
    unit.ageing = Ageing::kCount;
    unit.window = 0;
    Bench bench(unit, bus());
    for (uint64_t i = 0; i < 6; i++) {
        bench.add(3, 1);
    }
    bench.run();
    EXPECT_EQ(bench.unit().statistics().to_register, 0u);
    EXPECT_EQ(bench.memory().load(3), 6u);
}

TEST(Unit, TagsBoundWhatIsOutstanding) {
    HostParameters host = bus();
    host.tags = 2;
    Bench bench(uncached(), host);
    for (uint64_t word = 0; word < 4; word++) {
        bench.add(word, 1);
    }
    bench.run();
    EXPECT_EQ(bench.host().statistics().tags_most, 2u);
    // The second pair of reads waits for the responses to the first.
    EXPECT_EQ(bench.done[1], 280);
    EXPECT_GE(bench.done[2], 277.5 + 273.5);
    EXPECT_LE(bench.done[2], 277.5 + 273.5 + 10);
}

TEST(Unit, WritesThatHaveCreditsLeaveTheTagsToTheReads) {
    HostParameters host = bus();
    host.tags = 1;
    host.write_credits = 2;
    Bench bench(uncached(), host);
    for (uint64_t word = 0; word < 4; word++) {
        bench.add(word, 1);
    }
    // The one tag is free again when the response is here, 273.5 ns later; the clock has 2 ns. Writes do not matter.
    bench.run();
    EXPECT_EQ(bench.host().statistics().tags_most, 1u);
    for (size_t i = 1; i < 4; i++) {
        EXPECT_NEAR(bench.done[i] - bench.done[i - 1], 273.5, 2);
    }
}

TEST(Unit, CreditsBoundTheWritesOnTheirWay) {
    const auto last_of = [](uint64_t credits) {
        HostParameters host = bus();
        host.write_credits = credits;
        Bench bench(uncached(), host);
        for (uint64_t word = 0; word < 4; word++) {
            bench.add(word, 1);
        }
        return bench.time_of(3, 1);
    };
    // A credit comes back after the write's 2 ns and twice 100. Results come from the ALU from 284 on, 2 ns apart: the
    // last write has waited for three credits, or for the one of the second.
    EXPECT_EQ(last_of(1), 284 + 3 * 202 + 2 + 100 + 70);
    EXPECT_EQ(last_of(2), 286 + 202 + 2 + 100 + 70);
    EXPECT_LE(last_of(4), 284 + 3 * 2 + 2 + 100 + 70);
}

TEST(Unit, AConflictWaitsForTheLineAndOthersPassIt) {
    UnitParameters unit;
    unit.lines = 4;
    unit.set_aside = 3;
    for (const bool blocking : {false, true}) {
        unit.blocking = blocking;
        Bench bench(unit, bus());
        bench.add(0, 1);
        bench.add(4, 2);  // the same set
        bench.add(1, 3);
        bench.run();
        const std::vector<uint64_t> expected =
            blocking ? std::vector<uint64_t>{1, 2, 3} : std::vector<uint64_t>{1, 3, 2};
        EXPECT_EQ(bench.operands, expected);
        EXPECT_EQ(bench.memory().load(4), 2u);
    }
}

TEST(Unit, WriteBackWritesOnceWhenItsTimeHasCome) {
    UnitParameters unit;
    unit.registers = 0;
    unit.policy = CachePolicy::kWriteBack;
    unit.write_back_ns = 1000;
    Bench bench(unit, bus());
    for (uint64_t i = 0; i < 5; i++) {
        bench.add(3, 1);
    }
    // The first result is in the cache at 284; a microsecond later it goes to the host.
    EXPECT_EQ(bench.time_of(3, 5), 284 + 1000 + 2 + 100 + 70);
    bench.run();
    EXPECT_EQ(bench.host().statistics().writes, 1u);
    EXPECT_TRUE(bench.unit().idle());
}

TEST(Unit, AnOperationThatChangesNothingWritesNothing) {
    Bench bench(uncached(), bus());
    bench.add(1, 0);
    bench.run();
    EXPECT_EQ(bench.done.size(), 1u);
    EXPECT_EQ(bench.host().statistics().writes, 0u);
}

}  // namespace
}  // namespace syncline::sim::atomic_unit
