// SPDX-License-Identifier: BSD-3-Clause
// Method: ranges and lists of puts, gets and adds, on the native firmware and on the program in the kernel. A request
// in order must have its effect on the bytes that it names and on no others; then each rule is broken by itself, and
// the memory of all segments must stay as it is. Long requests of operations of one to three units are compared with a
// model that executes them one after another.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <memory>
#include <string>

#include "base/prng.h"
#include "bpf_target.h"
#include "native_target.h"
#include "packet.h"

namespace syncline::test {
namespace {

constexpr uint64_t block = SLW_BLOCK_BYTES;

struct Extent {
    uint64_t offset, bytes;
    uint64_t piece() const { return offset | bytes << SLW_PIECE_SHIFT; }
};
using Extents = std::vector<Extent>;

uint64_t bytes_of(const Extents& pieces) {
    uint64_t bytes = 0;
    for (const Extent& piece : pieces) {
        bytes += piece.bytes;
    }
    return bytes;
}

template <typename Value>
Bytes as_bytes(const std::vector<Value>& values) {
    Bytes bytes(values.size() * sizeof(Value));
    std::memcpy(bytes.data(), values.data(), bytes.size());
    return bytes;
}

// Bytes that differ from their neighbours and from zeros.
Bytes pattern(size_t bytes, uint8_t salt) {
    Bytes made(bytes);
    for (size_t i = 0; i < bytes; i++) {
        made[i] = static_cast<uint8_t>((i * 7 + i / 251 + salt) | 1);
    }
    return made;
}

class Bulk : public testing::TestWithParam<bool> {
  protected:
    void SetUp() override {
        if (!GetParam()) {
            target_ = std::make_unique<NativeTarget>(shape_);
        } else if (const std::string obstacle = BpfTarget::obstacle(); obstacle.empty()) {
            target_ = nic_in_the_kernel();
        } else {
            GTEST_SKIP() << obstacle;
        }
    }

    // The kernel takes long to verify the program, so the tests of a process share it: each has a place with tables of
    // its own, until none is left.
    std::unique_ptr<TargetUnderTest> nic_in_the_kernel() {
        static std::shared_ptr<nic_bpf> loaded;
        static uint32_t next = 0;
        shape_.places = 32;
        shape_.place = next++ % shape_.places;
        if (shape_.place == 0) {
            loaded = nullptr;
        }
        auto target = std::make_unique<BpfTarget>(shape_, loaded);
        loaded = target->program();
        return target;
    }

    struct Answer {
        int verdict;
        slw_header header;
        Bytes data;
    };

    Request request(uint32_t sequence) { return Request::from(shape_.config, 1, 1, 0, sequence); }
    Request request() { return request(++sequence_); }

    Request range(uint32_t code, const Extent& at, Bytes data = {}, uint8_t port = 0, uint8_t segment = 0) {
        Request made = request().add(code, port, segment, at.offset, at.bytes);
        made.data = std::move(data);
        return made;
    }

    Request list(uint32_t code, const Extents& pieces, const Bytes& data = {}, uint8_t port = 0, uint8_t segment = 0) {
        Request made = request().add(code | SLW_LIST, port, segment, 0, pieces.size());
        for (const Extent& extent : pieces) {
            const uint64_t piece = extent.piece();
            const auto* const bytes = reinterpret_cast<const uint8_t*>(&piece);
            made.data.insert(made.data.end(), bytes, bytes + SLW_PIECE_BYTES);
        }
        made.data.insert(made.data.end(), data.begin(), data.end());
        return made;
    }

    // A frame with room for any reply.
    Answer deliver(const Request& request) {
        Bytes frame = to_frame(shape_.config, request.packet(shape_.config, SLW_PACKET_MAX), false);
        Answer answer{target_->execute(frame), {}, {}};
        const std::optional<Bytes> packet = payload_of(frame);
        if (answer.verdict == XDP_TX && packet && packet->size() >= SLW_HEADER_BYTES) {
            answer.header = header_of(*packet);
            const std::span<const uint8_t> data = data_of(*packet);
            answer.data.assign(data.begin(), data.end());
        }
        return answer;
    }

    // As an answer's status, 255: none came.
    uint32_t status_of(const Request& request) {
        const Answer answer = deliver(request);
        return answer.verdict == XDP_TX ? answer.header.status : 255;
    }

    std::span<uint8_t> memory(size_t segment = 0) { return target_->memory(shape_.segments[segment]); }

    std::vector<Bytes> all_memory() {
        std::vector<Bytes> all;
        for (const SegmentShape& segment : shape_.segments) {
            const std::span<uint8_t> bytes = target_->memory(segment);
            all.emplace_back(bytes.begin(), bytes.end());
        }
        return all;
    }

    void fill() {
        for (size_t i = 0; i < shape_.segments.size(); i++) {
            const Bytes bytes = pattern(memory(i).size(), static_cast<uint8_t>(31 * i));
            std::copy(bytes.begin(), bytes.end(), memory(i).begin());
        }
    }

