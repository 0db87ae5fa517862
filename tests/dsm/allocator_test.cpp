// SPDX-License-Identifier: BSD-3-Clause
// Method: random allocations and returns against a model that knows which bytes are in use, and so whether there is
// room; and the time of a call where there are many.
#include "dsm/core/allocator.h"

#include <gtest/gtest.h>

#include <cstdlib>
#include <cstring>
#include <ctime>
#include <map>
#include <memory>

#include "base/prng.h"
#include "base/sizes.h"
#include "tests/seeds.h"

namespace syncline::dsm {
namespace {

struct Memory {
    explicit Memory(uint64_t length)
        : bytes(static_cast<uint8_t*>(std::aligned_alloc(page_bytes, length)), std::free),
          allocator(bytes.get(), length) {
        std::memset(bytes.get(), 0, length);
        allocator.clear();
    }
    std::unique_ptr<uint8_t, void (*)(void*)> bytes;
    Allocator allocator;
};

class Model {
  public:
    explicit Model(uint64_t bytes) : bytes_(bytes) {}

    bool has_room(uint64_t bytes) const {
        const uint64_t alignment = bytes >= page_bytes ? page_bytes : 64;
        const uint64_t length = round_up(bytes, alignment);
        uint64_t at = round_up(Allocator::list_bytes(bytes_), alignment);
        for (const auto& [offset, used] : blocks_) {
            if (at + length <= offset) {
                return true;
            }
            at = round_up(offset + used, alignment);
        }
        return at + length <= bytes_;
    }
    // Is there none of the program's, nor the list, and do whole pages go to a large one?
    bool is_free(uint64_t offset, uint64_t bytes) const {
        const uint64_t alignment = bytes >= page_bytes ? page_bytes : 64;
        const auto next = blocks_.lower_bound(offset);
        return offset % alignment == 0 && offset >= Allocator::list_bytes(bytes_) &&
               offset + round_up(bytes, alignment) <= (next != blocks_.end() ? next->first : bytes_) &&
               (next == blocks_.begin() || std::prev(next)->first + std::prev(next)->second <= offset);
    }
    void take(uint64_t offset, uint64_t bytes) {
        blocks_[offset] = round_up(bytes, bytes >= page_bytes ? page_bytes : 64);
        top_ = std::max(top_, offset + blocks_[offset]);
    }
    std::map<uint64_t, uint64_t>& blocks() { return blocks_; }
    uint32_t fresh() const {
        return static_cast<uint32_t>(round_up(std::max(top_, Allocator::list_bytes(bytes_)), page_bytes) / page_bytes);
    }

