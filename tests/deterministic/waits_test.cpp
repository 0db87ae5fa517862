// SPDX-License-Identifier: BSD-3-Clause
// Method: a request is lost while its PE waits again and again for no longer than a moment, as for a lock whose holder
// is of its node. There is no daemon's timer here: the waits have to send the request again themselves. Other waits are
// interrupted, or for a node that does not answer.
#include <gtest/gtest.h>

#include <vector>

#include "base/os.h"
#include "base/sizes.h"
#include "runtime/collective/job_barrier.h"
#include "runtime/ground/interruption.h"
#include "tests/deterministic/world.h"

namespace syncline::deterministic {
namespace {

constexpr syncline_address_t waits_word = heap_reserved_bytes;
constexpr uint64_t waits_time_limit_ns = 60 * ns_per_s;

// Until the word of PE 1 has changed, or so long.
uint64_t wait_in_moments(World* world, Endpoint* endpoint, uint64_t moment_ns) {
    const uint64_t begun = now_ns();
    while (world->peek(1, waits_word) == 0 && now_ns() - begun < ns_per_s) {
        (void)endpoint->waiting().wait_for([] { return false; }, now_ns() + moment_ns);
    }
    return now_ns() - begun;
}

TEST(Waits, OfAMomentSendAgainWhatWasLost) {
    for (const uint64_t moment_ns : {uint64_t{0}, 2 * ns_per_us, 100 * ns_per_us, 5 * ns_per_ms}) {
        for (const int mode : {SYNCLINE_WAIT_POLL, SYNCLINE_WAIT_BLOCK}) {
            WorldOptions options;
            options.ports = {1, 1};
            options.endpoint.wait_mode = mode;
            World world(1, options);
            uint64_t waited = 0;
            EXPECT_TRUE(world.run(
                [&](Endpoint* endpoint) {
                    if (endpoint->rank() == 0) {
                        world.cut(1, true);
                        world.scheduler().at(world.scheduler().now() + ns_per_ms, [&] { world.cut(1, false); });
                        EXPECT_EQ(endpoint->posting().post_word(SYNCLINE_SWAP | SYNCLINE_64, 1, waits_word, 1),
                                  SYNCLINE_OK);
                        waited = wait_in_moments(&world, endpoint, moment_ns);
                    }
                    EXPECT_EQ(JobBarrier(endpoint).run(), SYNCLINE_OK);
                    EXPECT_EQ(endpoint->posting().quiet(), SYNCLINE_OK);
                },
                waits_time_limit_ns));
            EXPECT_LT(waited, 30 * ns_per_ms) << "waits of " << moment_ns << " ns, mode " << mode;
        }
    }
}

// PE 0 makes calls towards PE 1 that its program interrupts in the second question.
class Interrupted {
  public:
    Interrupted(World* world, Endpoint* endpoint) : world_(world), endpoint_(endpoint) {
        set_interrupt([](void* self) { return static_cast<Interrupted*>(self)->answer(); }, this);
    }
    ~Interrupted() {
        set_interrupt(nullptr, nullptr);
        begin_call("test");
    }

    template <typename Call>
    void expect(const char* name, Call&& call) {
        questions_ = 0;
        const uint64_t begun = now_ns();
        begin_call("test", kInterruptible);
        EXPECT_EQ(call(), SYNCLINE_ERR_INTERRUPTED) << name;
        EXPECT_EQ(questions_, 2) << name;
        EXPECT_GE(now_ns() - begun, 100 * ns_per_ms) << name;
        EXPECT_LT(now_ns() - begun, 200 * ns_per_ms) << name;
    }

    void make_calls() {
        Bulk& bulk = endpoint_->bulk();
        expect("put", [&] { return bulk.put(1, waits_word, bytes_.data(), 100); });
        expect("get", [&] { return bulk.get(1, waits_word, bytes_.data(), 100); });
        expect("atomic", [&] { return endpoint_->atomics().execute(fetch(&bytes_[0])); });
        expect("fence", [&] { return endpoint_->posting().fence(1); });
        expect("quiet", [&] { return endpoint_->posting().quiet(); });
        syncline_request_t request = 0;
        begin_call("test");
        EXPECT_EQ(bulk.get_nb(1, waits_word + 8192, later_.data(), 100, 0, &request), SYNCLINE_OK);
        expect("wait", [&] { return endpoint_->requests().wait(request); });
        expect("wait again", [&] { return endpoint_->requests().wait(request); });
        expect("get of much", [&] { return bulk.get(1, waits_word, bytes_.data(), bytes_.size()); });
        expect("put without room", [&] { return bulk.put(1, waits_word, bytes_.data(), 8); });
        expect("atomic without room", [&] { return endpoint_->atomics().execute(fetch(&bytes_[0])); });
        world_->cut(1, false);
        begin_call("test");
        EXPECT_EQ(endpoint_->requests().wait(request), SYNCLINE_OK);
        EXPECT_EQ(endpoint_->posting().quiet(), SYNCLINE_OK);
        EXPECT_EQ(later_, std::vector<uint8_t>(100, 0));
        EXPECT_EQ(bytes_, std::vector<uint8_t>(bytes_.size(), 7)) << "answers have reached the memory of an ended call";
    }

