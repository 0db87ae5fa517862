// SPDX-License-Identifier: BSD-3-Clause
// Method: PEs trace while one of them waits for a word that comes late, or while a node is cut off. In the midst of it
// the test reads the traces, as `syncline top --trace` does, and finds who waits for what.
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "base/os.h"
#include "job/trace_text.h"
#include "runtime/collective/job_barrier.h"
#include "runtime/endpoint/word_wait.h"
#include "tests/deterministic/world.h"

namespace syncline::deterministic {
namespace {

constexpr syncline_address_t traced_word = heap_reserved_bytes;
constexpr uint64_t traces_time_limit_ns = 60 * ns_per_s;

class Traces {
  public:
    explicit Traces(World* world) : world_(world) {}

    void begin(Endpoint* endpoint) {
        endpoint->attachment().begin_trace(1024);
        traces_.push_back(&endpoint->attachment().trace());
    }
    std::string text() const {
        std::vector<ReadTrace> read;
        for (const Trace* const trace : traces_) {
            read.push_back(*read_trace(trace->ring()->copy()));
        }
        return render_traces(read, world_->scheduler().now(), 200);
    }
    // Keeps the text of the moment so long from now.
    void read_after(uint64_t ns) {
        world_->scheduler().at(world_->scheduler().now() + ns, [this] { kept_ = text(); });
    }
    const std::string& kept() const { return kept_; }

  private:
    World* const world_;
    std::vector<const Trace*> traces_;
    std::string kept_;
};

// A signal to the PE ends a single sleep.
void compute_for(uint64_t ns) {
    const uint64_t end = now_ns() + ns;
    while (now_ns() < end) {
        (void)sleep_on({}, end - now_ns());
    }
}

void run_with_late_word(int mode, bool deposits, std::string* text) {
    WorldOptions options;
    options.ports = {1, 1, 1};
    options.deposits = deposits;
    options.endpoint.wait_mode = mode;
    World world(1, options);
    Traces traces(&world);
    traces.read_after(3 * ns_per_s);
    EXPECT_TRUE(world.run(
        [&](Endpoint* endpoint) {
            traces.begin(endpoint);
            begin_call("test");
            if (endpoint->rank() == 0) {
                auto* const word = static_cast<uint64_t*>(endpoint->memory().local(traced_word));
                EXPECT_EQ(wait_until64(endpoint, word, SYNCLINE_NE, 0, -1), SYNCLINE_OK);
            } else if (endpoint->rank() == 2) {
                compute_for(4 * ns_per_s);
                EXPECT_EQ(endpoint->posting().post_word(SYNCLINE_SWAP | SYNCLINE_64, 0, traced_word, 1), SYNCLINE_OK);
            }
            EXPECT_EQ(JobBarrier(endpoint).run(), SYNCLINE_OK);
        },
        traces_time_limit_ns));
    *text = traces.kept();
}

TEST(Traces, NameTheWaitOfAPeThatHangs) {
    for (const int mode : {SYNCLINE_WAIT_POLL, SYNCLINE_WAIT_BLOCK}) {
        for (const bool deposits : {false, true}) {
            std::string text;
            run_with_late_word(mode, deposits, &text);
            const size_t first = text.find("the last ");
            ASSERT_NE(first, std::string::npos) << text;
            const std::string waits = text.substr(0, first);
            for (const char* const wait :
                 {" has waited for 3.0", "waits now: test for the word of its own memory at 0x"}) {
                EXPECT_NE(waits.find(wait), std::string::npos) << wait << " in\n" << text;
            }
            EXPECT_NE(waits.find("PE 1 "), std::string::npos) << text;
            EXPECT_NE(waits.find("for the job's barrier, for PE 0"), std::string::npos) << text;
            EXPECT_EQ(waits.find("PE 2 "), std::string::npos) << "it computes\n" << text;
        }
    }
}

TEST(Traces, TellOfRequestsThatGetNoAnswer) {
    WorldOptions options;
    options.ports = {1, 1};
    options.endpoint.peer_timeout_ms = 500;
    World world(1, options);
    Traces traces(&world);
    traces.read_after(300 * ns_per_ms);
    std::string end;
    EXPECT_TRUE(world.run(
        [&](Endpoint* endpoint) {
            traces.begin(endpoint);
            begin_call("test");
            if (endpoint->rank() == 0) {
                uint64_t old = 0;
                AtomicCall add = {.operation = SYNCLINE_ADD | SYNCLINE_64 | SYNCLINE_FETCH,
                                  .rank = 1,
                                  .target = traced_word,
                                  .operand = {1, 0},
                                  .result = &old};
                EXPECT_EQ(endpoint->atomics().execute(add), SYNCLINE_OK);
                world.cut(1, true);
                EXPECT_EQ(endpoint->atomics().execute(add), SYNCLINE_ERR_PEER);
                end = traces.text();
            } else {
                compute_for(2 * ns_per_s);
            }
        },
        traces_time_limit_ns));
    EXPECT_NE(traces.kept().find("PE 0: sends request 0.1 to node 1: fetch add64\n"), std::string::npos)
        << traces.kept();
    EXPECT_NE(traces.kept().find("PE 0: has the answer to request 0.1 to node 1\n"), std::string::npos)
        << traces.kept();
    EXPECT_NE(traces.kept().find("PE 0: sends request 0.2 to node 1 again, the 3. time\n"), std::string::npos)
        << traces.kept();
    EXPECT_NE(traces.kept().find("waits now: test for the answers to an operation\n"), std::string::npos)
        << traces.kept();
    EXPECT_NE(end.find("PE 0: gives node 1 up, which has not answered for 0.5"), std::string::npos) << end;
    EXPECT_EQ(end.find("waits now: test"), std::string::npos) << end;
}

TEST(Traces, GoRoundWhenTheyAreFull) {
    WorldOptions options;
    options.ports = {1, 1};
    World world(1, options);
    std::vector<uint8_t> copy;
    EXPECT_TRUE(world.run(
        [&](Endpoint* endpoint) {
            endpoint->attachment().begin_trace(64);
            uint64_t old = 0;
            AtomicCall add = {.operation = SYNCLINE_ADD | SYNCLINE_64 | SYNCLINE_FETCH,
                              .rank = 1,
                              .target = traced_word,
                              .operand = {1, 0},
                              .result = &old};
            for (int i = 0; endpoint->rank() == 0 && i < 100; i++) {
                EXPECT_EQ(endpoint->atomics().execute(add), SYNCLINE_OK);
            }
            if (endpoint->rank() == 0) {
                copy = endpoint->attachment().trace().ring()->copy();
            }
            EXPECT_EQ(JobBarrier(endpoint).run(), SYNCLINE_OK);
        },
        traces_time_limit_ns));
    const std::optional<ReadTrace> trace = read_trace(copy);
    ASSERT_TRUE(trace);
    EXPECT_EQ(trace->events.size(), 64u);
    EXPECT_GE(trace->events.back().number, 200u);
    EXPECT_EQ(trace->events.front().number + 63, trace->events.back().number);
}

}  // namespace
}  // namespace syncline::deterministic
