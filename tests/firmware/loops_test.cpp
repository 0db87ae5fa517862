// SPDX-License-Identifier: BSD-3-Clause
// Method: packets of many operations, of which loops lose their words to a rival. The firmware is compiled so that the
// rival, a process with the same memory, changes a word in front of each compare&swap on it. An operation that loses
// too often stops the packet with RETRY, and the rest, which skip_executed() makes, goes on with that operation. At the
// end each word holds what one execution of its operation makes of it.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cstring>

#include "base/prng.h"
#include "contended_target.h"
#include "fabric/packet/connection/executed_part.h"
#include "native_target.h"
#include "packet.h"

namespace syncline::test {
namespace {

constexpr uint64_t word_bytes = 16;

// Adds 1 to each word so many times.
std::array<uint32_t, SLW_UNITS_MAX> rounds_of_rival;
const uint8_t* first_word;

void interfere(void* word) {
    const auto place = static_cast<size_t>(static_cast<uint8_t*>(word) - first_word);
    if (place % word_bytes == 0 && place / word_bytes < rounds_of_rival.size() &&
        rounds_of_rival[place / word_bytes] != 0) {
        rounds_of_rival[place / word_bytes]--;
        uint32_t low = 0;
        std::memcpy(&low, word, sizeof low);
        low++;
        std::memcpy(word, &low, sizeof low);
    }
}

struct Step {
    uint32_t code;
    uint64_t operand;
    uint32_t rounds;    // of the rival
    uint64_t expected;  // the word's value in the end
};

// Every word begins with 1000 in its lower and 2 in its upper half.
constexpr uint64_t initial = uint64_t{2} << 32 | 1000;

// Operations that fetch nothing, on a word each.
Step draw_step(Prng* prng) {
    const auto rounds = static_cast<uint32_t>(prng->below(3) == 0 ? prng->below(50) : 0);
    const uint64_t left = initial + rounds;  // by the rival
    switch (prng->below(7)) {
        case 0:
            return {SLW_ADD | SLW_WIDTH_64, 7, 0, initial + 7};
        case 1:
            return {SLW_CAS | SLW_WIDTH_64, 8, 0, 8};
        case 2:
            return {SLW_XOR | SLW_WIDTH_32, 5, 0, initial ^ 5};
        case 3:
            return {SLW_UMAX | SLW_WIDTH_64, 5000, rounds, left};
        case 4:
            return {SLW_UMAX | SLW_WIDTH_32, 5000, rounds, (left & ~uint64_t{UINT32_MAX}) | 5000};
        case 5:
            return {SLW_SMIN | SLW_WIDTH_32, UINT32_MAX, rounds, left | UINT32_MAX};
        default:
            return {SLW_SMIN | SLW_WIDTH_64, ~uint64_t{0}, rounds, ~uint64_t{0}};
    }
}

class Loops : public testing::Test {
  protected:
    Loops() {
        contended_interfere = interfere;
        first_word = memory();
    }
    ~Loops() override { rounds_of_rival = {}; }

    uint8_t* memory() { return target_.memory(shape_.segments[0]).data(); }
    uint64_t word(size_t index) {
        uint64_t value = 0;
        std::memcpy(&value, memory() + index * word_bytes, sizeof value);
        return value;
    }

    slw_header deliver(Bytes packet) { return deliver_contended(&target_, std::move(packet)); }

    Request request_of(const std::vector<Step>& steps, uint32_t sequence) {
        Request request = Request::from(shape_.config, 1, 1, 0, sequence);
        rounds_of_rival = {};
        for (size_t i = 0; i < steps.size(); i++) {
            std::memcpy(memory() + i * word_bytes, &initial, sizeof initial);
            rounds_of_rival[i] = steps[i].rounds;
            const uint64_t comparand[] = {initial, 0};
            const bool compares = (slw_traits_of(steps[i].code) & SLW_COMPARES) != 0;
            request.add(steps[i].code, 0, 0, i * word_bytes, steps[i].operand,
                        compares ? std::span<const uint64_t>(comparand) : std::span<const uint64_t>());
        }
        return request;
    }

