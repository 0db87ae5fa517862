// SPDX-License-Identifier: BSD-3-Clause
// Method: pages change from each right to each other one, alone, in runs and at random; each time every page is read
// and written through the program's mapping, where a signal says that it may not be. Both means. Some pages are shown
// from the segment of a process that is their home.
#include "dsm/live/mapped_view.h"

#include <gtest/gtest.h>
#include <sys/mman.h>
#include <unistd.h>

#include <atomic>
#include <cstring>
#include <thread>
#include <utility>

#include "base/prng.h"
#include "probes.h"
#include "tests/seeds.h"

namespace syncline::dsm {
namespace {

using dsm_test::Probes;

constexpr uint32_t view_pages = 24;
// No other test maps anything here, nor does the kernel or a sanitizer.
uint8_t* const view_address = reinterpret_cast<uint8_t*>(uint64_t{0x2123} << 32);
constexpr Right rights[] = {Right::kNone, Right::kRead, Right::kWrite};

class MappedViews : public testing::TestWithParam<MappedView::Means> {
  protected:
    void SetUp() override {
        if (GetParam() == MappedView::Means::kUserfault && !MappedView::has_userfault()) {
            GTEST_SKIP() << "this kernel has no userfaultfd with signals and minor faults of files, or forbids it";
        }
        TearDown();
        view_.reset();
        view_ = MappedView::create(view_address, view_pages, GetParam());
        ASSERT_NE(view_, nullptr);
        ASSERT_EQ(view_->means(), GetParam());
        ASSERT_EQ(view_->memory(), view_address);
        ASSERT_EQ(view_->bytes(), uint64_t{view_pages} * page_bytes);
        now_.assign(view_pages, Right::kNone);
        is_adopted_.assign(view_pages, false);
        make_segment();
    }
    void TearDown() override {
        if (segment_ != nullptr) {
            ::munmap(std::exchange(segment_, nullptr), slots_at + uint64_t{view_pages} * page_bytes);
        }
    }
    void make_segment() {
        constexpr uint64_t bytes = slots_at + uint64_t{view_pages} * page_bytes;
        UniqueFd file(::memfd_create("segment", MFD_CLOEXEC));
        ASSERT_EQ(::ftruncate(file.get(), bytes), 0);
        void* const mapped = ::mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, file.get(), 0);
        ASSERT_NE(mapped, MAP_FAILED);
        segment_ = static_cast<uint8_t*>(mapped);
        view_->set_segment(std::move(file), slots_at);
    }
    void adopt(uint32_t first, uint32_t count, Right right) {
        view_->adopt(first, count, right);
        std::fill_n(now_.begin() + first, count, right);
        std::fill_n(is_adopted_.begin() + first, count, true);
    }
    // Where the library sees a page.
    uint8_t* own(uint32_t page) {
        return is_adopted_[page] ? segment_ + slots_at + uint64_t{page} * page_bytes : view_->page(page);
    }
    void change(uint32_t first, uint32_t count, Right to) {
        view_->change(first, count, now_[first], to);
        std::fill_n(now_.begin() + first, count, to);
    }
    // Reads and writes each page at some byte; what is written reaches the library's mapping, and back.
    void expect_rights(uint32_t byte) {
        Probes probes;
        for (uint32_t page = 0; page < view_pages; page++) {
            uint8_t* const there = view_->memory() + uint64_t{page} * page_bytes + byte;
            uint8_t* const here = own(page) + byte;
            ASSERT_EQ(probes.reads(there), now_[page] != Right::kNone) << "page " << page;
            const auto value = static_cast<uint8_t>(*here + 1);
            ASSERT_EQ(probes.writes(there, value), now_[page] == Right::kWrite) << "page " << page;
            ASSERT_EQ(*here == value, now_[page] == Right::kWrite) << "page " << page;
            *here = static_cast<uint8_t>(value + 7);
            ASSERT_TRUE(now_[page] == Right::kNone || *there == static_cast<uint8_t>(value + 7)) << "page " << page;
        }
    }

