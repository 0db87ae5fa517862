// SPDX-License-Identifier: BSD-3-Clause
// Method: each guarantee of firmware.h and execute.h by itself, on the native firmware: packets are built by hand, and
// the reply, the memory and the counters are looked at. (That the kernel does the same is differential_test.cpp's
// business.)
#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>

#include "native_target.h"
#include "packet.h"

namespace syncline::test {
namespace {

constexpr uint32_t add64 = SLW_ADD | SLW_WIDTH_64;
constexpr uint32_t fetch_add64 = add64 | SLW_FETCH;

class Firmware : public testing::Test {
  protected:
    explicit Firmware(const TargetShape& shape = TargetShape::small(true)) : shape_(shape), target_(shape_) {}

    Request request(uint32_t sequence, uint16_t slot = 0) { return Request::from(shape_.config, 1, 1, slot, sequence); }

    struct Answer {
        fw_verdict verdict;
        slw_header header;
        std::vector<uint64_t> results;
        Bytes data;
    };

    Answer deliver(Bytes packet) {
        uint32_t length = static_cast<uint32_t>(packet.size());
        packet.resize(SLW_PACKET_MAX);
        Answer answer{};
        answer.verdict = fw_execute_packet(&target_.target(), packet.data(), length, &length);
        if (answer.verdict == FW_REPLY) {
            packet.resize(length);
            answer.header = header_of(packet);
            const std::span<const uint8_t> data = data_of(packet);
            answer.data.assign(data.begin(), data.end());
            for (size_t at = 0; at + 8 <= data.size(); at += 8) {
                uint64_t result;
                std::memcpy(&result, data.data() + at, sizeof result);
                answer.results.push_back(result);
            }
        }
        return answer;
    }
    Answer deliver(const Request& request) { return deliver(request.packet(shape_.config)); }

    uint64_t& word(uint64_t offset) {
        return *reinterpret_cast<uint64_t*>(target_.memory(shape_.segments[0]).data() + offset);
    }
    uint64_t count(fw_counter counter) { return target_.counters().value[counter]; }

