// SPDX-License-Identifier: BSD-3-Clause
// Method: a job of one PE measures operations on itself. The check of each operation in the catalogue accepts the
// memory that the operation leaves, and refuses the same memory with one bit flipped. Sizes, pairs and words of the
// command are read, and mistakes in them refused.
#include <gtest/gtest.h>

#include "base/failure.h"
#include "bench/timing/timed_calls.h"
#include "tools/perf/measure.h"
#include "tools/perf/options.h"

namespace syncline::perf {
namespace {

using bench::must;

constexpr uint64_t area_bytes = 1 << 16;

class Operations : public testing::Test {
  protected:
    static void SetUpTestSuite() {
        must(syncline_init(nullptr));
        must(syncline_alloc(area_bytes, 4096, &task_.ground.area));
        must(syncline_alloc(words_bytes, 4096, &task_.ground.words));
        must(syncline_lock_create(SYNCLINE_LOCK_MCS, 0, &task_.lock));
        task_.ground.area_bytes = area_bytes;
        task_.window = 5;
    }
    static void TearDownTestSuite() { must(syncline_finalize()); }

    static std::unique_ptr<Operation> make(const Entry& entry) {
        task_.bytes = entry.unit != 0 ? 48 : entry.bytes;
        return make_operation(entry, task_);
    }
    static void damage() {
        for (const syncline_address_t address : {task_.ground.area, task_.ground.words}) {
            *static_cast<uint8_t*>(syncline_local(address)) ^= 1;
        }
    }

    static inline Task task_;
};

std::vector<const Entry*> one_sided() {
    std::vector<const Entry*> entries = select(operation_words());
    std::erase_if(entries, [](const Entry* entry) { return entry->party != Party::kInitiator; });
    return entries;
}

TEST_F(Operations, LeaveTheMemoryThatTheyExpect) {
    for (const Entry* const entry : one_sided()) {
        const std::unique_ptr<Operation> operation = make(*entry);
        operation->run(3);
        EXPECT_NO_THROW(operation->check()) << entry->name;
        if (entry->streams) {
            operation->stream(2);
            operation->stream(100);
            EXPECT_NO_THROW(operation->check()) << entry->name;
        }
        operation->run(1);
        EXPECT_NO_THROW(operation->check()) << entry->name;
    }
}

TEST_F(Operations, NoticeABitThatIsWrong) {
    for (const Entry* const entry : one_sided()) {
        const std::unique_ptr<Operation> operation = make(*entry);
        operation->run(2);
        const std::string name = entry->name;
        if (name == "lock") {
            must(syncline_lock_acquire(task_.lock));
            must(syncline_lock_release(task_.lock));
        }
        damage();
        if (name == "get") {
            operation->run(1);
        }
        EXPECT_THROW(operation->check(), Failure) << name;
    }
}

TEST_F(Operations, NoticeAValueThatIsWrongAtOnce) {
    for (const char* const word : {"fetch_add", "fetch_and", "fetch_or", "fetch_xor", "swap", "cas", "fetch_smin",
                                   "fetch_smax", "fetch_umin", "fetch_umax"}) {
        for (const Entry* const entry : select({word})) {
            const std::unique_ptr<Operation> operation = make(*entry);
            operation->run(1);
            damage();
            EXPECT_THROW(operation->run(1), Failure) << entry->name;
            const std::unique_ptr<Operation> streaming = make(*entry);
            streaming->stream(5);
            damage();
            EXPECT_THROW(streaming->stream(6), Failure) << entry->name;
        }
    }
}

TEST_F(Operations, AreTimedAndCounted) {
    const Entry& entry = *select({"fetch_add64"}).front();
    const Effort by_count = {.operations = 500, .batch_ns = 0, .warm_up = 10, .repeats = 3};
    const bench::Cell time = measure_time(make(entry).get(), by_count, 1);
    EXPECT_EQ(time.batches.size(), 3u);
    EXPECT_GT(time.min, 0);
    EXPECT_LE(time.min, time.median);
    EXPECT_LE(time.median, time.p99);
    EXPECT_LE(time.p99, time.max);
    const Effort by_time = {.operations = 0, .batch_ns = 100'000, .warm_up = 0, .repeats = 2};
    EXPECT_GT(measure_rate(make(entry).get(), by_time).median, 0);
}

TEST(PerfOptions, Sizes) {
    EXPECT_EQ(parse_sizes("8,4KiB,1m"), (std::vector<uint64_t>{8, 4096, 1 << 20}));
    EXPECT_EQ(parse_sizes("3..20"), (std::vector<uint64_t>{3, 6, 12, 20}));
    EXPECT_EQ(parse_sizes("8..8"), (std::vector<uint64_t>{8}));
    for (const char* const text : {"", "0", "8,", "8..", "9..8", "1..2..3", "2GiB", "-8", "many"}) {
        EXPECT_THROW(parse_sizes(text), Failure) << text;
    }
}

TEST(PerfOptions, PairsOfPes) {
    EXPECT_EQ(parse_pairs("one").kind, PairsWanted::Kind::kOne);
    EXPECT_EQ(parse_pairs("all").kind, PairsWanted::Kind::kAll);
    const PairsWanted wanted = parse_pairs("0-1,3-2");
    ASSERT_EQ(wanted.list.size(), 2u);
    EXPECT_EQ(wanted.list[1].from, 3);
    EXPECT_EQ(wanted.list[1].to, 2);
    for (const char* const text : {"", "0", "0-", "-1", "0-1-2", "1-1", "0-1,", "a-b", "0:1"}) {
        EXPECT_THROW(parse_pairs(text), Failure) << text;
    }
}

TEST(PerfOptions, WordsSelectOperations) {
    EXPECT_EQ(select({"put"}).size(), 1u);
    EXPECT_EQ(select({"fetch_add"}).size(), 2u);
    EXPECT_EQ(select({"swap", "swap64", "swap128"}).size(), 3u);
    EXPECT_EQ(select({"accumulate"}).size(), 6u);
    EXPECT_EQ(select({"atomics"}).size(), 40u);
    EXPECT_THROW(select({"put", "fetch"}), Failure);
}

}  // namespace
}  // namespace syncline::perf