  private:
    const uint64_t bytes_;
    std::map<uint64_t, uint64_t> blocks_;
    uint64_t top_ = 0;
};

uint64_t draw_bytes(Prng* prng) {
    const uint64_t most[] = {100, 5000, 60'000, 400'000};
    return 1 + prng->below(most[prng->below(4)]);
}

TEST(Allocator, IsTheModel) {
    for_each_seed(200, 50, [](uint64_t seed) {
        Prng prng(seed);
        const uint64_t bytes = (8 + prng.below(250)) * page_bytes;
        Memory memory(bytes);
        Model model(bytes);
        for (int turn = 0; turn < 400; turn++) {
            if (prng.below(5) < 3 && model.blocks().size() < bytes / 4096) {
                const uint64_t wanted = draw_bytes(&prng);
                const uint32_t fresh_before = model.fresh();
                uint32_t fresh = 0;
                const uint64_t place = memory.allocator.allocate(wanted, &fresh);
                ASSERT_EQ(place != Allocator::none, model.has_room(wanted));
                if (place != Allocator::none) {
                    ASSERT_TRUE(model.is_free(place, wanted)) << wanted << " bytes at " << place;
                    ASSERT_EQ(fresh, fresh_before);
                    model.take(place, wanted);
                }
            } else if (!model.blocks().empty()) {
                const auto block =
                    std::next(model.blocks().begin(), static_cast<long>(prng.below(model.blocks().size())));
                ASSERT_TRUE(memory.allocator.free(block->first));
                ASSERT_FALSE(memory.allocator.free(block->first)) << "a second time";
                model.blocks().erase(block);
            }
        }
    });
}

TEST(Allocator, SaysHowMuchIsLeft) {
    for_each_seed(200, 50, [](uint64_t seed) {
        Prng prng(seed);
        const uint64_t bytes = (8 + prng.below(100)) * page_bytes;
        Memory memory(bytes);
        std::vector<uint64_t> taken;
        uint32_t fresh = 0;
        for (int i = 0; i < 40; i++) {
            if (const uint64_t at = memory.allocator.allocate(draw_bytes(&prng), &fresh); at != Allocator::none) {
                taken.push_back(at);
            }
        }
        for (const uint64_t at : taken) {
            if (prng.below(2) == 0) {
                ASSERT_TRUE(memory.allocator.free(at));
            }
        }
        // A part that begins within a page has less than that of whole pages.
        const uint64_t left = memory.allocator.largest_free();
        EXPECT_EQ(memory.allocator.allocate(left + 1, &fresh), Allocator::none);
        if (left / page_bytes >= 2) {
            EXPECT_NE(memory.allocator.allocate((left / page_bytes - 1) * page_bytes, &fresh), Allocator::none);
        }
    });
}

TEST(Allocator, EndsAndBeginsAgain) {
    constexpr uint64_t bytes = 64 * page_bytes;
    Memory memory(bytes);
    uint32_t fresh = 0;
    EXPECT_EQ(memory.allocator.allocate(0, &fresh), Allocator::none);
    EXPECT_EQ(memory.allocator.allocate(bytes, &fresh), Allocator::none);
    EXPECT_EQ(memory.allocator.allocate(UINT64_MAX, &fresh), Allocator::none);
    EXPECT_EQ(memory.allocator.allocate(UINT64_MAX - 63, &fresh), Allocator::none);
    const uint64_t all = bytes - Allocator::list_bytes(bytes);
    EXPECT_EQ(memory.allocator.largest_free(), all);
    for (int turn = 0; turn < 3; turn++) {
        const uint64_t at = memory.allocator.allocate(all, &fresh);
        ASSERT_NE(at, Allocator::none);
        EXPECT_EQ(memory.allocator.largest_free(), 0u);
        EXPECT_EQ(memory.allocator.allocate(1, &fresh), Allocator::none);
        ASSERT_TRUE(memory.allocator.free(at));
    }
}

TEST(Allocator, RefusesWhatIsNoStart) {
    Memory memory(64 * page_bytes);
    uint32_t fresh = 0;
    EXPECT_FALSE(memory.allocator.free(0));
    const uint64_t first = memory.allocator.allocate(200, &fresh);
    const uint64_t second = memory.allocator.allocate(2 * page_bytes, &fresh);
    for (const uint64_t wrong : {uint64_t{0}, first + 64, first - 64, second + page_bytes, second - 1, UINT64_MAX}) {
        EXPECT_FALSE(memory.allocator.free(wrong)) << wrong;
    }
    EXPECT_TRUE(memory.allocator.free(second));
    EXPECT_TRUE(memory.allocator.free(first));
}

// The list has an end, too.
TEST(Allocator, ItsListMayBeFull) {
    Memory memory(256 * page_bytes);
    uint32_t fresh = 0;
    std::vector<uint64_t> taken;
    for (;;) {
        const uint64_t at = memory.allocator.allocate(1, &fresh);
        if (at == Allocator::none) {
            break;
        }
        ASSERT_TRUE(taken.empty() || at == taken.back() + 64);
        taken.push_back(at);
    }
    EXPECT_EQ(memory.allocator.largest_free(), 0u);
    EXPECT_TRUE(memory.allocator.lacks_blocks());
    EXPECT_GE(taken.size() + 1, 256 * page_bytes / 2048) << "one for each 2 KiB";
    for (const uint64_t at : taken) {
        ASSERT_TRUE(memory.allocator.free(at));
    }
    EXPECT_FALSE(memory.allocator.lacks_blocks());
    EXPECT_NE(memory.allocator.allocate(1, &fresh), Allocator::none);
    EXPECT_EQ(memory.allocator.largest_free() + 64, 256 * page_bytes - Allocator::list_bytes(256 * page_bytes));
}

double cpu_seconds() {
    timespec time = {};
    ::clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
    return static_cast<double>(time.tv_sec) + 1e-9 * static_cast<double>(time.tv_nsec);
}

// Also where freed pieces are too small for what is asked for.
TEST(Allocator, TakesAsLongWhereThereAreMany) {
    constexpr uint64_t bytes = 16384 * page_bytes;
    constexpr int batch = 1500;
    Memory memory(bytes);
    uint32_t fresh = 0;
    std::vector<uint64_t> taken;
    double first = 0;
    double last = 0;
    for (int number = 0; number < 20; number++) {
        const double start = cpu_seconds();
        for (int i = 0; i < batch; i++) {
            taken.push_back(memory.allocator.allocate(i % 3 == 0 ? 200 : 64, &fresh));
            ASSERT_NE(taken.back(), Allocator::none);
        }
        for (size_t i = taken.size() - batch; i < taken.size(); i += 6) {
            ASSERT_TRUE(memory.allocator.free(taken[i]));
        }
        for (int i = 0; i < batch / 50; i++) {
            ASSERT_NE(memory.allocator.allocate(5000, &fresh), Allocator::none);
        }
        last = cpu_seconds() - start;
        first = number == 0 ? last : first;
    }
    EXPECT_LT(last, 10 * first + 0.001);
}

}  // namespace
}  // namespace syncline::dsm