    const TargetShape shape_ = TargetShape::small(true);
    NativeTarget target_{shape_};
};

TEST_F(Loops, go_on_behind_what_was_executed) {
    uint32_t sequence = 0;
    uint32_t rests = 0;
    for (uint64_t seed = 1; seed <= 300; seed++) {
        SCOPED_TRACE(seed);
        Prng prng(seed);
        std::vector<Step> steps(1 + prng.below(seed % 4 == 0 ? 250 : 40));
        std::generate(steps.begin(), steps.end(), [&] { return draw_step(&prng); });
        Bytes packet = request_of(steps, ++sequence).packet(shape_.config);
        auto* const header = reinterpret_cast<slw_header*>(packet.data());
        EXPECT_EQ(may_be_partial(header), std::any_of(steps.begin(), steps.end(), [](const Step& step) {
                      return (slw_traits_of(step.code) & SLW_REPEATS) != 0;
                  }));
        for (slw_header reply = deliver(packet); reply.status != SLW_OK; reply = deliver(packet), rests++) {
            ASSERT_EQ(reply.status, SLW_RETRY);
            const slw_header duplicate = deliver(packet);
            ASSERT_TRUE(duplicate.status == SLW_RETRY && duplicate.executed == reply.executed);
            const uint32_t units = header->units;
            ASSERT_TRUE(skip_executed(header, reply.executed));
            ASSERT_EQ(header->units, units - reply.executed);
            header->sequence = ++sequence;
            fw_seal(&shape_.config, packet.data());
        }
        for (size_t i = 0; i < steps.size(); i++) {
            ASSERT_EQ(word(i), steps[i].expected) << "operation " << i << ", code " << steps[i].code;
        }
    }
    EXPECT_GT(rests, 300u);
}

// The rival is in front of the fifteenth or the sixteenth compare&swap at last.
TEST_F(Loops, have_sixteen_rounds) {
    uint32_t sequence = 0;
    for (const uint32_t code : {SLW_UMAX | SLW_WIDTH_64 | SLW_FETCH, SLW_SMAX | SLW_WIDTH_32 | SLW_FETCH}) {
        for (const uint32_t rounds : {15u, 16u}) {
            const std::vector<Step> steps = {{code, 9000, rounds, 0}};
            const slw_header reply = deliver(request_of(steps, ++sequence).packet(shape_.config));
            EXPECT_EQ(reply.status, rounds < 16 ? SLW_OK : SLW_RETRY);
            EXPECT_EQ(reply.executed, rounds < 16 ? 1 : 0);
            EXPECT_EQ(reply.data_length, rounds < 16 ? 8 : 0);
        }
    }
}

// A put in front of the operation that is to be repeated has been executed: its bytes do not go out again.
TEST_F(Loops, leave_the_data_of_a_put_behind) {
    const std::vector<Step> steps = {{SLW_UMAX | SLW_WIDTH_64, 9000, UINT32_MAX, 0}};
    Request loop = request_of(steps, 1);
    Request request = Request::from(shape_.config, 1, 1, 0, 1);
    request.add(SLW_PUT, 0, 0, 512, 20);
    request.data.assign(20, 9);
    request.units.push_back(loop.units[0]);
    Bytes packet = request.packet(shape_.config);
    const slw_header reply = deliver(packet);
    EXPECT_EQ(reply.status, SLW_RETRY);
    EXPECT_EQ(reply.executed, 1u);
    auto* const header = reinterpret_cast<slw_header*>(packet.data());
    ASSERT_TRUE(skip_executed(header, 1));
    EXPECT_EQ(header->units, 1u);
    EXPECT_EQ(header->data_length, 0u);
    slw_unit left;
    std::memcpy(&left, packet.data() + SLW_HEADER_BYTES, sizeof left);
    EXPECT_EQ(std::memcmp(&left, &loop.units[0], sizeof left), 0);
}

// A target that keeps to the protocol reports no such part.
TEST_F(Loops, refuse_a_cut_that_makes_no_sense) {
    const uint64_t comparand[] = {1, 0};
    const auto cut = [&](Request request, uint32_t executed) {
        Bytes packet = request.packet(shape_.config);
        const Bytes whole = packet;
        const bool is_cut = skip_executed(reinterpret_cast<slw_header*>(packet.data()), executed);
        EXPECT_TRUE(is_cut || packet == whole);
        return is_cut;
    };
    const auto request = [&] { return Request::from(shape_.config, 1, 1, 0, 1); };
    const uint32_t add = SLW_ADD | SLW_WIDTH_64, cas = SLW_CAS | SLW_WIDTH_64, umax = SLW_UMAX | SLW_WIDTH_64;
    EXPECT_TRUE(cut(request().add(add, 0, 0, 0, 1).add(umax, 0, 0, 8, 1), 1));
    EXPECT_FALSE(cut(request().add(add, 0, 0, 0, 1).add(umax, 0, 0, 8, 1), 2));             // nothing is left
    EXPECT_FALSE(cut(request().add(add, 0, 0, 0, 1).add(umax, 0, 0, 8, 1), 65535));         // more than there is
    EXPECT_FALSE(cut(request().add(cas, 0, 0, 0, 1, comparand).add(umax, 0, 0, 8, 1), 1));  // within an operation
    EXPECT_TRUE(cut(request().add(cas, 0, 0, 0, 1, comparand).add(umax, 0, 0, 8, 1), 2));
    EXPECT_FALSE(cut(request().add(add | SLW_FETCH, 0, 0, 0, 1).add(umax, 0, 0, 8, 1), 1));  // its result would be lost
}

}  // namespace
}  // namespace syncline::test