    struct Broken {
        const char* rule;
        Request request;
        uint32_t status;
    };

    // Nothing is executed of any of them.
    void expect_refused(const std::vector<Broken>& all) {
        for (const Broken& broken : all) {
            const std::vector<Bytes> before = all_memory();
            const Answer answer = deliver(broken.request);
            ASSERT_EQ(answer.verdict, XDP_TX) << broken.rule;
            EXPECT_EQ(answer.header.status, broken.status) << broken.rule;
            EXPECT_EQ(answer.header.executed, 0u) << broken.rule;
            EXPECT_EQ(answer.data.size(), 0u) << broken.rule;
            EXPECT_TRUE(all_memory() == before) << broken.rule << ": memory has changed";
        }
    }

    // The pieces' bytes become `data`, and no others change.
    void expect_written(const Request& put, const Extents& pieces, const Bytes& data) {
        fill();
        Bytes expected(memory().begin(), memory().end());
        auto next = data.begin();
        for (const Extent& piece : pieces) {
            std::copy_n(next, piece.bytes, expected.begin() + static_cast<ptrdiff_t>(piece.offset));
            next += static_cast<ptrdiff_t>(piece.bytes);
        }
        const Answer answer = deliver(put);
        EXPECT_EQ(answer.header.status, SLW_OK);
        EXPECT_EQ(answer.header.executed, put.units.size());
        EXPECT_TRUE(std::equal(expected.begin(), expected.end(), memory().begin()));
    }

