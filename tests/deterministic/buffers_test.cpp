// SPDX-License-Identifier: BSD-3-Clause
// Method: PEs of so many nodes that none has buffers for all its slots, in runs like those of the locks (see
// locks_test.cpp). Each starts fetching adds, posts adds and gets, in any order, to all others and more than it has
// buffers for, and nodes make room for the rows of others while requests wait for it. Checked: each add happens once,
// each fetch brings a value that no other brings, and no call waits for ever.
//
// Which seeds are run, and how to replay one: tests/seeds.h.
#include <fmt/format.h>

#include <algorithm>
#include <memory>
#include <set>

#include "base/status.h"
#include "runtime/collective/job_barrier.h"
#include "runtime/ground/error_text.h"
#include "tests/deterministic/draw.h"
#include "tests/seeds.h"

namespace syncline::deterministic {
namespace {

constexpr uint64_t buffer_seeds = (DETERMINISTIC_SEEDS + 9) / 10;
constexpr uint64_t buffer_time_limit_ns = 120 * ns_per_s;
constexpr uint32_t buffer_rounds = 2;
constexpr syncline_address_t fetched_at = heap_reserved_bytes;
constexpr syncline_address_t posted_at = heap_reserved_bytes + 8;

class BufferRun {
  public:
    explicit BufferRun(uint64_t seed) : prng_(seed * 5) {
        draw_world(&prng_, &options_);
        options_.ports.assign(10 + prng_.below(4), 1);
        options_.ranks.clear();
        options_.packet_max.clear();
        options_.window = 9;
        options_.rows = static_cast<uint32_t>(1 + prng_.below(10));
        options_.faults.loss = std::min(options_.faults.loss, 0.1);
        world_ = std::make_unique<World>(seed, options_);
        fetched_.resize(world_->size());
    }

    // An account of what went wrong, or "".
    std::string run() {
        if (fw_buffers_of(world_->size(), options_.window) >= (world_->size() - 1) * options_.window) {
            wrong("there are buffers for all slots");
        }
        if (!world_->run([this](Endpoint* endpoint) { program(endpoint); }, buffer_time_limit_ns)) {
            wrong("some PE waits for ever");
        }
        const uint64_t others = world_->size() - 1;
        for (uint32_t rank = 0; rank < world_->size() && wrong_.empty(); rank++) {
            const uint64_t fetching = others * buffer_rounds * options_.window;
            check(rank, "fetching adds", world_->peek(rank, fetched_at), fetching);
            check(rank, "values", fetched_[rank].size(), fetching);
            check(rank, "posted adds", world_->peek(rank, posted_at), others * buffer_rounds);
        }
        return wrong_;
    }

  private:
    struct Fetch {
        uint32_t from;
        uint64_t value;
        syncline_request_t request;
    };

    void wrong(const std::string& what) {
        if (wrong_.empty()) {
            wrong_ = fmt::format("{} ({} nodes, {}, loss {})", what, world_->size(),
                                 options_.deposits ? "NICs deposit" : "sockets", options_.faults.loss);
        }
    }
    void check(uint32_t rank, const char* what, uint64_t found, uint64_t expected) {
        if (found != expected) {
            wrong(fmt::format("PE {} has {} {}, and {} were made", rank, found, what, expected));
        }
    }
    void ok(const char* what, int status) {
        if (status != SYNCLINE_OK) {
            wrong(fmt::format("{} returns '{}': {}", what, status_text(status), last_error_text()));
        }
    }

    static AtomicCall add(uint32_t to, syncline_address_t target, int more) {
        AtomicCall call = {
            .operation = SYNCLINE_ADD | SYNCLINE_64 | more, .rank = static_cast<int>(to), .target = target};
        call.operand[0] = 1;
        return call;
    }

    void round(Endpoint* endpoint) {
        std::vector<uint32_t> targets;
        for (uint32_t to = 0; to < endpoint->size(); to++) {
            if (to != endpoint->rank()) {
                targets.insert(targets.end(), options_.window + 1, to);
            }
        }
        for (size_t i = targets.size() - 1; i > 0; i--) {
            std::swap(targets[i], targets[prng_.below(i + 1)]);
        }
        std::vector<Fetch> fetches;
        fetches.reserve(targets.size());
        std::set<uint32_t> posted;
        for (const uint32_t to : targets) {
            if (posted.insert(to).second) {
                ok("post", endpoint->posting().post(add(to, posted_at, 0)));
                continue;
            }
            Fetch& fetch = fetches.emplace_back(Fetch{to, UINT64_MAX, {}});
            AtomicCall call = add(to, fetched_at, SYNCLINE_FETCH);
            call.result = &fetch.value;
            ok("start", endpoint->atomics().start(call, 0, &fetch.request));
        }
        for (const Fetch& fetch : fetches) {
            ok("wait", endpoint->requests().wait(fetch.request));
            if (!fetched_[fetch.from].insert(fetch.value).second) {
                wrong(fmt::format("PE {} gave {} twice", fetch.from, fetch.value));
            }
        }
    }

    void program(Endpoint* endpoint) {
        for (uint32_t i = 0; i < buffer_rounds; i++) {
            round(endpoint);
        }
        ok("quiet", endpoint->posting().quiet());
        ok("the barrier", JobBarrier(endpoint).run());
        (void)JobBarrier(endpoint).run();  // in the last one of a job, who is missing has left
    }

    Prng prng_;
    WorldOptions options_;
    std::unique_ptr<World> world_;
    std::vector<std::set<uint64_t>> fetched_;  // from each PE
    std::string wrong_;
};

TEST(Buffers, SufficeOnEverySeed) {
    for_each_seed(buffer_seeds, buffer_seeds / 10, [](uint64_t seed) { return BufferRun(seed).run(); });
}

}  // namespace
}  // namespace syncline::deterministic
