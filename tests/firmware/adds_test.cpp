// SPDX-License-Identifier: BSD-3-Clause
// Method: adds that meet others on their words. Four threads add numbers whose sum is exact. Then the firmware is
// compiled so that a process changes an element's word in front of each compare&swap: an add that loses too often says
// how many elements it has added, and the rest of the request, which skip_executed() makes, adds the others. The rest
// itself is also compared with the elements that it must have, for every cut of ranges and lists.
#include <gtest/gtest.h>

#include <cstring>
#include <thread>

#include "contended_target.h"
#include "fabric/packet/connection/executed_part.h"
#include "native_target.h"
#include "packet.h"

namespace syncline::test {
namespace {

constexpr uint32_t all_adds[] = {SLW_ADD_INT32, SLW_ADD_INT64, SLW_ADD_FLOAT, SLW_ADD_DOUBLE};

uint32_t width_of(uint32_t code) {
    return (code & 1) != 0 ? 8 : 4;
}

struct Stretch {  // of elements
    uint32_t first, count;
};
using Stretches = std::vector<Stretch>;

// The bytes of a number as an element.
void append_number(Bytes* bytes, uint32_t code, int number) {
    const auto append = [&](auto value) {
        const auto* const at = reinterpret_cast<const uint8_t*>(&value);
        bytes->insert(bytes->end(), at, at + sizeof value);
    };
    switch (code) {
        case SLW_ADD_INT32:
            return append(int32_t{number});
        case SLW_ADD_INT64:
            return append(int64_t{number});
        case SLW_ADD_FLOAT:
            return append(static_cast<float>(number));
        default:
            return append(static_cast<double>(number));
    }
}

double number_at(const uint8_t* memory, uint32_t code, uint32_t index) {
    const auto load = [&](auto value) {
        std::memcpy(&value, memory + index * sizeof value, sizeof value);
        return static_cast<double>(value);
    };
    switch (code) {
        case SLW_ADD_INT32:
            return load(int32_t{});
        case SLW_ADD_INT64:
            return load(int64_t{});
        case SLW_ADD_FLOAT:
            return load(float{});
        default:
            return load(double{});
    }
}

// Adds 1, 2, 3 and so on to the elements of the stretches: a list, or the range that the only stretch is.
Request add_request(Request request, uint32_t code, const Stretches& stretches, bool as_list) {
    const uint64_t width = width_of(code);
    int number = 0;
    Bytes values;
    for (const Stretch& stretch : stretches) {
        const uint64_t piece = stretch.first * width | stretch.count * width << SLW_PIECE_SHIFT;
        const auto* const bytes = reinterpret_cast<const uint8_t*>(&piece);
        request.data.insert(request.data.end(), bytes, bytes + (as_list ? sizeof piece : 0));
        for (uint32_t i = 0; i < stretch.count; i++) {
            append_number(&values, code, ++number);
        }
    }
    request.data.insert(request.data.end(), values.begin(), values.end());
    return as_list ? request.add(code | SLW_LIST, 0, 0, 0, stretches.size())
                   : request.add(code, 0, 0, stretches[0].first * width, stretches[0].count * width);
}

const std::vector<Stretches> shapes = {
    {{0, 1}}, {{5, 40}}, {{0, 1}, {1, 1}, {2, 1}}, {{3, 2}, {9, 33}, {100, 1}, {101, 64}, {300, 7}}};

class Adds : public testing::Test {
  protected:
    const uint8_t* memory() { return target_.memory(shape_.segments[0]).data(); }
    Request request(uint32_t sequence) { return Request::from(shape_.config, 1, 1, 0, sequence); }

    const TargetShape shape_ = TargetShape::small(true);
    NativeTarget target_{shape_};
};

// Concurrency.

class ConcurrentAdds : public Adds {
  protected:
    static constexpr uint32_t threads = 4, additions = 1 << 20, words = 16;