    TargetShape shape_ = TargetShape::small(true);
    std::unique_ptr<TargetUnderTest> target_;
    uint32_t sequence_ = 0;
};

// The lists that are in order: few and many pieces, short and long, that touch, and up to the ends of blocks.
std::vector<Extents> good_lists() {
    std::vector<Extents> lists = {
        {{0, 1}},
        {{3 * block - 1, 1}},
        {{5, 3}, {8, 1}, {9, 7}, {4096, 2048}},
        {{block - 100, 100}, {block, 100}, {2 * block, 8000}},
        {{7, SLW_BULK_MAX - SLW_PIECE_BYTES}},
    };
    Extents many;
    for (uint64_t i = 0; i < SLW_BULK_MAX / (SLW_PIECE_BYTES + 1); i++) {
        many.push_back({i * 3, 1});
    }
    lists.push_back(many);
    for (const uint64_t count : {15, 16, 17, 32, 33, 160}) {
        Extents some;
        for (uint64_t i = 0; i < count; i++) {
            some.push_back({i * 400 + i % 5, 1 + i % 37});
        }
        lists.push_back(some);
    }
    return lists;
}

TEST_P(Bulk, puts_lists) {
    for (const Extents& pieces : good_lists()) {
        const Bytes data = pattern(bytes_of(pieces), 99);
        expect_written(list(SLW_PUT, pieces, data), pieces, data);
    }
}

TEST_P(Bulk, gets_the_bytes_of_lists) {
    std::vector<Extents> lists = good_lists();
    lists.push_back({{0, SLW_BULK_MAX / 2}, {block, SLW_BULK_MAX / 2}});  // a put of them would be too long
    Extents most;
    for (uint64_t i = 0; i < SLW_PIECES_MAX; i++) {
        most.push_back({i * 9, 1 + i % 8});
    }
    lists.push_back(most);
    fill();
    for (const Extents& pieces : lists) {
        Bytes expected;
        for (const Extent& piece : pieces) {
            const auto from = memory().begin() + static_cast<ptrdiff_t>(piece.offset);
            expected.insert(expected.end(), from, from + static_cast<ptrdiff_t>(piece.bytes));
        }
        const Answer answer = deliver(list(SLW_GET, pieces));
        EXPECT_EQ(answer.header.status, SLW_OK);
        EXPECT_EQ(answer.header.executed, 1u);
        EXPECT_TRUE(answer.data == expected) << pieces.size() << " pieces";
    }
}

TEST_P(Bulk, puts_and_gets_the_longest_ranges) {
    for (const uint64_t bytes : {uint64_t{SLW_BULK_MAX}, uint64_t{SLW_BULK_MAX} - 1, uint64_t{1409}, uint64_t{4097}}) {
        for (const uint64_t offset : {uint64_t{0}, uint64_t{13}, block - bytes, 3 * block - bytes}) {
            const Extents one = {{offset, bytes}};
            const Bytes data = pattern(bytes, static_cast<uint8_t>(offset));
            expect_written(range(SLW_PUT, one[0], data), one, data);
            EXPECT_TRUE(deliver(range(SLW_GET, one[0])).data == data) << bytes << " bytes at " << offset;
        }
    }
}

TEST_P(Bulk, executes_what_follows_a_put_in_pieces) {
    const Extents pieces = {{100, 3}, {1000, 40}};
    Request put = list(SLW_PUT, pieces, pattern(43, 1));
    put.add(SLW_ADD | SLW_WIDTH_64 | SLW_FETCH, 0, 0, 2000, 5);
    const Answer answer = deliver(put);
    EXPECT_EQ(answer.header.status, SLW_OK);
    EXPECT_EQ(answer.header.executed, 2u);
    EXPECT_EQ(answer.data.size(), 2u * SLW_RESULT_BYTES);
    EXPECT_EQ(memory()[2000], 5);
    EXPECT_EQ(memory()[1039], pattern(43, 1).back());
}

TEST_P(Bulk, answers_duplicates_of_puts_and_adds_from_the_record) {
    const uint32_t codes[] = {SLW_PUT, SLW_PUT | SLW_LIST, SLW_ADD_INT64, SLW_ADD_DOUBLE | SLW_LIST};
    for (const uint32_t code : codes) {
        const Bytes data = as_bytes<uint64_t>({3, 4});
        const Request once =
            (code & SLW_LIST) != 0 ? list(code, {{64, 8}, {128, 8}}, data) : range(code, {64, 16}, data);
        EXPECT_EQ(deliver(once).header.status, SLW_OK);
        const Bytes after = pattern(memory().size(), 5);
        std::copy(after.begin(), after.end(), memory().begin());
        const Answer again = deliver(once);
        EXPECT_EQ(again.header.status, SLW_OK);
        EXPECT_EQ(again.header.executed, 1u);
        EXPECT_TRUE(std::equal(after.begin(), after.end(), memory().begin())) << "code " << code;
    }
}

TEST_P(Bulk, executes_duplicates_of_gets_again) {
    const Request get = list(SLW_GET, {{0, 4}, {8, 4}});
    EXPECT_EQ(deliver(get).data, Bytes(8, 0));
    std::fill_n(memory().begin(), 16, uint8_t{9});
    EXPECT_EQ(deliver(get).data, Bytes(8, 9));
}

// Adds, of each type.

template <typename Value>
constexpr uint32_t code_of_add = std::is_same_v<Value, int32_t>   ? SLW_ADD_INT32
                                 : std::is_same_v<Value, int64_t> ? SLW_ADD_INT64
                                 : std::is_same_v<Value, float>   ? SLW_ADD_FLOAT
                                                                  : SLW_ADD_DOUBLE;

class BulkAdds : public Bulk {
  protected:
    template <typename Value>
    void adds(const Extents& pieces, bool as_list) {
        const uint64_t count = bytes_of(pieces) / sizeof(Value);
        std::vector<Value> values;
        for (uint64_t i = 0; i < count; i++) {
            values.push_back(random_value<Value>());
        }
        std::vector<Value> expected(memory().size() / sizeof(Value));
        for (Value& value : expected) {
            value = random_value<Value>();
        }
        std::memcpy(memory().data(), expected.data(), expected.size() * sizeof(Value));
        size_t next = 0;
        for (const Extent& piece : pieces) {
            for (uint64_t at = piece.offset; at < piece.offset + piece.bytes; at += sizeof(Value)) {
                expected[at / sizeof(Value)] = sum(expected[at / sizeof(Value)], values[next++]);
            }
        }
        const Request request = as_list ? list(code_of_add<Value>, pieces, as_bytes(values))
                                        : range(code_of_add<Value>, pieces[0], as_bytes(values));
        const Answer answer = deliver(request);
        EXPECT_EQ(answer.header.status, SLW_OK);
        EXPECT_EQ(answer.header.executed, 1u);
        EXPECT_EQ(std::memcmp(memory().data(), expected.data(), memory().size()), 0)
            << "code " << code_of_add<Value> << ", " << pieces.size() << " pieces";
    }

    template <typename Value>
    void adds_everywhere() {
        const uint64_t width = sizeof(Value);
        for (const Extent& extent : Extents{{0, width},
                                            {3 * block - width, width},
                                            {width * 5, 33 * width},
                                            {block - 4096, 4096},
                                            {0, SLW_BULK_MAX / width * width}}) {
            adds<Value>({extent}, false);
        }
        adds<Value>({{width, width}}, true);
        adds<Value>({{0, width}, {width, 2 * width}, {block - width, width}, {block, 40 * width}}, true);
        Extents many;
        for (uint64_t i = 0; i < SLW_BULK_MAX / (SLW_PIECE_BYTES + width); i++) {
            many.push_back({i * 3 * width, width});
        }
        adds<Value>(many, true);
        adds<Value>({{0, 300 * width}, {10 * block / 8, 333 * width}, {2 * block, 100 * width}}, true);
    }

  private:
    // No NaN: a sum with one only promises to be one.
    template <typename Value>
    Value random_value() {
        if constexpr (std::is_integral_v<Value>) {
            return static_cast<Value>(prng_.next());
        } else {
            return static_cast<Value>(static_cast<int64_t>(prng_.next() >> 20)) /
                   static_cast<Value>(1 + prng_.below(99)) * static_cast<Value>(prng_.below(2) == 0 ? -1 : 1);
        }
    }