  private:
    static AtomicCall fetch(void* result) {
        return {.operation = SYNCLINE_ADD | SYNCLINE_64 | SYNCLINE_FETCH,
                .rank = 1,
                .target = waits_word + 4096,
                .operand = {1, 0},
                .result = result};
    }
    int answer() {
        begin_call("a call in between");
        return ++questions_ == 2 ? 1 : 0;
    }

    World* const world_;
    Endpoint* const endpoint_;
    std::vector<uint8_t> bytes_ = std::vector<uint8_t>(100'000, 7);
    std::vector<uint8_t> later_ = std::vector<uint8_t>(100, 7);
    int questions_ = 0;
};

TEST(Waits, EndWhereTheProgramInterruptsThem) {
    for (const int mode : {SYNCLINE_WAIT_POLL, SYNCLINE_WAIT_BLOCK}) {
        for (const bool deposits : {false, true}) {
            WorldOptions options;
            options.ports = {1, 1};
            options.window = 16;  // there is room for the first calls
            options.deposits = deposits;
            options.endpoint.wait_mode = mode;
            options.endpoint.peer_timeout_ms = 60'000;
            options.heap_bytes = round_up(200'000, SLW_BLOCK_BYTES);
            World world(1, options);
            EXPECT_TRUE(world.run(
                [&](Endpoint* endpoint) {
                    if (endpoint->rank() == 0) {
                        world.cut(1, true);
                        Interrupted(&world, endpoint).make_calls();
                    } else {
                        sleep_on({}, 3 * ns_per_s);  // the words of call.h are those of all PEs here
                    }
                    EXPECT_EQ(JobBarrier(endpoint).run(), SYNCLINE_OK);
                },
                waits_time_limit_ns));
        }
    }
}

// Where NICs deposit replies, most packets of such a call follow others.
void wait_for_a_silent_node(Direction direction, int mode, bool deposits) {
    constexpr uint32_t peer_timeout_ms = 1000;
    constexpr uint64_t most_steps = 5'000'000;
    WorldOptions options;
    options.ports = {1, 1};
    options.window = 16;
    options.deposits = deposits;
    options.endpoint.wait_mode = mode;
    options.endpoint.peer_timeout_ms = peer_timeout_ms;
    options.heap_bytes = round_up(200'000, SLW_BLOCK_BYTES);
    World world(1, options);
    const auto call = [&](Endpoint* endpoint) {
        std::vector<uint8_t> bytes(100'000);
        world.cut(1, true);
        const uint64_t begun = now_ns();
        EXPECT_EQ(direction == Direction::kPut ? endpoint->bulk().put(1, waits_word, bytes.data(), bytes.size())
                                               : endpoint->bulk().get(1, waits_word, bytes.data(), bytes.size()),
                  SYNCLINE_ERR_PEER);
        EXPECT_GE(now_ns() - begun, peer_timeout_ms * ns_per_ms);
        EXPECT_LT(now_ns() - begun, 2 * peer_timeout_ms * ns_per_ms);
    };
    EXPECT_TRUE(world.run(
        [&](Endpoint* endpoint) {
            if (endpoint->rank() == 0) {
                // A wait that sends at every step has hardly any time pass.
                world.scheduler().at_step(0, most_steps, [&] {
                    ADD_FAILURE() << "the wait has no end";
                    world.kill(0);
                });
                call(endpoint);
            }
        },
        3 * peer_timeout_ms * ns_per_ms));
}

TEST(Waits, OfManyPacketsEndWithTheirNode) {
    for (const Direction direction : {Direction::kPut, Direction::kGet}) {
        for (const int mode : {SYNCLINE_WAIT_POLL, SYNCLINE_WAIT_BLOCK}) {
            for (const bool deposits : {false, true}) {
                SCOPED_TRACE(testing::Message() << (direction == Direction::kPut ? "put" : "get") << ", mode " << mode
                                                << (deposits ? ", NICs deposit" : ", sockets"));
                wait_for_a_silent_node(direction, mode, deposits);
            }
        }
    }
}

}  // namespace
}  // namespace syncline::deterministic
