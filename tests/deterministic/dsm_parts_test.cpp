// SPDX-License-Identifier: BSD-3-Clause
// Method: parts of the shared memory in simulated jobs of their own, where random programs (dsm_test.cpp) seldom come.
//   Notices    a log against a list of all that was published: a reader finds each page that was written since it last
//              looked, or is told to take every page for written. Logs have few records, and readers are late.
//   Boards     at each barrier some processes have news, often more than their rows have room for: all others find them
//              behind it, once each.
//   Waiting    threads of a process and of others wait for one flag, or for one condition, in all the steps of one that
//              is just waking up.
//
// Which seeds are run, and how to replay one: tests/seeds.h.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <set>
#include <utility>

#include "dsm/core/conditions.h"
#include "dsm/core/notices.h"
#include "runtime/collective/job_barrier.h"
#include "tests/deterministic/draw.h"
#include "tests/deterministic/world.h"
#include "tests/seeds.h"

namespace syncline::deterministic {
namespace {

using dsm::Layout;
using dsm::Notices;
using dsm::PageRun;
using dsm::Remote;
using dsm::Shape;

constexpr uint64_t parts_time_limit_ns = 100 * ns_per_s;
constexpr uint64_t parts_seeds = DETERMINISTIC_SEEDS / 2;

class PartsRun {
  public:
    PartsRun(uint64_t seed, const std::vector<uint32_t>& ports, uint32_t records) : prng_(seed * 13) {
        options_.ports = ports;
        draw_conditions(&prng_, &options_);
        const auto processes = static_cast<uint32_t>(std::accumulate(ports.begin(), ports.end(), size_t{0}));
        shape_ = {.processes = processes, .pages = 4, .locks = 4, .handled = false, .records = records};
        options_.heap_bytes = heap_reserved_bytes + Layout(shape_).bytes;
        world_ = std::make_unique<World>(seed, options_);
    }
    virtual ~PartsRun() = default;
    std::string run() {
        const auto program = [this](Endpoint* endpoint) {
            JobBarrier barrier(endpoint);
            const Layout layout(shape_);
            const Remote remote(endpoint, heap_reserved_bytes,
                                [&](int) { wrong(fmt::format("PE {}: an operation fails", endpoint->rank())); });
            (void)barrier.run();
            act(&remote, &layout, &barrier);
            (void)barrier.run();
            barrier.part();
        };
        if (!world_->run(program, parts_time_limit_ns)) {
            wrong("some process waits for ever");
        }
        return wrong_;
    }

  protected:
    virtual void act(const Remote* remote, const Layout* layout, JobBarrier* barrier) = 0;
    void wrong(const std::string& what) { wrong_ += wrong_.empty() ? what : ""; }
    Prng& prng() { return world_->scheduler().prng(); }
    void pause(uint64_t ns_max) { world_->scheduler().compute(1 + prng().below(ns_max)); }

    Shape shape_ = {};
    std::unique_ptr<World> world_;

  private:
    Prng prng_;
    WorldOptions options_;
    std::string wrong_;
};

class LogRun final : public PartsRun {
  public:
    explicit LogRun(uint64_t seed) : PartsRun(seed, {1, 2}, static_cast<uint32_t>(2 + seed % 9)) {}
    uint64_t lost() const { return lost_; }

  private:
    static constexpr uint32_t turns = 60;

    void act(const Remote* remote, const Layout* layout, JobBarrier* /*barrier*/) override {
        dsm::Statistics statistics;
        Notices notices(remote, layout, &statistics);
        if (remote->me() == 0) {
            write(&notices);
        } else {
            read(&notices);
        }
    }
    void write(Notices* notices) {
        for (uint32_t turn = 0; turn < turns; turn++) {
            std::vector<PageRun> runs;
            for (uint64_t i = prng().below(shape_.records + 1); i > 0; i--) {
                runs.push_back({static_cast<uint32_t>(prng().next()), 1 + static_cast<uint32_t>(prng().below(100))});
            }
            published_.insert(published_.end(), runs.begin(), runs.end());
            notices->publish(runs);
            complete_ = notices->published();
            pause(one_of(&prng(), {100, 10 * ns_per_us}));
        }
        complete_ = published_.size();
        is_over_ = true;
    }
    // By the heads, or up to what another process may have said.
    void read(Notices* notices) {
        for (bool last = false; !last;) {
            pause(one_of(&prng(), {100, 10 * ns_per_us, 100 * ns_per_us}));
            last = is_over_;
            const uint64_t before = notices->known()[0];
            Notices::News news;
            if (last || prng().below(2) == 0) {
                notices->read_all({0}, &news);
            } else {
                std::vector<uint64_t> knowledge(shape_.processes);
                knowledge[0] = before + prng().below(complete_ - std::min(before, complete_) + 1);
                notices->read_to(knowledge, &news);
                if (notices->known()[0] != std::max(before, knowledge[0])) {
                    wrong("a reader does not know what it was to read");
                }
            }
            check(before, notices->known()[0], news);
        }
        if (notices->known()[0] != published_.size()) {
            wrong("a reader of the head misses the last records");
        }
    }
    void check(uint64_t from, uint64_t to, const Notices::News& news) {
        lost_ += news.everything ? 1 : 0;
        if (news.everything) {
            return;
        }
        bool same = news.runs.size() == to - from;
        for (size_t i = 0; i < news.runs.size() && same; i++) {
            same = news.runs[i].first == published_[from + i].first && news.runs[i].count == published_[from + i].count;
        }
        if (!same) {
            wrong(fmt::format("a reader finds other records than those from {} to {}", from, to));
        }
    }