    template <typename Value>
    static Value sum(Value one, Value other) {
        if constexpr (std::is_integral_v<Value>) {
            using Unsigned = std::make_unsigned_t<Value>;
            return static_cast<Value>(static_cast<Unsigned>(one) + static_cast<Unsigned>(other));
        } else {
            return one + other;
        }
    }

    Prng prng_{7};
};

TEST_P(BulkAdds, adds_int32) {
    adds_everywhere<int32_t>();
}
TEST_P(BulkAdds, adds_int64) {
    adds_everywhere<int64_t>();
}
TEST_P(BulkAdds, adds_float) {
    adds_everywhere<float>();
}
TEST_P(BulkAdds, adds_double) {
    adds_everywhere<double>();
}

// Rules, one broken at a time.

TEST_P(Bulk, refuses_ranges_of_a_wrong_length) {
    fill();
    std::vector<Broken> all = {
        {"a put of no bytes", range(SLW_PUT, {0, 0}), SLW_BAD_LENGTH},
        {"a put of more than its data", range(SLW_PUT, {0, 17}, pattern(16, 0)), SLW_BAD_LENGTH},
        {"a put of less than its data", range(SLW_PUT, {0, 15}, pattern(16, 0)), SLW_BAD_LENGTH},
        {"a put without data", range(SLW_PUT, {0, 8}), SLW_BAD_LENGTH},
        {"a put of 2^16 more", range(SLW_PUT, {0, (1u << 16) + 16}, pattern(16, 0)), SLW_BAD_LENGTH},
        {"a put of 2^32 more", range(SLW_PUT, {0, (1ull << 32) + 16}, pattern(16, 0)), SLW_BAD_LENGTH},
        {"a get of no bytes", range(SLW_GET, {0, 0}), SLW_BAD_LENGTH},
        {"a get of too much", range(SLW_GET, {0, SLW_BULK_MAX + 1}), SLW_BAD_LENGTH},
        {"a get of 2^16 more", range(SLW_GET, {0, (1u << 16) + 8}), SLW_BAD_LENGTH},
        {"a get of 2^24 more", range(SLW_GET, {0, (1u << 24) + 8}), SLW_BAD_LENGTH},
        {"a get of 2^32 more", range(SLW_GET, {0, (1ull << 32) + 8}), SLW_BAD_LENGTH},
        {"a get of all there is", range(SLW_GET, {0, UINT64_MAX}), SLW_BAD_LENGTH},
    };
    for (const uint32_t code : {SLW_ADD_INT32, SLW_ADD_INT64, SLW_ADD_FLOAT, SLW_ADD_DOUBLE}) {
        all.push_back({"an add of no bytes", range(code, {0, 0}), SLW_BAD_LENGTH});
        all.push_back({"an add of more than its data", range(code, {0, 24}, pattern(16, 0)), SLW_BAD_LENGTH});
        all.push_back({"an add of less than its data", range(code, {0, 8}, pattern(16, 0)), SLW_BAD_LENGTH});
        all.push_back({"an add of 2^24 more", range(code, {0, (1u << 24) + 16}, pattern(16, 0)), SLW_BAD_LENGTH});
    }
    expect_refused(all);
}

TEST_P(Bulk, refuses_ranges_outside_their_segment) {
    fill();
    constexpr uint64_t last = (1ull << SLW_PIECE_SHIFT) - 8;
    std::vector<Broken> all;
    for (const uint32_t code : {SLW_PUT, SLW_GET, SLW_ADD_INT32, SLW_ADD_INT64, SLW_ADD_FLOAT, SLW_ADD_DOUBLE}) {
        const auto breaks = [&](const char* rule, const Extent& at, uint32_t status, uint8_t port = 0,
                                uint8_t segment = 0) {
            const Bytes data = code == SLW_GET ? Bytes{} : pattern(at.bytes, 3);
            all.push_back({rule, range(code, at, data, port, segment), status});
        };
        breaks("behind the end", {3 * block, 8}, SLW_OUT_OF_BOUNDS);
        breaks("over the end", {3 * block - 8, 16}, SLW_OUT_OF_BOUNDS);
        breaks("over the end of a segment inside a block", {32, 16}, SLW_OUT_OF_BOUNDS, 1, 15);
        breaks("across a block", {block - 8, 16}, SLW_OUT_OF_BOUNDS);
        breaks("across a block, long", {block - 8000, 8888}, SLW_OUT_OF_BOUNDS);
        breaks("2^32 further", {1ull << 32, 8}, SLW_OUT_OF_BOUNDS);
        breaks("at the last offset there is", {last, 8}, SLW_OUT_OF_BOUNDS);
        breaks("around the offsets' end", {last, 16}, SLW_OUT_OF_BOUNDS);
        breaks("a segment that is not there", {0, 8}, SLW_NO_SEGMENT, 0, 1);
        breaks("a segment that cannot be", {0, 8}, SLW_NO_SEGMENT, 0, SLW_SEGMENTS_MAX);
        breaks("a port that is not there", {0, 8}, SLW_NO_SEGMENT, 63);
        breaks("a port that cannot be", {0, 8}, SLW_NO_SEGMENT, SLW_PORTS_MAX - 1);
        breaks("a closed port", {0, 8}, SLW_PORT_CLOSED, 2);
    }
    expect_refused(all);
}

TEST_P(Bulk, refuses_elements_that_are_not_aligned) {
    fill();
    std::vector<Broken> all;
    for (const uint32_t code : {SLW_ADD_INT32, SLW_ADD_INT64, SLW_ADD_FLOAT, SLW_ADD_DOUBLE}) {
        const uint64_t width = (code & 1) != 0 ? 8 : 4;
        for (uint64_t off = 1; off < width; off++) {
            all.push_back({"an offset", range(code, {64 + off, width}, pattern(width, 1)), SLW_MISALIGNED});
            all.push_back(
                {"a part of an element", range(code, {64, width + off}, pattern(width + off, 1)), SLW_MISALIGNED});
            all.push_back({"an offset in a list", list(code, {{64, width}, {128 + off, width}}, pattern(2 * width, 1)),
                           SLW_MISALIGNED});
            all.push_back({"a part of an element in a list",
                           list(code, {{64, width}, {128, width + off}}, pattern(2 * width + off, 1)), SLW_MISALIGNED});
        }
    }
    expect_refused(all);
}

TEST_P(Bulk, refuses_lists_that_are_none) {
    fill();
    std::vector<Broken> all;
    for (const uint32_t code : {SLW_PUT, SLW_GET, SLW_ADD_INT32, SLW_ADD_INT64, SLW_ADD_FLOAT, SLW_ADD_DOUBLE}) {
        const auto breaks = [&](const char* rule, const Extents& pieces) {
            const Bytes data = code == SLW_GET ? Bytes{} : pattern(bytes_of(pieces), 3);
            all.push_back({rule, list(code, pieces, data), SLW_BAD_PIECES});
            return &all.back().request;
        };
        const Extents good = {{0, 8}, {16, 8}};
        breaks("no pieces", {});
        breaks("a piece without bytes", {{0, 8}, {16, 0}, {24, 8}});
        breaks("a first piece without bytes", {{8, 0}, {16, 8}});
        breaks("only a piece without bytes", {{8, 0}});
        breaks("twice the same", {{16, 8}, {16, 8}});
        breaks("overlapping up to the end", {{16, 16}, {24, 8}});
        breaks("beginning inside another, ending behind it", {{16, 16}, {24, 16}});
        breaks("one inside another", {{16, 64}, {24, 8}});
        breaks("descending", {{16, 8}, {8, 8}});
        breaks("descending at last", {{0, 8}, {block, 8}, {8, 8}});
        breaks("an offset of the unit", good)->units[0].offset_low = 8;
        breaks("a long offset of the unit", good)->units[0].offset_high = 1;
        constexpr uint64_t counts[] = {5,         SLW_PIECES_MAX + 1, 1ull << 16 | 2, 1ull << 32 | 2, 1ull << 61 | 2,
                                       UINT64_MAX};
        for (const uint64_t count : counts) {
            breaks("more pieces than there are", good)->units[0].operand = count;
        }
        breaks("less pieces than there are", good)->units[0].operand = 1;
        breaks("less data", good)->data.pop_back();
        breaks("more data", good)->data.push_back(1);
        breaks("a whole word more data", good)->data.resize(good.size() * 8 + (code == SLW_GET ? 0 : 16) + 8);
        // Descending where one run of pieces ends and the next begins, and in the last piece.
        for (const size_t bad : {16u, 32u, 63u}) {
            Extents many;
            for (uint64_t i = 0; i < 64; i++) {
                many.push_back({256 + i * 16, 8});
            }
            many[bad].offset = many[bad - 1].offset;
            breaks("many, of which one is where another is", many);
        }
    }
    all.push_back({"a get of too much", list(SLW_GET, {{0, 8000}, {block, 897}}), SLW_BAD_PIECES});
    all.push_back({"a get of a whole block", list(SLW_GET, {{0, block}}), SLW_BAD_PIECES});
    Extents blocks(600, {0, 0xffff});  // 2^32 and more, together
    for (size_t i = 0; i < blocks.size(); i++) {
        blocks[i].offset = i * block;
    }
    all.push_back({"a get of 2^25", list(SLW_GET, blocks), SLW_BAD_PIECES});
    expect_refused(all);
    // With a carry out of 32 bits the sum would be right.
    Request around = list(SLW_PUT, {{0, 0xffffff}}, pattern(64, 1));
    const Answer answer = deliver(around);
    EXPECT_NE(answer.header.status, SLW_OK);
}

TEST_P(Bulk, refuses_pieces_outside_their_segment) {
    fill();
    std::vector<Broken> all;
    constexpr uint64_t last = (1ull << SLW_PIECE_SHIFT) - 8;
    for (const uint32_t code : {SLW_PUT, SLW_GET, SLW_ADD_INT32, SLW_ADD_INT64, SLW_ADD_FLOAT, SLW_ADD_DOUBLE}) {
        const auto breaks = [&](const char* rule, const Extents& pieces, uint32_t status, uint8_t port = 0,
                                uint8_t segment = 0) {
            const Bytes data = code == SLW_GET ? Bytes{} : pattern(bytes_of(pieces), 3);
            all.push_back({rule, list(code, pieces, data, port, segment), status});
        };
        breaks("behind the end", {{0, 8}, {3 * block, 8}}, SLW_OUT_OF_BOUNDS);
        breaks("over the end", {{0, 8}, {3 * block - 8, 16}}, SLW_OUT_OF_BOUNDS);
        breaks("over the end of a segment inside a block", {{0, 8}, {32, 16}}, SLW_OUT_OF_BOUNDS, 1, 15);
        breaks("across a block", {{0, 8}, {block - 8, 16}}, SLW_OUT_OF_BOUNDS);
        breaks("2^32 further", {{0, 8}, {1ull << 32, 8}}, SLW_OUT_OF_BOUNDS);
        breaks("at the last offset there is", {{0, 8}, {last, 8}}, SLW_OUT_OF_BOUNDS);
        breaks("around the offsets' end", {{0, 8}, {last, 16}}, SLW_OUT_OF_BOUNDS);
        breaks("a segment that is not there", {{0, 8}}, SLW_NO_SEGMENT, 0, 1);
        breaks("a port that cannot be", {{0, 8}}, SLW_NO_SEGMENT, 255);
        breaks("a closed port", {{0, 8}}, SLW_PORT_CLOSED, 2);
        for (const size_t bad : {0u, 15u, 16u, 17u, 31u, 63u}) {
            Extents many;
            for (uint64_t i = 0; i < 64; i++) {
                many.push_back({i * 64, 8});
            }
            for (size_t i = bad; i < many.size(); i++) {
                many[i].offset += 3 * block;
            }
            breaks("many, of which some are behind the end", many, SLW_OUT_OF_BOUNDS);
        }
    }
    Extents most;
    for (uint64_t i = 0; i < SLW_PIECES_MAX; i++) {
        most.push_back({i * 9, 1});
    }
    most.back().offset = 3 * block;
    all.push_back({"a get of the most pieces, the last one behind the end", list(SLW_GET, most), SLW_OUT_OF_BOUNDS});
    expect_refused(all);
}

// A segment that ends inside a block, and one that ends with one.
TEST_P(Bulk, refuses_a_single_byte_or_element_over_the_end) {
    fill();
    std::vector<Broken> all;
    for (const uint32_t code : {SLW_PUT, SLW_GET, SLW_ADD_INT32, SLW_ADD_INT64, SLW_ADD_FLOAT, SLW_ADD_DOUBLE}) {
        const uint64_t width = code < SLW_ADD_INT32 ? 1 : (code & 1) != 0 ? 8 : 4;
        for (const SegmentShape& segment : shape_.segments) {
            if (segment.state == FW_SEGMENT_CLOSED) {
                continue;
            }
            const Extent over = {segment.length - width, 2 * width};
            const Extent behind = {segment.length, width};
            for (const Extent& bad : {over, behind}) {
                const Bytes data = code == SLW_GET ? Bytes{} : pattern(bad.bytes, 1);
                const Bytes more = code == SLW_GET ? Bytes{} : pattern(bad.bytes + width, 1);
                all.push_back({"a range", range(code, bad, data, segment.port, segment.segment), SLW_OUT_OF_BOUNDS});
                all.push_back(
                    {"a list", list(code, {{0, width}, bad}, more, segment.port, segment.segment), SLW_OUT_OF_BOUNDS});
            }
        }
    }
    expect_refused(all);
}

// The list, or what is behind it, is in parts of the frame that do not come, and the lengths of IP and UDP say so or
// not.
TEST_P(Bulk, drops_long_frames_that_are_cut_short) {
    fill();
    Extents many;
    for (uint64_t i = 0; i < 500; i++) {
        many.push_back({i * 16, 8});
    }
    const std::vector<Request> all = {
        range(SLW_PUT, {0, 8000}, pattern(8000, 1)), range(SLW_ADD_DOUBLE, {0, 8000}, pattern(8000, 1)),
        list(SLW_PUT, many, pattern(4000, 1)),       list(SLW_ADD_INT32, many, pattern(4000, 1)),
        list(SLW_ADD_FLOAT, many, pattern(4000, 1)), list(SLW_GET, many)};
    for (const Request& request : all) {
        const Bytes packet = request.packet(shape_.config);
        const std::vector<Bytes> before = all_memory();
        for (const size_t left : {packet.size() - 1, packet.size() - 8, packet.size() / 2, first_part_max - 42,
                                  first_part_max - 50, size_t{100}, size_t{SLW_HEADER_BYTES}}) {
            if (left >= packet.size()) {
                continue;
            }
            Bytes frame = to_frame(shape_.config, packet, false);
            frame.resize(frame.size() - packet.size() + left);
            EXPECT_EQ(target_->execute(frame), XDP_DROP) << left << " of " << packet.size() << " bytes";
            frame = to_frame(shape_.config, std::span(packet).first(left), false);
            EXPECT_EQ(target_->execute(frame), XDP_DROP) << left << " of " << packet.size() << " bytes";
            EXPECT_TRUE(all_memory() == before);
        }
        EXPECT_EQ(status_of(request), SLW_OK);  // it has not counted as executed
    }
}

TEST_P(Bulk, refuses_unknown_codes_and_operations_where_they_may_not_stand) {
    fill();
    std::vector<Broken> all;
    std::vector<uint32_t> unknown = {0x83, 0x8a, 0x8b};
    for (uint32_t code = 0x90; code < 0x100; code++) {
        unknown.push_back(code);
    }
    for (const uint32_t code : unknown) {
        all.push_back({"an unknown code", range(code, {0, 8}, pattern(8, 1)), SLW_BAD_OPERATION});
    }
    for (const uint32_t code : {SLW_GET, SLW_ADD_INT32, SLW_ADD_INT64, SLW_ADD_FLOAT, SLW_ADD_DOUBLE}) {
        const Bytes data = code == SLW_GET ? Bytes{} : pattern(8, 1);
        all.push_back(
            {"not alone", range(code, {0, 8}, data).add(SLW_ADD | SLW_WIDTH_64, 0, 0, 0, 1), SLW_BAD_OPERATION});
        all.push_back({"a list, not alone", list(code, {{0, 8}}, data).add(SLW_ADD | SLW_WIDTH_64, 0, 0, 0, 1),
                       SLW_BAD_OPERATION});
    }
    expect_refused(all);
    for (const uint32_t code : {SLW_PUT, SLW_GET, SLW_ADD_INT32, SLW_ADD_INT64, SLW_ADD_FLOAT, SLW_ADD_DOUBLE}) {
        for (const uint32_t form : {0u, uint32_t{SLW_LIST}}) {
            Request second = request().add(SLW_ADD | SLW_WIDTH_64, 0, 0, 64, 1).add(code | form, 0, 0, 0, 8);
            second.data = pattern(8, 1);
            const Bytes before(memory().begin(), memory().begin() + 8);
            const Answer answer = deliver(second);
            EXPECT_EQ(answer.header.status, SLW_BAD_OPERATION) << "second: code " << code;
            EXPECT_EQ(answer.header.executed, 1u);
            EXPECT_TRUE(std::equal(before.begin(), before.end(), memory().begin()));
        }
    }
}

// Long requests of atomics.

class LongRequests : public Bulk {
  protected:
    static constexpr uint32_t cas128 = SLW_CAS | SLW_WIDTH_128, swap128 = SLW_SWAP | SLW_WIDTH_128,
                              cas64 = SLW_CAS | SLW_WIDTH_64, add64 = SLW_ADD | SLW_WIDTH_64;