    const TargetShape shape_;
    NativeTarget target_;
};

TEST_F(Firmware, executes_a_request_once_and_answers_each_copy_alike) {
    word(64) = 40;
    const Request once = request(1).add(fetch_add64, 0, 0, 64, 2);
    for (int copy = 0; copy < 3; copy++) {
        const Answer answer = deliver(once);
        ASSERT_EQ(answer.verdict, FW_REPLY);
        EXPECT_EQ(answer.header.kind, SLW_REPLY);
        EXPECT_EQ(answer.header.sequence, 1u);
        EXPECT_EQ(answer.header.status, SLW_OK);
        EXPECT_EQ(answer.results, std::vector<uint64_t>{40});
    }
    EXPECT_EQ(word(64), 42u);
    EXPECT_EQ(count(FW_COUNT_duplicates), 2u);
    EXPECT_EQ(count(FW_COUNT_operations), 1u);
}

TEST_F(Firmware, drops_what_is_older_than_the_last) {
    EXPECT_EQ(deliver(request(5).add(add64, 0, 0, 0, 1)).verdict, FW_REPLY);
    EXPECT_EQ(deliver(request(4).add(add64, 0, 0, 0, 1)).verdict, FW_DROP);
    EXPECT_EQ(deliver(request(6).add(add64, 0, 0, 0, 1)).verdict, FW_REPLY);
    EXPECT_EQ(word(0), 2u);
    EXPECT_EQ(count(FW_COUNT_rejected_stale), 1u);
}

TEST_F(Firmware, never_takes_sequence_0_first) {
    EXPECT_EQ(deliver(request(0).add(add64, 0, 0, 0, 1)).verdict, FW_DROP);
    EXPECT_EQ(word(0), 0u);
}

TEST_F(Firmware, goes_on_where_sequences_wrap) {
    fw_slot slot{};
    slot.word = 0xfffffffeull << 8 | FW_SLOT_DONE;
    target_.set_slot(1 * shape_.config.window, slot);
    for (const uint32_t sequence : {0xffffffffu, 0u, 1u}) {
        EXPECT_EQ(deliver(request(sequence).add(add64, 0, 0, 0, 1)).verdict, FW_REPLY) << sequence;
        EXPECT_EQ(deliver(request(sequence).add(add64, 0, 0, 0, 1)).verdict, FW_REPLY) << sequence;
    }
    EXPECT_EQ(deliver(request(0xffffffffu).add(add64, 0, 0, 0, 1)).verdict, FW_DROP);
    EXPECT_EQ(word(0), 3u);
}

TEST_F(Firmware, keeps_slots_and_sources_apart) {
    for (uint16_t slot = 0; slot < 4; slot++) {
        EXPECT_EQ(deliver(request(1, slot).add(add64, 0, 0, 0, 1)).verdict, FW_REPLY);
    }
    EXPECT_EQ(deliver(Request::from(shape_.config, 2, 2, 0, 1).add(add64, 0, 0, 0, 1)).verdict, FW_REPLY);
    EXPECT_EQ(word(0), 5u);
}

TEST_F(Firmware, counts_for_each_rank_what_is_executed) {
    EXPECT_EQ(deliver(request(3, 0).add(add64, 0, 0, 0, 1)).verdict, FW_REPLY);
    EXPECT_EQ(deliver(request(7, 1).add(SLW_GET, 0, 0, 0, 8)).verdict, FW_REPLY);
    EXPECT_EQ(deliver(request(7, 1).add(SLW_GET, 0, 0, 0, 8)).verdict, FW_REPLY) << "again";
    EXPECT_EQ(deliver(request(5, 0).add(add64, 0, 0, 0, 1)).verdict, FW_REPLY);
    EXPECT_EQ(deliver(request(9, 3).add(add64, 0, 0, 0, 1)).verdict, FW_REPLY) << "the runtime's own slot";
    EXPECT_EQ(deliver(Request::from(shape_.config, 2, 2, 0, 1).add(add64, 0, 0, 0, 1)).verdict, FW_REPLY);
    EXPECT_EQ(target_.sources()[1].executed, 5u + 7u);
    EXPECT_EQ(target_.sources()[2].executed, 1u);
    EXPECT_EQ(target_.sources()[0].executed, 0u);
}

TEST_F(Firmware, has_a_row_for_each_rank_that_sends) {
    target_.rows().room = 1;
    EXPECT_EQ(deliver(request(1).add(add64, 0, 0, 0, 1)).verdict, FW_REPLY);
    const Request late = Request::from(shape_.config, 2, 2, 0, 1).add(add64, 0, 0, 0, 1);
    EXPECT_EQ(deliver(late).verdict, FW_DROP);
    EXPECT_EQ(deliver(request(2, 1).add(add64, 0, 0, 0, 1)).verdict, FW_REPLY) << "the first rank has its row";
    EXPECT_EQ(count(FW_COUNT_rejected_room), 1u);
    EXPECT_EQ(target_.sources()[2].row, 0u);
    target_.rows().room = 2;
    EXPECT_EQ(deliver(late).verdict, FW_REPLY);
    EXPECT_EQ(deliver(late).verdict, FW_REPLY);
    EXPECT_EQ(word(0), 3u) << "once";
    EXPECT_EQ(target_.rows().taken, 2u);
    EXPECT_EQ(target_.sources()[1].row, 1u);
    EXPECT_EQ(target_.sources()[2].row, 2u);
}

TEST_F(Firmware, waits_for_the_cpu_that_takes_a_row) {
    target_.write_source(1, {FW_ROW_CLAIMED, 0});
    EXPECT_EQ(deliver(request(1).add(add64, 0, 0, 0, 1)).verdict, FW_DROP);
    EXPECT_EQ(count(FW_COUNT_rejected_busy), 1u);
    EXPECT_EQ(target_.rows().taken, 0u);
    target_.write_source(1, {});
    EXPECT_EQ(deliver(request(1).add(add64, 0, 0, 0, 1)).verdict, FW_REPLY);
}

TEST_F(Firmware, never_executes_what_was_closed) {
    for (int copy = 0; copy < 2; copy++) {
        const Answer answer = deliver(request(3).add(SLW_CLOSE, 0, 0, 0, 0));
        EXPECT_EQ(answer.header.status, SLW_CLOSED);
        EXPECT_EQ(answer.header.executed, 0u);
        EXPECT_EQ(answer.header.data_length, 0u);
    }
    EXPECT_EQ(deliver(request(3).add(add64, 0, 0, 0, 1)).header.status, SLW_CLOSED);
    EXPECT_EQ(word(0), 0u);
    EXPECT_EQ(deliver(request(4).add(add64, 0, 0, 0, 1)).header.status, SLW_OK) << "under the next sequence";
    EXPECT_EQ(word(0), 1u);
    EXPECT_EQ(deliver(request(3).add(SLW_CLOSE, 0, 0, 0, 0)).verdict, FW_DROP);
    EXPECT_EQ(count(FW_COUNT_rejected_stale), 1u);
    EXPECT_EQ(target_.sources()[1].executed, 4u);
}

TEST_F(Firmware, answers_a_closing_as_the_request_that_it_has_executed) {
    word(0) = 41;
    EXPECT_EQ(deliver(request(1).add(fetch_add64, 0, 0, 0, 1)).results[0], 41u);
    const Answer answer = deliver(request(1).add(SLW_CLOSE, 0, 0, 0, 0));
    EXPECT_EQ(answer.header.status, SLW_OK);
    EXPECT_EQ(answer.header.executed, 1u);
    EXPECT_EQ(answer.results[0], 41u);
    EXPECT_EQ(deliver(request(2).add(add64, 0, 0, 12, 1)).header.status, SLW_MISALIGNED);
    EXPECT_EQ(deliver(request(2).add(SLW_CLOSE, 0, 0, 0, 0)).header.status, SLW_MISALIGNED);
    EXPECT_EQ(word(0), 42u);
}

TEST_F(Firmware, closes_by_the_first_operation_only) {
    const Answer first = deliver(request(1).add(SLW_CLOSE, 0, 0, 0, 0).add(add64, 0, 0, 0, 1));
    EXPECT_EQ(first.header.status, SLW_CLOSED);
    const Answer second = deliver(request(2).add(add64, 0, 0, 0, 1).add(SLW_CLOSE, 0, 0, 0, 0));
    EXPECT_EQ(second.header.status, SLW_BAD_OPERATION);
    EXPECT_EQ(second.header.executed, 1u);
    EXPECT_EQ(word(0), 1u);
}

TEST_F(Firmware, puts_results_where_their_units_are) {
    word(0) = 7;
    const uint64_t comparand[] = {7};
    const Answer answer = deliver(request(1)
                                      .add(add64, 0, 0, 8, 1)
                                      .add(SLW_CAS | SLW_WIDTH_64 | SLW_FETCH, 0, 0, 0, 9, comparand)
                                      .add(fetch_add64, 0, 0, 0, 1));
    ASSERT_EQ(answer.results.size(), 4u);  // 8 bytes for each unit, of which the compare&swap has two
    EXPECT_EQ(answer.results[1], 7u);
    EXPECT_EQ(answer.results[3], 9u);
    EXPECT_EQ(answer.header.executed, 4u);
    EXPECT_EQ(word(0), 10u);
}

TEST_F(Firmware, sends_no_data_if_nothing_was_fetched) {
    const Answer answer = deliver(request(1).add(add64, 0, 0, 0, 1).add(add64, 0, 0, 8, 1));
    EXPECT_EQ(answer.header.data_length, 0u);
    EXPECT_EQ(answer.header.executed, 2u);
}

TEST_F(Firmware, stops_at_the_first_refused_operation) {
    const Request stopped = request(1).add(add64, 0, 0, 0, 1).add(add64, 0, 0, 12, 1).add(add64, 0, 0, 8, 1);
    for (int copy = 0; copy < 2; copy++) {
        const Answer answer = deliver(stopped);
        EXPECT_EQ(answer.header.status, SLW_MISALIGNED);
        EXPECT_EQ(answer.header.executed, 1u);
    }
    EXPECT_EQ(word(0), 1u);
    EXPECT_EQ(word(8), 0u);
    EXPECT_EQ(count(FW_COUNT_refused), 1u);
}

TEST_F(Firmware, refuses_what_is_cut_off_by_the_end_of_the_packet) {
    EXPECT_EQ(deliver(request(1).add(SLW_CAS | SLW_WIDTH_64, 0, 0, 0, 1)).header.status, SLW_BAD_OPERATION);
    const uint64_t high[] = {1, 0};
    EXPECT_EQ(deliver(request(2).add(SLW_CAS | SLW_WIDTH_128, 0, 0, 0, 1, high)).header.status, SLW_BAD_OPERATION);
}

TEST_F(Firmware, knows_every_code) {
    uint32_t sequence = 0;
    for (uint32_t i = 0; i < 1024; i++) {
        const uint32_t code = (i & 0xff) | i >> 8 << 20;
        const uint32_t operation = SYNCLINE_NUMBER_(code), width = 1u << (code >> 3 & 7);
        const bool fetch = (code & SLW_FETCH) != 0;
        const bool known = (code & 0x80) == 0 && ((width <= 2 && operation == SLW_SWAP && !fetch) ||
                                                  ((width == 4 || width == 8) && operation < SLW_OPERATIONS) ||
                                                  (width == 16 && (operation == SLW_SWAP || operation == SLW_CAS)));
        if ((code & ~SLW_LIST) == SLW_PUT || (code & ~SLW_LIST) == SLW_GET ||
            (code & ~(SLW_LIST | 3)) == SLW_ADD_INT32) {
            continue;  // bulk_test.cpp
        }
        const uint64_t more[] = {0, 0, 0, 0};
        const Answer answer = deliver(request(++sequence).add(code, 0, 0, 0, 0, more));
        EXPECT_EQ(answer.header.status == SLW_OK || answer.header.executed > 0, known) << "code " << code;
    }
}

TEST_F(Firmware, crosses_no_block_and_no_end) {
    constexpr uint64_t end = 3 * SLW_BLOCK_BYTES;
    struct Case {
        uint32_t code;
        uint64_t offset, operand;
        uint8_t status;
    };
    const Case cases[] = {
        {add64, SLW_BLOCK_BYTES - 8, 1, SLW_OK},
        {add64, SLW_BLOCK_BYTES - 4, 1, SLW_MISALIGNED},
        {add64, end - 8, 1, SLW_OK},
        {add64, end, 1, SLW_OUT_OF_BOUNDS},
        {add64, end + (1ull << 32), 1, SLW_OUT_OF_BOUNDS},
        {SLW_GET, SLW_BLOCK_BYTES - 100, 100, SLW_OK},
        {SLW_GET, SLW_BLOCK_BYTES - 100, 101, SLW_OUT_OF_BOUNDS},
        {SLW_GET, end - 5, 5, SLW_OK},
        {SLW_GET, end - 5, 6, SLW_OUT_OF_BOUNDS},
        {SLW_GET, 0, 0, SLW_BAD_LENGTH},
        {SLW_GET, 0, SLW_BULK_MAX + 1, SLW_BAD_LENGTH},
        {SLW_GET, 0, 1ull << 32 | 8, SLW_BAD_LENGTH},
    };
    uint32_t sequence = 0;
    for (const Case& tested : cases) {
        const Answer answer = deliver(request(++sequence).add(tested.code, 0, 0, tested.offset, tested.operand));
        EXPECT_EQ(answer.header.status, tested.status) << "offset " << tested.offset << ", operand " << tested.operand;
    }
    // A segment that ends inside a block.
    EXPECT_EQ(deliver(request(++sequence).add(add64, 1, 15, 32, 1)).header.status, SLW_OK);
    EXPECT_EQ(deliver(request(++sequence).add(add64, 1, 15, 40, 1)).header.status, SLW_OUT_OF_BOUNDS);
    EXPECT_EQ(deliver(request(++sequence).add(SLW_ADD | SLW_WIDTH_32, 1, 15, 36, 1)).header.status, SLW_OK);
}

TEST_F(Firmware, refuses_closed_ports_and_unknown_segments) {
    EXPECT_EQ(deliver(request(1).add(add64, 2, 0, 0, 1)).header.status, SLW_PORT_CLOSED);
    EXPECT_EQ(deliver(request(2).add(add64, 0, 1, 0, 1)).header.status, SLW_NO_SEGMENT);
    EXPECT_EQ(deliver(request(3).add(add64, 200, 0, 0, 1)).header.status, SLW_NO_SEGMENT);
    EXPECT_EQ(deliver(request(4).add(add64, 0, 64, 0, 1)).header.status, SLW_NO_SEGMENT);
}

TEST_F(Firmware, puts_and_gets_any_size_at_any_alignment) {
    uint32_t sequence = 0;
    std::span<uint8_t> memory = target_.memory(shape_.segments[0]);
    for (uint32_t bytes : {1u, 2u, 3u, 4u, 7u, 8u, 9u, 31u, 255u, 1000u, 1391u, 1392u, 4097u, 8895u, 8896u}) {
        for (uint64_t offset : {0u, 1u, 5u, 4096u - 3u}) {
            std::fill(memory.begin(), memory.begin() + 16384, uint8_t{0xcc});
            Request put = request(++sequence).add(SLW_PUT, 0, 0, offset, bytes);
            for (uint32_t i = 0; i < bytes; i++) {
                put.data.push_back(static_cast<uint8_t>(i * 7 + bytes));
            }
            ASSERT_EQ(deliver(put).header.status, SLW_OK);
            EXPECT_TRUE(std::equal(put.data.begin(), put.data.end(), memory.begin() + static_cast<long>(offset)));
            EXPECT_EQ(memory[offset + bytes], 0xcc);
            EXPECT_EQ(offset == 0 ? 0xcc : memory[offset - 1], 0xcc);
            const Answer got = deliver(request(++sequence).add(SLW_GET, 0, 0, offset, bytes));
            EXPECT_EQ(got.data, put.data) << bytes << " bytes at " << offset;
        }
    }
}

TEST_F(Firmware, executes_what_follows_a_put) {
    Request both = request(1).add(SLW_PUT, 0, 0, 16, 12).add(fetch_add64, 0, 0, 16, 1);
    both.data.assign(12, 1);
    const Answer answer = deliver(both);
    EXPECT_EQ(answer.header.executed, 2u);
    ASSERT_EQ(answer.results.size(), 2u);
    EXPECT_EQ(answer.results[1], 0x0101010101010101u);
    Request second = request(2).add(add64, 0, 0, 0, 1).add(SLW_PUT, 0, 0, 0, 8);  // only the first may be bulk
    second.data.assign(8, 1);
    EXPECT_EQ(deliver(second).header.status, SLW_BAD_OPERATION);
}

TEST_F(Firmware, wakes_the_ports_it_wrote_and_no_others) {
    target_.port(0).waiting = target_.port(1).waiting = target_.port(2).waiting = 1;
    deliver(request(1).add(add64, 1, 0, 0, 1));
    EXPECT_EQ(target_.woken(), std::vector<uint32_t>{1});
    deliver(request(2).add(SLW_GET, 0, 0, 0, 8));
    EXPECT_EQ(target_.woken().size(), 1u);
    target_.port(1).waiting = 1;
    deliver(request(3).add(add64, 1, 0, 0, 1).add(add64, 0, 0, 0, 1).add(add64, 2, 0, 0, 1));
    EXPECT_EQ(target_.woken(), (std::vector<uint32_t>{1, 1, 0}));
    EXPECT_EQ(target_.port(2).waiting, 1u);
}

// A node of more ports than a word has bits.
class ManyPorts : public Firmware {
  protected:
    static constexpr uint32_t ports = 70;
    static constexpr uint32_t last = ports - 1;
    static constexpr uint32_t used[] = {0, 1, 2, 3, last};