    // Executes the request to its end, as an initiator does. Returns how often its rest had to be sent.
    uint32_t execute(Request request, uint32_t* sequence) {
        Bytes packet = request.packet(shape_.config);
        for (uint32_t rests = 0;; rests++) {
            auto* const header = reinterpret_cast<slw_header*>(packet.data());
            header->sequence = ++*sequence;
            fw_seal(&shape_.config, packet.data());
            Bytes buffer = packet;
            buffer.resize(SLW_PACKET_MAX);
            uint32_t length = 0;
            EXPECT_EQ(fw_execute_packet(&target_.target(), buffer.data(), fw_packet_length(packet.data()), &length),
                      FW_REPLY);
            const slw_header reply = header_of(buffer);
            if (reply.status == SLW_OK || !skip_executed(header, reply.executed)) {
                EXPECT_EQ(reply.status, SLW_OK);
                return rests;
            }
            EXPECT_EQ(reply.status, SLW_RETRY);
        }
    }

    // A range, or four pieces, of the words that all threads add to; one to each.
    Request ones(uint16_t rank, uint32_t code, bool as_list) {
        Request request = Request::from(shape_.config, rank, 0, static_cast<uint8_t>(rank), 0);
        const Stretches stretches = {{0, 4}, {4, 4}, {9, 4}, {14, 4}};
        request = add_request(request, code, as_list ? stretches : Stretches{{0, words}}, as_list);
        Bytes values;
        for (uint32_t i = 0; i < words; i++) {
            append_number(&values, code, 1);
        }
        std::copy(values.begin(), values.end(), request.data.end() - static_cast<ptrdiff_t>(values.size()));
        return request;
    }
};

TEST_F(ConcurrentAdds, lose_nothing) {
    for (const uint32_t code : all_adds) {
        std::span<uint8_t> all = target_.memory(shape_.segments[0]);
        std::fill(all.begin(), all.end(), uint8_t{0});
        std::vector<std::jthread> running;
        for (uint16_t rank = 0; rank < threads; rank++) {
            running.emplace_back([&, rank] {
                uint32_t sequence = (code & 7) << 24;
                const Request range = ones(rank, code, false), list = ones(rank, code, true);
                for (uint32_t i = 0; i < additions / threads / words; i++) {
                    execute(i % 2 == 0 ? range : list, &sequence);
                }
            });
        }
        running.clear();
        double sum = 0;
        for (uint32_t i = 0; i < 18; i++) {
            sum += number_at(memory(), code, i);
        }
        EXPECT_EQ(sum, additions) << "code " << code;
        EXPECT_EQ(number_at(memory(), code, 0), additions / words);
        EXPECT_EQ(number_at(memory(), code, 8), additions / words / 2);
    }
}

// Adds that lose.

// A process that has the same memory adds 1 to a word in front of each compare&swap on it, so many times.
struct Rival {
    void* word = nullptr;
    uint32_t code = 0;
    uint64_t left = 0, added = 0;
} rival;

void add_first(void* word) {
    if (word != rival.word || rival.left == 0) {
        return;
    }
    rival.left--;
    rival.added++;
    const auto add = [&](auto value) {
        std::memcpy(&value, word, sizeof value);
        value += 1;
        std::memcpy(word, &value, sizeof value);
    };
    rival.code == SLW_ADD_FLOAT ? add(float{}) : add(double{});
}

class LosingAdds : public Adds {
  protected:
    LosingAdds() { contended_interfere = add_first; }

    slw_header deliver(Bytes packet) { return deliver_contended(&target_, std::move(packet)); }

    // The first `added` elements of the stretches were added, and the rival has added to one of them.
    void expect_sums(uint32_t code, const Stretches& stretches, int added, int rivals_number) {
        int number = 0;
        for (const Stretch& stretch : stretches) {
            for (uint32_t i = 0; i < stretch.count; i++) {
                number++;
                const double expected =
                    (number <= added ? number : 0) + (number == rivals_number ? static_cast<double>(rival.added) : 0);
                ASSERT_EQ(number_at(memory(), code, stretch.first + i), expected) << "element " << number;
            }
        }
    }

    // The rival is at the word of the element with that number.
    void aim(uint32_t code, const Stretches& stretches, int number, uint64_t times) {
        std::span<uint8_t> all = target_.memory(shape_.segments[0]);
        std::fill(all.begin(), all.end(), uint8_t{0});
        int before = 1;
        for (const Stretch& stretch : stretches) {
            if (number < before + static_cast<int>(stretch.count)) {
                const uint32_t index = stretch.first + static_cast<uint32_t>(number - before);
                rival = {all.data() + index * width_of(code), code, times, 0};
                return;
            }
            before += static_cast<int>(stretch.count);
        }
    }

