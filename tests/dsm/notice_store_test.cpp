// SPDX-License-Identifier: BSD-3-Clause
// Method: the stores of some processes, which write pages in intervals and tell each other what the other one lacks, in
// random order, as grants of locks do; now and then all of them tell process 0 and are told by it, as at a barrier, and
// drop what all have known since the barrier before. Checked: a process that has been told knows, of each writer and
// page, the latest interval up to its knowledge, although stores throw notices away. Damaged messages are refused.
#include "dsm/handler/notice_store.h"

#include <gtest/gtest.h>

#include <map>

#include "base/prng.h"
#include "tests/seeds.h"

namespace syncline::dsm {
namespace {

class Processes {
  public:
    explicit Processes(uint64_t seed) : prng_(seed), count_(2 + prng_.below(4)), pages_(1 + prng_.below(60)) {
        for (uint32_t process = 0; process < count_; process++) {
            stores_.emplace_back(count_, pages_);
        }
        seen_.resize(count_, Latest(uint64_t{count_} * pages_));
        truth_.resize(count_);
    }

    void write() {
        const auto process = static_cast<uint32_t>(prng_.below(count_));
        std::vector<uint32_t> pages;
        for (uint64_t i = 1 + prng_.below(8); i > 0; i--) {
            pages.push_back(static_cast<uint32_t>(prng_.below(pages_)));
        }
        stores_[process].add(process, stores_[process].known()[process] + 1, runs_of(&pages));
        truth_[process].push_back(pages);
    }
    void tell_another() {
        const auto from = static_cast<uint32_t>(prng_.below(count_));
        const auto to = static_cast<uint32_t>((from + 1 + prng_.below(count_ - 1)) % count_);
        tell(from, to, stores_[to].known());
    }
    // As a request that was made before the barrier, and is answered behind it.
    void tell_late() {
        const auto from = static_cast<uint32_t>(prng_.below(count_));
        const auto to = static_cast<uint32_t>((from + 1 + prng_.below(count_ - 1)) % count_);
        tell(from, to, dropped_.empty() ? stores_[to].known() : dropped_);
    }
    void barrier() {
        for (uint32_t process = 1; process < count_; process++) {
            tell(process, 0, stores_[0].known());
        }
        for (uint32_t process = 1; process < count_; process++) {
            tell(0, process, stores_[process].known());
        }
        dropped_ = last_barrier_.empty() ? Knowledge(count_, 0) : last_barrier_;
        for (NoticeStore& store : stores_) {
            store.drop(dropped_);
        }
        last_barrier_ = stores_[0].known();
    }
    uint64_t below(uint64_t bound) { return prng_.below(bound); }

  private:
    using Latest = std::vector<uint64_t>;  // by writer and page

    void tell(uint32_t from, uint32_t to, const Knowledge& known) {
        Message message(Kind::kReply);
        stores_[from].write(to, known, &message);
        Reader reader(message.bytes());
        reader.take<Kind>();
        stores_[to].read(&reader, [&](uint32_t writer, const Notice& notice) {
            EXPECT_NE(writer, to);
            for (uint32_t page = notice.run.first; page < notice.run.first + notice.run.count; page++) {
                uint64_t& seen = seen_[to][uint64_t{writer} * pages_ + page];
                EXPECT_GT(notice.interval, seen) << "a notice that is not new";
                seen = notice.interval;
            }
        });
        EXPECT_EQ(reader.rest().size(), 0u);
        check(from, to);
    }
    void check(uint32_t from, uint32_t to) {
        for (uint32_t writer = 0; writer < count_; writer++) {
            const uint64_t known = stores_[to].known()[writer];
            EXPECT_TRUE(writer == to || known >= stores_[from].known()[writer]);
            Latest latest(pages_);
            for (uint64_t interval = 1; interval <= known; interval++) {
                for (const uint32_t page : truth_[writer][interval - 1]) {
                    latest[page] = interval;
                }
            }
            for (uint32_t page = 0; writer != to && page < pages_; page++) {
                EXPECT_EQ(seen_[to][uint64_t{writer} * pages_ + page], latest[page]);
            }
        }
    }

    Prng prng_;
    const uint32_t count_;
    const uint32_t pages_;
    std::vector<NoticeStore> stores_;
    std::vector<Latest> seen_;
    std::vector<std::vector<std::vector<uint32_t>>> truth_;  // of each writer and interval
    Knowledge last_barrier_, dropped_;
};

TEST(NoticeStore, ProcessesKnowWhatTheyHaveBeenTold) {
    for_each_seed(100, 30, [](uint64_t seed) {
        Processes processes(seed);
        const uint64_t barriers = processes.below(3);
        for (int i = 0; i < 400; i++) {
            const uint64_t what = processes.below(12);
            if (what < 7) {
                processes.write();
            } else if (what < 10) {
                processes.tell_another();
            } else if (what == 10) {
                processes.tell_late();
            } else if (processes.below(10) < 3 * barriers) {
                processes.barrier();
            }
            if (testing::Test::HasFailure()) {
                return;
            }
        }
    });
}

TEST(NoticeStore, DamagedMessagesAreRefused) {
    NoticeStore from(3, 100), to(3, 100);
    from.add(1, 1, {{5, 3}, {90, 10}});
    Message message(Kind::kReply);
    from.write(0, to.known(), &message);
    const std::vector<uint8_t> whole(message.bytes().begin() + 1, message.bytes().end());
    const auto read = [](const std::vector<uint8_t>& bytes) {
        NoticeStore store(3, 100);
        Reader reader(bytes);
        store.read(&reader, [](uint32_t, const Notice&) {});
    };
    EXPECT_NO_THROW(read(whole));
    for (size_t length = 0; length < whole.size(); length++) {
        EXPECT_THROW(read({whole.begin(), whole.begin() + static_cast<ptrdiff_t>(length)}), Failure) << length;
    }
    std::vector<uint8_t> writer = whole;
    writer[4] = 3;
    EXPECT_THROW(read(writer), Failure);
    std::vector<uint8_t> page = whole;
    page[whole.size() - 8] = 91;  // of the last run, whose 10 pages would end beyond the memory
    EXPECT_THROW(read(page), Failure);
}

}  // namespace
}  // namespace syncline::dsm