    ManyPorts() : Firmware(shape()) {}

  private:
    static TargetShape shape() {
        TargetShape shape = TargetShape::small(true);
        shape.config.ports = ports;
        shape.segments.clear();
        for (const uint32_t port : used) {
            shape.segments.push_back({.port = port, .segment = 0, .length = 4096});
        }
        return shape;
    }
};

TEST_F(ManyPorts, wake_each_if_a_packet_wrote_to_it) {
    for (const uint32_t port : used) {
        target_.port(port).waiting = 1;
    }
    const auto answer = deliver(
        request(1).add(add64, 1, 0, 0, 1).add(add64, 0, 0, 0, 1).add(add64, last, 0, 0, 1).add(add64, 2, 0, 0, 1));
    EXPECT_EQ(answer.header.executed, 4u);
    EXPECT_EQ(target_.woken(), (std::vector<uint32_t>{1, 0, 2, last}));
    EXPECT_EQ(target_.port(3).waiting, 1u);
}

class Deposit : public Firmware {
  protected:
    fw_completion& completion() { return target_.completion(1, 0 * shape_.config.window + 2); }
    static uint64_t id(uint32_t sequence) { return fw_request_id(0, 2, sequence); }
    void arm(uint32_t sequence) { completion().state = id(sequence) | FW_COMPLETION_ARMED; }

