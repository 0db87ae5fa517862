// SPDX-License-Identifier: BSD-3-Clause
// Method: a NIC whose replies have more or fewer bytes than were asked for, under a good tag. Each get and each atomic
// that brings an old value must fail, and leave the caller's memory alone.
#include <gtest/gtest.h>

#include <algorithm>

#include "runtime/collective/job_barrier.h"
#include "tests/deterministic/world.h"

namespace syncline::deterministic {
namespace {

constexpr uint64_t reply_time_limit_ns = 60 * ns_per_s;
constexpr uint8_t reply_fill = 0xee;

class Replies : public testing::TestWithParam<bool> {
  protected:
    Replies() {
        options_.ports = {1, 1};
        options_.deposits = GetParam();
        world_ = std::make_unique<World>(1, options_);
        world_->at_replies([this](std::vector<uint8_t>* reply) { change(reply); });
    }

    // Those without data stay as they are.
    void change(std::vector<uint8_t>* reply) const {
        auto* header = reinterpret_cast<slw_header*>(reply->data());
        if (header->data_length == 0 || more_ == 0) {
            return;
        }
        const int length = std::clamp<int>(header->data_length + more_, 0, SLW_BODY_MAX);
        header->data_length = static_cast<uint16_t>(length);
        reply->resize(SLW_HEADER_BYTES + slw_padded(header->data_length));
        std::fill(reply->begin() + SLW_HEADER_BYTES + length, reply->end(), uint8_t{0});
    }

    int get(Endpoint* endpoint, size_t bytes) {
        brought_.assign(SLW_PACKET_MAX, reply_fill);
        return endpoint->bulk().get(1, heap_reserved_bytes, brought_.data(), bytes);
    }
    int get_pieces(Endpoint* endpoint) {
        const std::vector<Piece> list = {{0, 8}, {100, 50}, {1000, 300}};
        brought_.assign(SLW_PACKET_MAX, reply_fill);
        return endpoint->bulk().move_pieces(Direction::kGet,
                                            {1, heap_reserved_bytes, list.data(), list.size(), brought_.data()});
    }
    int fetch(Endpoint* endpoint, int operation) {
        brought_.assign(SLW_PACKET_MAX, reply_fill);
        return endpoint->atomics().execute({.operation = operation | SYNCLINE_FETCH,
                                            .rank = 1,
                                            .target = heap_reserved_bytes,
                                            .result = brought_.data()});
    }
    void expect(int status, int expected) {
        EXPECT_EQ(status, expected) << more_ << " bytes more";
        const bool kept =
            std::all_of(brought_.begin(), brought_.end(), [](uint8_t byte) { return byte == reply_fill; });
        EXPECT_EQ(kept, expected != SYNCLINE_OK) << more_ << " bytes more";
    }

    void program(Endpoint* endpoint) {
        for (const int more : {0, 1, 8, 64, 1000, -1, -8, 0}) {
            more_ = more;
            const int expected = more == 0 ? SYNCLINE_OK : SYNCLINE_ERR_PROTOCOL;
            for (const size_t bytes : {1, 3, 8, 100, 1408}) {
                expect(get(endpoint, bytes), expected);
            }
            expect(get_pieces(endpoint), expected);
            expect(fetch(endpoint, SYNCLINE_ADD | SYNCLINE_64), expected);
            expect(fetch(endpoint, SYNCLINE_SWAP | SYNCLINE_32), expected);
            expect(fetch(endpoint, SYNCLINE_SWAP | SYNCLINE_128), expected);
        }
    }

    WorldOptions options_;
    std::unique_ptr<World> world_;
    int more_ = 0;
    std::vector<uint8_t> brought_;
};

TEST_P(Replies, OfAnotherLengthAreRefused) {
    EXPECT_TRUE(world_->run(
        [this](Endpoint* endpoint) {
            if (endpoint->rank() == 0) {
                program(endpoint);
            }
            EXPECT_EQ(JobBarrier(endpoint).run(), SYNCLINE_OK);
        },
        reply_time_limit_ns));
}

INSTANTIATE_TEST_SUITE_P(Replies, Replies, testing::Bool(),
                         [](const auto& deposits) { return deposits.param ? "target" : "sockets"; });

}  // namespace
}  // namespace syncline::deterministic