    static constexpr uint64_t slots_at = 3 * page_bytes;

    std::unique_ptr<MappedView> view_;
    std::vector<Right> now_;
    std::vector<bool> is_adopted_;
    uint8_t* segment_ = nullptr;
};

TEST_P(MappedViews, EachRightBecomesEachOther) {
    expect_rights(0);
    for (const Right from : rights) {
        for (const Right to : rights) {
            for (const uint32_t count : {1u, 3u}) {
                if (from != to) {
                    const uint32_t first = 5;
                    if (now_[first] != from) {
                        change(first, count, from);
                    }
                    expect_rights(4095);
                    change(first, count, to);
                    expect_rights(1);
                    if (to != Right::kNone) {
                        change(first, count, Right::kNone);
                    }
                    expect_rights(2);
                }
            }
        }
    }
}

// The library has written nothing yet: the kernel has no page of the file.
TEST_P(MappedViews, PagesBeginWithZeros) {
    change(0, 4, Right::kRead);
    change(4, 4, Right::kWrite);
    for (uint32_t byte = 0; byte < 8 * page_bytes; byte++) {
        ASSERT_EQ(view_->memory()[byte], 0);
    }
    expect_rights(17);
}

TEST_P(MappedViews, BytesOutliveTheRight) {
    change(2, 1, Right::kWrite);
    std::memset(view_->memory() + 2 * page_bytes, 0x5A, page_bytes);
    change(2, 1, Right::kNone);
    for (uint32_t byte = 0; byte < page_bytes; byte++) {
        ASSERT_EQ(view_->page(2)[byte], 0x5A);
    }
    std::memset(view_->page(2), 0x33, page_bytes);
    change(2, 1, Right::kRead);
    for (uint32_t byte = 0; byte < page_bytes; byte++) {
        ASSERT_EQ(view_->memory()[2 * page_bytes + byte], 0x33);
    }
}

// A third of the runs without right are adopted when they get one, and are shown from the segment from then on.
TEST_P(MappedViews, RandomRuns) {
    for_each_seed(20, 5, [&](uint64_t seed) {
        Prng prng(seed);
        SetUp();
        for (int turn = 0; turn < 60; turn++) {
            const auto first = static_cast<uint32_t>(prng.below(view_pages));
            const Right to = rights[prng.below(3)];
            uint32_t count = 1;
            while (first + count < view_pages && now_[first + count] == now_[first] &&
                   is_adopted_[first + count] == is_adopted_[first] && prng.below(5) != 0) {
                count++;
            }
            if (to == now_[first] || (is_adopted_[first] && to == Right::kNone)) {
                continue;
            }
            if (is_adopted_[first]) {
                ASSERT_TRUE(view_->change_adopted(first, count, to));
                std::fill_n(now_.begin() + first, count, to);
            } else if (now_[first] == Right::kNone && prng.below(3) == 0) {
                adopt(first, count, to);
            } else {
                if (now_[first] == Right::kNone) {
                    view_->prepare(first, count);
                }
                change(first, count, to);
            }
            if (turn % 10 == 9) {
                expect_rights(static_cast<uint32_t>(prng.below(page_bytes)));
            }
        }
    });
}

TEST_P(MappedViews, PagesOfTheHomeAreThoseOfTheSegment) {
    std::memset(segment_ + slots_at, 0x11, 8 * page_bytes);
    change(1, 2, Right::kWrite);
    std::memset(view_->memory() + page_bytes, 0x22, 2 * page_bytes);
    adopt(3, 2, Right::kRead);
    adopt(5, 1, Right::kWrite);
    for (uint32_t byte = 0; byte < page_bytes; byte++) {
        ASSERT_EQ(view_->memory()[2 * page_bytes + byte], 0x22);
        ASSERT_EQ(view_->memory()[3 * page_bytes + byte], 0x11);
        ASSERT_EQ(view_->memory()[5 * page_bytes + byte], 0x11);
    }
    expect_rights(9);
    ASSERT_TRUE(view_->change_adopted(3, 3, Right::kWrite));
    std::fill_n(now_.begin() + 3, 3, Right::kWrite);
    expect_rights(10);
    ASSERT_TRUE(view_->change_adopted(4, 2, Right::kRead));
    std::fill_n(now_.begin() + 4, 2, Right::kRead);
    expect_rights(11);
    EXPECT_EQ(segment_[slots_at - 1], 0) << "in front of the slots";
}

// To save memory, the kernel may forget what it shows. With userfaultfd, a page that has a right is asked for again.
TEST_P(MappedViews, PagesThatTheKernelHasTakenOutComeBack) {
    change(0, 2, Right::kWrite);
    std::memset(view_->memory(), 0x44, 2 * page_bytes);
    change(1, 1, Right::kRead);
    ASSERT_EQ(::madvise(view_->memory(), 2 * page_bytes, MADV_DONTNEED), 0);
    {
        Probes probes;
        const bool by_itself = GetParam() == MappedView::Means::kProtection;
        EXPECT_EQ(probes.reads(view_->memory()), by_itself);
        EXPECT_EQ(probes.reads(view_->memory() + page_bytes), by_itself);
    }
    for (int times = 0; times < 2; times++) {  // another thread may have been quicker
        view_->restore(0, Right::kWrite);
        view_->restore(1, Right::kRead);
    }
    EXPECT_EQ(view_->memory()[7], 0x44);
    EXPECT_EQ(view_->memory()[page_bytes + 7], 0x44);
    expect_rights(8);
}

// A right that is gone is gone for other threads as well when the call returns.
TEST_P(MappedViews, OtherThreadsLoseTheRightAtOnce) {
    std::atomic<uint32_t> written{0};
    std::atomic<bool> over{false};
    Probes probes;
    std::thread writer([&] {
        for (uint8_t value = 1; !over; value++) {
            written += probes.writes(view_->memory(), value) ? 1 : 0;
        }
    });
    uint32_t late = 0;
    for (int turn = 0; turn < 60; turn++) {
        const uint32_t before = written;
        change(0, 1, Right::kWrite);
        while (written == before) {
        }
        change(0, 1, turn % 2 == 0 ? Right::kRead : Right::kNone);
        const uint8_t seen = *static_cast<volatile uint8_t*>(view_->page(0));
        for (int look = 0; look < 200; look++) {
            late += *static_cast<volatile uint8_t*>(view_->page(0)) != seen ? 1 : 0;
        }
        if (turn % 2 == 0) {
            change(0, 1, Right::kNone);
        }
    }
    over = true;
    writer.join();
    EXPECT_EQ(late, 0u);
}

TEST_P(MappedViews, RefusesAPlaceThatIsTaken) {
    EXPECT_EQ(MappedView::create(view_address, view_pages, GetParam()), nullptr);
    EXPECT_EQ(MappedView::create(view_address + uint64_t{view_pages - 1} * page_bytes, 2, GetParam()), nullptr);
    const std::unique_ptr<MappedView> next =
        MappedView::create(view_address + uint64_t{view_pages} * page_bytes, 2, GetParam());
    EXPECT_NE(next, nullptr);
    expect_rights(3);
    view_.reset();
    EXPECT_NE(MappedView::create(view_address, view_pages, GetParam()), nullptr);
}

INSTANTIATE_TEST_SUITE_P(Means, MappedViews,
                         testing::Values(MappedView::Means::kUserfault, MappedView::Means::kProtection),
                         [](const auto& one) {
                             return std::string(one.param == MappedView::Means::kUserfault ? "userfault" : "mprotect");
                         });

}  // namespace
}  // namespace syncline::dsm