    // A reply of node 0 to port 1's slot 2.
    Bytes reply(uint32_t sequence, const Bytes& data) {
        slw_header header = Request::from(shape_.config, 4, 1, 2, sequence).header;
        header.target_node = 0;
        header.executed = 3;
        return reply_packet(shape_.config, header, data);
    }
};

TEST_F(Deposit, writes_into_the_armed_completion) {
    arm(9);
    target_.port(1).waiting = 1;
    EXPECT_EQ(deliver(reply(9, Bytes(SLW_BODY_MAX, 0x5a))).verdict, FW_CONSUMED);
    EXPECT_EQ(completion().state, id(9) | FW_COMPLETION_DONE);
    EXPECT_EQ(completion().length, static_cast<uint32_t>(SLW_BODY_MAX));
    EXPECT_EQ(completion().executed, 3u);
    EXPECT_TRUE(
        std::all_of(std::begin(completion().data), std::end(completion().data), [](uint8_t b) { return b == 0x5a; }));
    EXPECT_EQ(target_.woken(), std::vector<uint32_t>{1});
}

TEST_F(Deposit, takes_replies_of_any_length) {
    uint32_t sequence = 0;
    for (const size_t bytes : {0, 1, 7, 8, 9, 63, 1023, 1024, 1025, 1408, 1409, 4096, 8191, 8911, 8912}) {
        arm(++sequence);
        Bytes data(bytes);
        for (size_t i = 0; i < bytes; i++) {
            data[i] = static_cast<uint8_t>(i * 5 + bytes);
        }
        EXPECT_EQ(deliver(reply(sequence, data)).verdict, FW_CONSUMED) << bytes;
        EXPECT_EQ(completion().length, bytes);
        EXPECT_TRUE(std::equal(data.begin(), data.end(), completion().data)) << bytes;
    }
}

TEST_F(Deposit, never_takes_a_reply_late_or_twice) {
    arm(9);
    EXPECT_EQ(deliver(reply(9, Bytes(8, 1))).verdict, FW_CONSUMED);
    EXPECT_EQ(deliver(reply(9, Bytes(8, 2))).verdict, FW_DROP);
    arm(10);
    EXPECT_EQ(deliver(reply(9, Bytes(8, 3))).verdict, FW_DROP);
    EXPECT_EQ(deliver(reply(11, Bytes(8, 4))).verdict, FW_DROP);
    EXPECT_EQ(completion().state, id(10) | FW_COMPLETION_ARMED);
    EXPECT_EQ(completion().data[0], 1);
    EXPECT_EQ(count(FW_COUNT_rejected_late), 3u);
}

// Slot 2's buffer has gone to a request to another node, or of another slot, which has the same sequence.
TEST_F(Deposit, leaves_a_buffer_alone_that_has_another_request) {
    for (const uint64_t other : {fw_request_id(1, 2, 9), fw_request_id(0, 3, 9)}) {
        completion().state = other | FW_COMPLETION_ARMED;
        EXPECT_EQ(deliver(reply(9, Bytes(8, 1))).verdict, FW_DROP);
        EXPECT_EQ(completion().state, other | FW_COMPLETION_ARMED);
    }
    EXPECT_EQ(count(FW_COUNT_rejected_late), 2u);
}

TEST_F(Deposit, finds_the_buffer_that_the_slot_has) {
    target_.buffer(1, 2) = 7;
    fw_completion& other = target_.completion(1, 7);
    other.state = id(9) | FW_COMPLETION_ARMED;
    EXPECT_EQ(deliver(reply(9, Bytes(8, 5))).verdict, FW_CONSUMED);
    EXPECT_EQ(other.state, id(9) | FW_COMPLETION_DONE);
    EXPECT_EQ(other.data[0], 5);
    target_.buffer(1, 2) = 0xffff;
    EXPECT_EQ(deliver(reply(10, Bytes(8, 5))).verdict, FW_DROP);
    EXPECT_EQ(count(FW_COUNT_rejected_source), 1u);
}

TEST_F(Deposit, believes_no_reply_for_somebody_else) {
    arm(9);
    Bytes other = reply(9, Bytes(8, 1));
    slw_header header = header_of(other);
    for (const uint16_t rank : {1, 3, 5, 6}) {  // port 1 of this node is rank 4
        header.source_rank = rank;
        EXPECT_EQ(deliver(reply_packet(shape_.config, header, Bytes(8, 1))).verdict, FW_DROP);
    }
    header.source_rank = 4;
    header.source_port = 3;
    EXPECT_EQ(deliver(reply_packet(shape_.config, header, Bytes(8, 1))).verdict, FW_DROP);
    EXPECT_EQ(count(FW_COUNT_rejected_source), 5u);
    EXPECT_EQ(completion().state, id(9) | FW_COMPLETION_ARMED);
}

// The packet of slot 0 follows that of slot 2.
class Follower : public Deposit {
  protected:
    // Slot 2's completion, in wait for the reply to sequence 9.
    static uint64_t armed_for(uint32_t follower) {
        constexpr uint32_t own = 2;
        return id(9) | (own ^ follower) << FW_FOLLOWER_SHIFT | FW_COMPLETION_ARMED;
    }
    const uint64_t armed = armed_for(0);