    static int elements_of(const Stretches& stretches) {
        int elements = 0;
        for (const Stretch& stretch : stretches) {
            elements += static_cast<int>(stretch.count);
        }
        return elements;
    }
};

TEST_F(LosingAdds, win_in_the_end) {
    uint32_t sequence = 0;
    for (const uint32_t code : {SLW_ADD_FLOAT, SLW_ADD_DOUBLE}) {
        for (const uint64_t losses : {1, 7, 8, 9, 20, 63}) {
            const Stretches& stretches = shapes[3];
            aim(code, stretches, 12, losses);
            const slw_header reply =
                deliver(add_request(request(++sequence), code, stretches, true).packet(shape_.config));
            EXPECT_EQ(reply.status, SLW_OK) << losses;
            EXPECT_EQ(reply.executed, 1u);
            EXPECT_EQ(rival.added, losses);
            expect_sums(code, stretches, elements_of(stretches), 12);
        }
    }
}

TEST_F(LosingAdds, say_how_far_they_came_and_go_on_from_there) {
    uint32_t sequence = 0;
    for (const uint32_t code : {SLW_ADD_FLOAT, SLW_ADD_DOUBLE}) {
        for (const Stretches& stretches : shapes) {
            for (int number = 1; number <= elements_of(stretches); number++) {
                for (const bool as_list : {false, true}) {
                    if (!as_list && stretches.size() != 1) {
                        continue;
                    }
                    Bytes packet = add_request(request(++sequence), code, stretches, as_list).packet(shape_.config);
                    aim(code, stretches, number, UINT64_MAX);
                    for (int copy = 0; copy < 2; copy++) {  // also the duplicate says so
                        const slw_header reply = deliver(packet);
                        ASSERT_EQ(reply.status, SLW_RETRY);
                        ASSERT_EQ(reply.executed, number - 1);
                        expect_sums(code, stretches, number - 1, number);
                    }
                    rival.left = 0;
                    auto* const header = reinterpret_cast<slw_header*>(packet.data());
                    ASSERT_TRUE(skip_executed(header, static_cast<uint32_t>(number - 1)));
                    header->sequence = ++sequence;
                    fw_seal(&shape_.config, packet.data());
                    ASSERT_EQ(deliver(packet).status, SLW_OK);
                    expect_sums(code, stretches, elements_of(stretches), number);
                }
            }
        }
    }
}

// The loser is not the last to lose: it takes turns with a rival at each element.
TEST_F(LosingAdds, lose_again_in_the_rest) {
    const Stretches& stretches = shapes[3];
    Bytes packet = add_request(request(1), SLW_ADD_DOUBLE, stretches, true).packet(shape_.config);
    auto* const header = reinterpret_cast<slw_header*>(packet.data());
    int done = 0;
    uint64_t added[200] = {};
    aim(SLW_ADD_DOUBLE, stretches, 1, 0);
    int number = 0;
    for (const Stretch& stretch : stretches) {
        for (uint32_t i = 0; i < stretch.count; i++) {
            number++;
            rival = {target_.memory(shape_.segments[0]).data() + (stretch.first + i) * 8, SLW_ADD_DOUBLE, UINT64_MAX,
                     0};
            const slw_header reply = deliver(packet);
            ASSERT_EQ(reply.status, SLW_RETRY);
            ASSERT_EQ(reply.executed + done, number - 1);
            ASSERT_TRUE(skip_executed(header, reply.executed));
            done += reply.executed;
            added[number] = rival.added;
            header->sequence++;
            fw_seal(&shape_.config, packet.data());
        }
    }
    rival = {};
    ASSERT_EQ(deliver(packet).status, SLW_OK);
    number = 0;
    for (const Stretch& stretch : stretches) {
        for (uint32_t i = 0; i < stretch.count; i++) {
            number++;
            EXPECT_EQ(number_at(memory(), SLW_ADD_DOUBLE, stretch.first + i),
                      number + static_cast<double>(added[number]));
        }
    }
}

// The rest of a request.

// The elements of an add packet: where each is, and its bytes.
std::vector<std::pair<uint64_t, Bytes>> elements_in(const Bytes& packet) {
    slw_unit unit;
    std::memcpy(&unit, packet.data() + SLW_HEADER_BYTES, sizeof unit);
    std::span<const uint8_t> data = data_of(packet);
    std::vector<uint64_t> pieces;
    if ((unit.code & SLW_LIST) == 0) {
        pieces.push_back((uint64_t{unit.offset_high} << 32 | unit.offset_low) | unit.operand << SLW_PIECE_SHIFT);
    } else {
        pieces.resize(unit.operand);
        std::memcpy(pieces.data(), data.data(), pieces.size() * SLW_PIECE_BYTES);
        data = data.subspan(pieces.size() * SLW_PIECE_BYTES);
    }
    std::vector<std::pair<uint64_t, Bytes>> elements;
    const uint32_t width = width_of(unit.code);
    for (const uint64_t piece : pieces) {
        for (uint64_t at = 0; at < piece >> SLW_PIECE_SHIFT; at += width) {
            elements.emplace_back((piece & ((1ull << SLW_PIECE_SHIFT) - 1)) + at,
                                  Bytes(data.begin(), data.begin() + width));
            data = data.subspan(width);
        }
    }
    EXPECT_TRUE(data.empty());
    return elements;
}

class Rest : public Adds {};

TEST_F(Rest, has_the_elements_that_are_left) {
    for (const uint32_t code : all_adds) {
        for (const Stretches& stretches : shapes) {
            for (const bool as_list : {false, true}) {
                if (!as_list && stretches.size() != 1) {
                    continue;
                }
                const Bytes whole = add_request(request(1), code, stretches, as_list).packet(shape_.config);
                const auto elements = elements_in(whole);
                for (uint32_t cut = 0; cut < elements.size(); cut++) {
                    Bytes rest = whole;
                    ASSERT_TRUE(skip_executed(reinterpret_cast<slw_header*>(rest.data()), cut));
                    const auto left = elements_in(rest);
                    ASSERT_TRUE(std::equal(left.begin(), left.end(), elements.begin() + cut, elements.end()))
                        << cut << " of " << elements.size() << ", code " << code;
                    const slw_header header = header_of(rest);
                    EXPECT_EQ(header.units, 1u);
                    // Zeros up to a whole word, which the tag covers.
                    const size_t end = SLW_HEADER_BYTES + SLW_UNIT_BYTES + header.data_length;
                    for (size_t i = end; i < fw_packet_length(rest.data()); i++) {
                        ASSERT_EQ(rest[i], 0);
                    }
                }
            }
        }
    }
}

TEST_F(Rest, of_an_offset_with_more_than_32_bits) {
    Request far = request(1).add(SLW_ADD_INT64, 0, 0, (1ull << 32) - 8, 32);
    far.data.assign(32, 1);
    Bytes packet = far.packet(shape_.config);
    ASSERT_TRUE(skip_executed(reinterpret_cast<slw_header*>(packet.data()), 3));
    EXPECT_EQ(elements_in(packet).at(0).first, (1ull << 32) + 16);
}

TEST_F(Rest, is_not_there) {
    for (const bool as_list : {false, true}) {
        for (const uint32_t executed : {40u, 41u, 65535u}) {
            const Bytes whole = add_request(request(1), SLW_ADD_DOUBLE, shapes[1], as_list).packet(shape_.config);
            Bytes packet = whole;
            EXPECT_FALSE(skip_executed(reinterpret_cast<slw_header*>(packet.data()), executed)) << executed;
            EXPECT_EQ(packet, whole);
        }
    }
    Request put = request(1).add(SLW_PUT, 0, 0, 0, 16);
    put.data.assign(16, 1);
    Bytes packet = put.packet(shape_.config);
    EXPECT_FALSE(skip_executed(reinterpret_cast<slw_header*>(packet.data()), 1));
    EXPECT_TRUE(skip_executed(reinterpret_cast<slw_header*>(packet.data()), 0));
}

}  // namespace
}  // namespace syncline::test