    uint64_t& word(uint64_t offset) { return model_[offset / 8]; }

    // Adds an operation that has an effect on the model to the request.
    void add(Request& request, uint32_t code) {
        const uint64_t offset = prng_.below(64) * 16;
        const uint64_t value = prng_.next();
        if (code == cas128 || code == swap128) {
            const bool hits = prng_.below(4) != 0;
            const uint64_t more[] = {value + 1, 0, word(offset) + (hits ? 0 : 1), word(offset + 8)};
            request.add(code, 0, 0, offset, value, std::span(more, code == cas128 ? 4 : 2));
            if (hits || code == swap128) {
                word(offset) = value;
                word(offset + 8) = value + 1;
            }
        } else if (code == cas64) {
            const bool hits = prng_.below(4) != 0;
            const uint64_t more[] = {word(offset) + (hits ? 0 : 1), 0};
            request.add(code, 0, 0, offset, value, more);
            word(offset) = hits ? value : word(offset);
        } else {
            request.add(code, 0, 0, offset, value);
            word(offset) += value;
        }
    }

    void expect_executed(const Request& request) {
        const Answer answer = deliver(request);
        ASSERT_EQ(answer.verdict, XDP_TX);
        EXPECT_EQ(answer.header.status, SLW_OK);
        EXPECT_EQ(answer.header.executed, request.units.size());
        ASSERT_EQ(std::memcmp(memory().data(), model_.data(), sizeof model_), 0);
    }