    Bytes follower(size_t bytes) {
        Request request = Request::from(shape_.config, 4, 1, 0, 77);
        request.header.target_node = 0;
        request.add(SLW_PUT, 0, 0, 0, bytes);
        request.data.assign(bytes, 0x3c);
        return request.packet(shape_.config);
    }
    fw_image& image() { return target_.image(1, 0 * shape_.config.window + 0); }
    void place(const Bytes& packet, uint32_t pad_to = 0) { place(image(), packet, pad_to); }
    static void place(fw_image& image, const Bytes& packet, uint32_t pad_to = 0) {
        image.state = fw_request_id(0, 0, 77) | 1;
        image.length = static_cast<uint32_t>(packet.size());
        image.pad_to = pad_to;
        std::copy(packet.begin(), packet.end(), image.packet);
    }
    // Leaves instead of the reply of `bytes` bytes; empty: nothing does.
    Bytes left_behind(size_t bytes) {
        Bytes frame = to_frame(shape_.config, reply(9, Bytes(bytes, 1)), false, shape_.config.udp_port);
        return target_.execute(frame) == XDP_TX ? payload_of(frame).value() : Bytes();
    }
};

TEST_F(Follower, leaves_in_the_frame_of_the_reply_before_it) {
    for (const size_t bytes : {8, 1000, 8000}) {
        completion().state = armed;
        place(follower(bytes));
        EXPECT_EQ(left_behind(bytes + SLW_UNIT_BYTES), follower(bytes)) << bytes;
        EXPECT_EQ(completion().state, id(9) | FW_COMPLETION_DONE);
    }
    EXPECT_EQ(count(FW_COUNT_followers), 3u);
    EXPECT_EQ(count(FW_COUNT_replies), 3u);
    EXPECT_EQ(count(FW_COUNT_followers_lost), 0u);
}

TEST_F(Follower, is_padded_as_its_image_says) {
    completion().state = armed;
    place(follower(8), 1000);
    const Bytes sent = left_behind(2000);
    ASSERT_EQ(sent.size(), 1000u);
    EXPECT_TRUE(
        std::equal(sent.begin(), sent.begin() + static_cast<ptrdiff_t>(follower(8).size()), follower(8).begin()));
}

TEST_F(Follower, leaves_once) {
    completion().state = armed;
    place(follower(8));
    EXPECT_FALSE(left_behind(100).empty());
    EXPECT_TRUE(left_behind(100).empty());
    EXPECT_EQ(count(FW_COUNT_followers), 1u);
    EXPECT_EQ(count(FW_COUNT_rejected_late), 1u);
}

TEST_F(Follower, stays_where_its_image_makes_no_sense) {
    place(follower(8));
    const std::pair<uint32_t, uint32_t> lengths[] = {
        {0, 0}, {SLW_HEADER_BYTES - 1, 0}, {SLW_PACKET_MAX + 1, 0}, {UINT32_MAX, 0}, {64, SLW_PACKET_MAX + 1}};
    for (const auto& [length, pad_to] : lengths) {
        completion().state = armed;
        image().length = length;
        image().pad_to = pad_to;
        EXPECT_TRUE(left_behind(100).empty()) << length << ' ' << pad_to;
        EXPECT_EQ(completion().state, id(9) | FW_COMPLETION_DONE) << "the reply counts all the same";
    }
    EXPECT_EQ(count(FW_COUNT_followers_lost), std::size(lengths));
    EXPECT_EQ(target_.port(1).followers_lost, std::size(lengths));
    EXPECT_EQ(target_.port(0).followers_lost, 0u);
}

TEST_F(Follower, stays_once_it_is_answered) {
    completion().state = armed;
    place(follower(8));
    image().state = 0;
    EXPECT_TRUE(left_behind(100).empty());
    EXPECT_EQ(completion().state, id(9) | FW_COMPLETION_DONE);
    EXPECT_EQ(target_.port(1).followers_lost, 0u);
}

TEST_F(Follower, stays_where_its_buffer_has_another_request) {
    for (const uint64_t other : {fw_request_id(1, 0, 77), fw_request_id(0, 1, 77)}) {
        completion().state = armed;
        place(follower(8));
        image().state = other | 1;
        EXPECT_TRUE(left_behind(100).empty());
        EXPECT_EQ(completion().state, id(9) | FW_COMPLETION_DONE);
    }
}

TEST_F(Follower, is_of_no_slot_beyond_the_window) {
    const uint32_t beyond = shape_.config.window + 1;  // where the next connection has its slot 1
    place(target_.image(1, beyond), follower(8));
    target_.image(1, beyond).state = fw_request_id(0, beyond, 77) | 1;
    completion().state = armed_for(beyond);
    EXPECT_TRUE(left_behind(100).empty());
    EXPECT_EQ(completion().state, id(9) | FW_COMPLETION_DONE);
}

TEST_F(Follower, that_a_process_names_when_the_reply_is_here_already_stays_with_it) {
    completion().state = id(9) | FW_COMPLETION_ARMED;
    EXPECT_TRUE(left_behind(100).empty());
    uint64_t expected = id(9) | FW_COMPLETION_ARMED;
    EXPECT_FALSE(
        __atomic_compare_exchange_n(&completion().state, &expected, armed, false, __ATOMIC_RELEASE, __ATOMIC_RELAXED));
}

// A node whose link carries less than others': packets and replies of 2000 bytes.
class ShortLink : public testing::Test {
  protected:
    static constexpr uint32_t body = 2000 - SLW_HEADER_BYTES;