    std::vector<PageRun> published_;
    uint64_t complete_ = 0;
    bool is_over_ = false;
    uint64_t lost_ = 0;
};

TEST(SharedMemoryParts, AReaderOfALogMissesNoPage) {
    uint64_t lost = 0;
    for_each_seed(parts_seeds, parts_seeds / 10, [&](uint64_t seed) {
        LogRun run(seed);
        const std::string wrong = run.run();
        lost += run.lost();
        return wrong;
    });
    EXPECT_TRUE(are_seeds_named() || HasFailure() || lost > 0) << "no reader was ever late";
}

class BoardRun final : public PartsRun {
  public:
    explicit BoardRun(uint64_t seed) : PartsRun(seed, {1, 3, 2}, 64) {
        shape_.row_records = static_cast<uint32_t>(1 + seed % 3);
        published_.resize(shape_.processes);
        at_barrier_.assign(turns, std::vector<size_t>(shape_.processes));
    }

  private:
    static constexpr uint32_t turns = 12;
    using Found = std::multiset<std::pair<uint32_t, uint32_t>>;

    void act(const Remote* remote, const Layout* layout, JobBarrier* barrier) override {
        dsm::Statistics statistics;
        Notices notices(remote, layout, &statistics);
        for (uint32_t turn = 0; turn < turns; turn++) {
            pause(one_of(&prng(), {100, 10 * ns_per_us}));
            come(&notices, turn, remote->me());
            (void)barrier->run();
            read(&notices, turn, remote->me());
        }
    }
    size_t before(uint32_t turn, uint32_t process) const { return turn == 0 ? 0 : at_barrier_[turn - 1][process]; }
    void come(Notices* notices, uint32_t turn, uint32_t me) {
        std::vector<PageRun> runs;
        for (uint64_t i = prng().below(3) == 0 ? 0 : prng().below(2 * shape_.row_records + 3); i > 0; i--) {
            runs.push_back({static_cast<uint32_t>(prng().next()), 1 + static_cast<uint32_t>(prng().below(100))});
        }
        notices->publish(runs);
        published_[me].insert(published_[me].end(), runs.begin(), runs.end());
        at_barrier_[turn][me] = published_[me].size();
        if (!runs.empty()) {
            notices->post(turn, notices->row(before(turn, me), 0));
        }
    }
    void read(Notices* notices, uint32_t turn, uint32_t me) {
        std::vector<uint32_t> writers;
        Found expected;
        for (uint32_t process = 0; process < shape_.processes; process++) {
            const size_t from = before(turn, process), to = at_barrier_[turn][process];
            if (process == me || from == to) {
                continue;
            }
            writers.push_back(process);
            for (size_t i = from; i < to; i++) {
                expected.insert({published_[process][i].first, published_[process][i].count});
            }
        }
        Notices::News news;
        (void)notices->read_boards(turn, writers, &news);
        Found found;
        for (const PageRun& run : news.runs) {
            found.insert({run.first, run.count});
        }
        if (news.everything || found != expected) {
            wrong(
                fmt::format("PE {} finds {} records of {} behind barrier {}", me, found.size(), expected.size(), turn));
        }
    }

    std::vector<std::vector<PageRun>> published_;  // by each process
    std::vector<std::vector<size_t>> at_barrier_;  // by turn and process: the number of these
};

TEST(SharedMemoryParts, ABoardMissesNoPage) {
    for_each_seed(parts_seeds, parts_seeds / 10, [](uint64_t seed) { return BoardRun(seed).run(); });
}

// PE 0 lets the values 1, 2, ... of a word be seen, in whose place a program has anything that a lock guards. Threads
// of PE 1 and PE 2 wait for each of them.
class WaitRun final : public PartsRun {
  public:
    explicit WaitRun(uint64_t seed) : PartsRun(seed, {1, 2}, 8), threads_(2 + seed % 2), signals_(seed % 3 == 0) {}

  private:
    static constexpr uint64_t values = 12;
    static constexpr uint32_t number = 1;

    void act(const Remote* remote, const Layout* layout, JobBarrier* /*barrier*/) override {
        dsm::Conditions conditions(remote, layout, shape_.locks);
        if (remote->me() == 0) {
            tell(&conditions);
            return;
        }
        std::vector<std::shared_ptr<Scheduler::Thread>> others;
        for (uint32_t thread = 1; thread < threads_; thread++) {
            others.push_back(world_->scheduler().start_thread([&] { wait_for_all(&conditions); }));
        }
        wait_for_all(&conditions);
        for (const auto& other : others) {
            world_->scheduler().join(*other);
        }
    }
    void tell(dsm::Conditions* conditions) {
        for (uint64_t value = 1; value <= values; value++) {
            pause(one_of(&prng(), {ns_per_us, 20 * ns_per_us, 3 * ns_per_ms}));
            word_ = value;
            for (uint32_t i = 0; signals_ && i < 2 * threads_; i++) {  // as many as may wait
                conditions->wake_one(number);
            }
            if (!signals_) {
                conditions->wake_all(number);
            }
        }
    }
    void wait_for_all(dsm::Conditions* conditions) {
        for (uint64_t value = 1; value <= values; value++) {
            while (word_ < value) {
                const uint64_t prepared = conditions->prepare(number);
                if (word_ < value) {  // nothing of the simulation lies between this look and the wait
                    conditions->wait(number, prepared);
                } else {
                    conditions->wait(number, prepared - 1);
                }
            }
        }
    }

    const uint32_t threads_;
    const bool signals_;
    uint64_t word_ = 0;
};

TEST(SharedMemoryParts, EachThreadThatWaitsWakes) {
    for_each_seed(parts_seeds, parts_seeds / 10, [](uint64_t seed) { return WaitRun(seed).run(); });
}

}  // namespace
}  // namespace syncline::deterministic