    std::array<uint64_t, 128> model_ = {};
    Prng prng_{3};
};

// An operation of three units, and one of two, at each place of a batch; and full packets from there.
TEST_P(LongRequests, execute_operations_across_batches) {
    for (size_t before = 0; before <= 66; before++) {
        for (const uint32_t code : {cas128, swap128, cas64}) {
            Request full = request();
            while (full.units.size() < before) {
                add(full, add64);
            }
            while (full.units.size() + 3 <= SLW_UNITS_MAX) {
                add(full, code);
            }
            while (full.units.size() < SLW_UNITS_MAX) {
                add(full, add64);
            }
            ASSERT_EQ(full.units.size(), static_cast<size_t>(SLW_UNITS_MAX));
            expect_executed(full);
            ASSERT_FALSE(HasFailure()) << before << " units in front of operations with code " << code;
        }
    }
}

TEST_P(LongRequests, execute_any_mixture) {
    constexpr uint32_t codes[] = {add64, cas64, swap128, cas128};
    for (int round = 0; round < 200; round++) {
        Request mixed = request();
        const size_t wanted = round % 2 == 0 ? 554 + prng_.below(4) : 1 + prng_.below(SLW_UNITS_MAX);
        while (mixed.units.size() < wanted) {
            const size_t left = wanted - mixed.units.size();
            add(mixed, codes[prng_.below(std::min<size_t>(left == 2 ? 3 : left == 1 ? 1 : 4, 4))]);
        }
        expect_executed(mixed);
        ASSERT_FALSE(HasFailure()) << "round " << round;
    }
}

// The first operation that is refused ends a long request, wherever it is.
TEST_P(LongRequests, stop_where_they_must) {
    for (const size_t bad : {0u, 1u, 61u, 62u, 63u, 64u, 87u, 88u, 89u, 124u, 300u, 556u}) {
        Request request = Bulk::request();
        while (request.units.size() < SLW_UNITS_MAX) {
            const bool refused = request.units.size() == bad;
            request.add(add64, 0, 0, refused ? 4 : 8 * request.units.size(), 1);
        }
        const Bytes before(memory().begin(), memory().begin() + 8 * SLW_UNITS_MAX);
        const Answer answer = deliver(request);
        EXPECT_EQ(answer.header.status, SLW_MISALIGNED);
        EXPECT_EQ(answer.header.executed, bad);
        for (size_t i = 0; i < SLW_UNITS_MAX; i++) {
            ASSERT_EQ(memory()[8 * i], static_cast<uint8_t>(before[8 * i] + (i < bad))) << i << " of " << bad;
        }
    }
}

// An operation at a packet's end that lacks its last unit.
TEST_P(LongRequests, refuse_what_the_end_cuts_off) {
    const uint64_t more[] = {1, 0, 0, 0};
    for (const size_t before : {86u, 88u, 124u, 555u}) {
        Request cut = request();
        for (size_t i = 0; i < before; i++) {
            cut.add(add64, 0, 0, 4096 + 8 * i, 1);
        }
        cut.add(cas128, 0, 0, 0, 1, std::span(more, 2));
        const Answer answer = deliver(cut);
        EXPECT_EQ(answer.header.status, SLW_BAD_OPERATION);
        EXPECT_EQ(answer.header.executed, before);
        EXPECT_EQ(memory()[0], 0);
    }
}

TEST_P(LongRequests, fetch_with_a_short_packets_units_only) {
    for (const size_t units : {1u, 87u, 88u, 89u, 90u, 557u}) {
        for (const size_t fetching : {size_t{0}, units / 2, units - 1}) {
            Request request = Bulk::request();
            for (size_t i = 0; i < units; i++) {
                request.add(add64 | (i == fetching ? SLW_FETCH : 0), 0, 0, 8 * i, 1);
            }
            uint64_t old;
            std::memcpy(&old, memory().data() + 8 * fetching, sizeof old);
            const Answer answer = deliver(request);
            const bool fits = units <= SLW_FETCH_UNITS_MAX;
            EXPECT_EQ(answer.header.status, fits ? SLW_OK : SLW_BAD_OPERATION) << units << " units";
            EXPECT_EQ(answer.header.executed, fits ? units : fetching);
            ASSERT_EQ(answer.data.size(), fits ? 8 * units : 0);
            if (fits) {
                EXPECT_EQ(std::memcmp(answer.data.data() + 8 * fetching, &old, sizeof old), 0);
            }
        }
    }
}

std::string name_of(const testing::TestParamInfo<bool>& tested) {
    return tested.param ? "kernel" : "native";
}
INSTANTIATE_TEST_SUITE_P(On, Bulk, testing::Bool(), name_of);
INSTANTIATE_TEST_SUITE_P(On, BulkAdds, testing::Bool(), name_of);
INSTANTIATE_TEST_SUITE_P(On, LongRequests, testing::Bool(), name_of);

}  // namespace
}  // namespace syncline::test