    Request request(uint32_t sequence) { return Request::from(shape_.config, 1, 1, 0, sequence); }
    fw_verdict deliver(const Bytes& packet, uint32_t* reply_length) {
        Bytes buffer = packet;
        buffer.resize(SLW_PACKET_MAX);
        return fw_execute_packet(&target_.target(), buffer.data(), static_cast<uint32_t>(packet.size()), reply_length);
    }
    fw_verdict deliver(const Request& request) { return deliver(request.packet(shape_.config), &length_); }
    uint64_t count(fw_counter counter) { return target_.counters().value[counter]; }

    const TargetShape shape_ = TargetShape::small(true, 2000);
    NativeTarget target_{shape_};
    uint32_t length_ = 0;
};

TEST_F(ShortLink, takes_requests_of_its_length_and_no_longer_ones) {
    Request put = request(1).add(SLW_PUT, 0, 0, 0, body - SLW_UNIT_BYTES);
    put.data.assign(body - SLW_UNIT_BYTES, 7);
    EXPECT_EQ(deliver(put), FW_REPLY);
    EXPECT_EQ(target_.memory(shape_.segments[0])[body - SLW_UNIT_BYTES - 1], 7);
    put = request(2).add(SLW_PUT, 0, 0, 0, body - SLW_UNIT_BYTES + 1);
    put.data.assign(body - SLW_UNIT_BYTES + 1, 8);
    EXPECT_EQ(deliver(put), FW_DROP);
    Request units = request(3);
    while (units.units.size() <= body / SLW_UNIT_BYTES) {
        units.add(add64, 0, 0, 0, 1);
    }
    EXPECT_EQ(deliver(units), FW_DROP);
    EXPECT_EQ(count(FW_COUNT_rejected_length), 2u);
    EXPECT_EQ(target_.memory(shape_.segments[0])[0], 7);
}

TEST_F(ShortLink, sends_replies_of_its_length_and_no_longer_ones) {
    EXPECT_EQ(deliver(request(1).add(SLW_GET, 0, 0, 0, body)), FW_REPLY);
    EXPECT_EQ(length_, 2000u);
    EXPECT_EQ(deliver(request(2).add(SLW_GET, 0, 0, 0, body + 1)), FW_DROP);
}

TEST_F(ShortLink, deposits_replies_of_its_length_and_no_longer_ones) {
    fw_completion& completion = target_.completion(1, 2);
    fw_completion& next = target_.completion(1, 3);
    std::memset(&next, 0x33, fw_completion_bytes(2000));
    slw_header header = Request::from(shape_.config, 4, 1, 2, 9).header;
    header.target_node = 0;
    completion.state = fw_request_id(0, 2, 9) | FW_COMPLETION_ARMED;
    for (const uint32_t bytes : {body + 1, body + 8, static_cast<uint32_t>(SLW_BODY_MAX)}) {
        EXPECT_EQ(deliver(reply_packet(shape_.config, header, Bytes(bytes, 5)), &length_), FW_DROP);
    }
    EXPECT_EQ(completion.state, fw_request_id(0, 2, 9) | FW_COMPLETION_ARMED);
    EXPECT_EQ(count(FW_COUNT_rejected_length), 3u);
    EXPECT_EQ(deliver(reply_packet(shape_.config, header, Bytes(body, 5)), &length_), FW_CONSUMED);
    EXPECT_EQ(completion.length, body);
    EXPECT_EQ(completion.data[body - 1], 5);
    const auto* const behind = reinterpret_cast<const uint8_t*>(&next);
    EXPECT_TRUE(std::all_of(behind, behind + fw_completion_bytes(2000), [](uint8_t byte) { return byte == 0x33; }));
}

}  // namespace
}  // namespace syncline::test
