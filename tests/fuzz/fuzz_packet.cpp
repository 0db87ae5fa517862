// SPDX-License-Identifier: BSD-3-Clause
// Method: arbitrary bytes as packets and as frames for a small NIC. The first byte says how: as they are, or repaired
// (magic, version, job, node, source, a next sequence, lengths and tag put right), so that they get behind the
// validation; lists of pieces are put into order, or not. One of so many inputs begins anew as a bulk operation of any
// code and length. Every segment lies between pages that cannot be touched, and the packet ends at one: if the firmware
// reads or writes outside, it crashes. Assertions check the rest: a packet that is rejected is left as it was, a reply
// is sealed, and memory behind a segment's end (in its last block) is never written.
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cstring>

#include "../firmware/native_target.h"
#include "../firmware/packet.h"
#include "base/prng.h"

namespace syncline::test {
namespace {

#define REQUIRE(condition)                         \
    do {                                           \
        if (!(condition)) {                        \
            std::fprintf(stderr, #condition "\n"); \
            std::abort();                          \
        }                                          \
    } while (0)

constexpr uint8_t mark = 0x6d;

class Target {
  public:
    Target(bool authenticate, uint32_t packet_max)
        : shape_(TargetShape::small(authenticate, packet_max)), packet_max_(packet_max), target_(shape_) {
        for (const SegmentShape& segment : shape_.segments) {
            std::span<uint8_t> behind = target_.memory(segment).subspan(segment.length);
            std::fill(behind.begin(), behind.end(), mark);
        }
        buffer_end_ = buffer_.data() + buffer_.size();
    }

    void packet(std::span<const uint8_t> bytes, uint8_t how) {
        uint8_t* at = place(bytes, std::max<size_t>(bytes.size(), packet_max_));
        if (how & 2) {
            repair(at, bytes.size(), how);
        }
        const Bytes before(at, at + bytes.size());
        uint32_t reply_length = 0;
        const fw_verdict verdict =
            fw_execute_packet(&target_.target(), at, static_cast<uint32_t>(bytes.size()), &reply_length);
        REQUIRE(verdict == FW_DROP || verdict == FW_REPLY || verdict == FW_CONSUMED);
        if (verdict == FW_REPLY) {
            check_reply({at, reply_length});
        } else {
            REQUIRE(std::equal(before.begin(), before.end(), at));
        }
        check_memory();
    }

    void frame(std::span<const uint8_t> bytes, uint8_t how) {
        Bytes frame(bytes.begin(), bytes.end());
        if (how & 2) {  // in a sound frame
            Bytes inner = frame;
            if (how & 4) {
                repair(inner.data(), inner.size(), how);
            }
            frame = to_frame(shape_.config, inner, (how & 8) != 0);
        }
        const size_t capacity = frame.size() + ((how & 16) != 0 ? packet_max_ : 0);
        uint8_t* at = place(frame, capacity);
        uint32_t length = static_cast<uint32_t>(frame.size());
        const fw_verdict verdict = fw_execute_frame(&target_.target(), at, static_cast<uint32_t>(capacity), &length);
        REQUIRE(length <= capacity);
        if (verdict == FW_REPLY) {
            const std::optional<Bytes> payload = payload_of(Bytes(at, at + length));
            REQUIRE(payload.has_value());
            check_reply(*payload);
        }
        check_memory();
    }

  private:
    // Puts the bytes so that `capacity` bytes from there the buffer ends.
    uint8_t* place(std::span<const uint8_t> bytes, size_t capacity) {
        REQUIRE(capacity <= buffer_.size());
        uint8_t* at = buffer_end_ - capacity;
        std::copy(bytes.begin(), bytes.end(), at);
        return at;
    }

    void repair(uint8_t* packet, size_t length, uint8_t how) {
        if (length < SLW_HEADER_BYTES + SLW_UNIT_BYTES) {
            return;
        }
        slw_header header;
        std::memcpy(&header, packet, sizeof header);
        header.magic = SLW_MAGIC;
        header.version = SLW_VERSION;
        header.job = shape_.config.job;
        const uint32_t room = static_cast<uint32_t>(std::min<size_t>(length, packet_max_) - SLW_HEADER_BYTES);
        header.slot %= shape_.config.window;
        if (how & 32) {
            make_reply(header, room, packet + SLW_HEADER_BYTES);
        } else {
            header.kind = SLW_REQUEST;
            header.target_node = static_cast<uint16_t>(shape_.config.node);
            header.source_rank %= shape_.config.ranks;
            header.units = static_cast<uint16_t>(1 + header.units % (room / SLW_UNIT_BYTES));
            const uint32_t rest = room - header.units * SLW_UNIT_BYTES;
            header.data_length = static_cast<uint16_t>(header.data_length % (rest / 8 * 8 + 1));
            header.sequence = next_sequence(header) - header.sequence % 2;  // every other one is a duplicate
            aim(packet + SLW_HEADER_BYTES, header);
        }
        std::memcpy(packet, &header, sizeof header);
        fw_seal(&shape_.config, packet);
    }

    void make_reply(slw_header& header, uint32_t room, const uint8_t* body) {
        header.kind = SLW_REPLY;
        header.units = 0;
        header.source_port %= shape_.config.ports;
        header.source_rank = shape_.ranks.at(header.source_port);
        header.target_node %= shape_.config.nodes;
        header.data_length = static_cast<uint16_t>(header.data_length % (room / 8 * 8 + 1));
        const uint32_t index = header.target_node * shape_.config.window + header.slot;
        const uint32_t follower = header.executed & (FW_FOLLOWER >> FW_FOLLOWER_SHIFT);
        target_.completion(header.source_port, index).state =
            target_.request_id(index, header.sequence) | follower << FW_FOLLOWER_SHIFT | FW_COMPLETION_ARMED;
        if ((header.slot ^ follower) < shape_.config.window) {
            const uint32_t next = index - header.slot + (header.slot ^ follower);
            fill_image(target_.image(header.source_port, next), target_.request_id(next, 1), body);
        }
    }

    // As a process may leave it that means harm.
    void fill_image(fw_image& image, uint64_t request, const uint8_t* words) {
        uint32_t said[3];
        std::memcpy(said, words, sizeof said);
        image.state = request | said[0] % 8;
        image.length = said[1] >> (said[1] & 31);
        image.pad_to = said[2] >> (said[2] & 31);
        std::memset(image.packet, mark, packet_max_);
    }

    uint32_t next_sequence(const slw_header& header) {
        const fw_slot slot = target_.slots().at(header.source_rank * shape_.config.window + header.slot);
        return static_cast<uint32_t>(slot.word >> 8) + 1;
    }

    // Units whose port is in range get offsets near segments; what a bulk operation counts gets near to its data.
    void aim(uint8_t* units, const slw_header& header) {
        for (uint32_t i = 0; i < header.units; i++) {
            slw_unit unit;
            std::memcpy(&unit, units + i * SLW_UNIT_BYTES, sizeof unit);
            if (unit.port < 8 && unit.segment < 8) {
                unit.offset_high = 0;
                unit.offset_low %= 4 * SLW_BLOCK_BYTES;
            }
            if (i == 0 && unit.code >= SLW_PUT) {
                aim_bulk(&unit, units + header.units * SLW_UNIT_BYTES, header);
            }
            std::memcpy(units + i * SLW_UNIT_BYTES, &unit, sizeof unit);
        }
    }

    // The operand says whether elements are aligned, and whether pieces are put into order: behind each other, of a
    // few bytes, but the last one of a put or an add, which takes all that are left.
    void aim_bulk(slw_unit* unit, uint8_t* data, const slw_header& header) {
        const uint64_t aligned = (unit->operand & 1) != 0 ? ~7ull : ~0ull;
        const bool orders = (unit->operand & 2) != 0;
        const bool gets = (unit->code & ~SLW_LIST) == SLW_GET;
        unit->offset_low &= static_cast<uint32_t>(aligned);
        if ((unit->code & SLW_LIST) == 0) {
            unit->operand = gets ? unit->operand % (2 * SLW_BULK_MAX) : header.data_length;
            return;
        }
        const uint64_t most = header.data_length / SLW_PIECE_BYTES;
        unit->operand = gets ? most : (unit->operand >> 2) % (most + 1);
        unit->offset_low = 0;
        uint64_t left = header.data_length - unit->operand * SLW_PIECE_BYTES;
        uint64_t end = 0;
        for (uint64_t i = 0; orders && i < unit->operand; i++) {
            uint64_t piece;
            std::memcpy(&piece, data + i * SLW_PIECE_BYTES, sizeof piece);
            const uint64_t few = (1 + (piece >> SLW_PIECE_SHIFT & 127)) & aligned;
            const uint64_t bytes = gets ? few : i + 1 == unit->operand ? left : std::min(few, left);
            const uint64_t offset = (end + (piece & 255) + 7) & aligned;
            left -= gets ? 0 : bytes;
            end = offset + bytes;
            piece = offset | bytes << SLW_PIECE_SHIFT;
            std::memcpy(data + i * SLW_PIECE_BYTES, &piece, sizeof piece);
        }
    }

    void check_reply(std::span<const uint8_t> reply) {
        REQUIRE(reply.size() >= SLW_HEADER_BYTES && reply.size() <= packet_max_);
        const slw_header header = header_of(reply);
        if (header.magic == mark && header.kind == mark) {
            return;  // not a reply but what follows one
        }
        REQUIRE(header.kind == SLW_REPLY && header.units == 0);
        REQUIRE(reply.size() == SLW_HEADER_BYTES + slw_padded(header.data_length));
        Bytes sealed(reply.begin(), reply.end());
        fw_seal(&shape_.config, sealed.data());
        REQUIRE(header_of(sealed).tag == header.tag);
    }

    void check_memory() {
        for (const SegmentShape& segment : shape_.segments) {
            std::span<uint8_t> behind = target_.memory(segment).subspan(segment.length);
            behind = behind.first(std::min<size_t>(behind.size(), 4096));
            REQUIRE(std::all_of(behind.begin(), behind.end(), [](uint8_t byte) { return byte == mark; }));
        }
    }

    const TargetShape shape_;
    const uint32_t packet_max_;
    NativeTarget target_;
    GuardedMemory memory_{SLW_BLOCK_BYTES};
    std::span<uint8_t> buffer_{memory_.data(), memory_.size()};
    uint8_t* buffer_end_;
};

constexpr uint8_t bulk_codes[] = {SLW_PUT, SLW_GET, SLW_ADD_INT32, SLW_ADD_INT64, SLW_ADD_FLOAT, SLW_ADD_DOUBLE};

// An input that becomes a bulk operation of one unit once it is repaired; of up to `most` bytes, a third of them short.
Bytes draw_bulk(Prng& prng, size_t most) {
    const size_t head = 1 + SLW_HEADER_BYTES + SLW_UNIT_BYTES;
    const size_t room = most - head;
    const size_t data = prng.below((prng.below(3) == 0 ? std::min<size_t>(room, 300) : room) + 1) & ~size_t{7};
    Bytes input(head + data);
    std::generate(input.begin(), input.end(), [&] { return static_cast<uint8_t>(prng.next()); });
    const bool in_frame = prng.below(4) == 0;
    input[0] = static_cast<uint8_t>(2 | (in_frame ? 1 | 4 : 0) | (input[0] & 0xd8));
    slw_header header;
    std::memcpy(&header, &input[1], sizeof header);
    header.units = 0;  // one, as repair() has it
    header.data_length = static_cast<uint16_t>(data < 8 ? data : data - prng.below(8));
    slw_unit unit;
    std::memcpy(&unit, &input[1 + SLW_HEADER_BYTES], sizeof unit);
    unit.code = static_cast<uint8_t>(bulk_codes[prng.below(std::size(bulk_codes))] | (prng.below(2) * SLW_LIST));
    unit.port &= 1;
    unit.segment = 0;
    unit.operand = prng.below(2) == 0 ? prng.below(16) : prng.below(4 * (data / SLW_PIECE_BYTES + 1));
    std::memcpy(&input[1], &header, sizeof header);
    std::memcpy(&input[1 + SLW_HEADER_BYTES], &unit, sizeof unit);
    return input;
}

}  // namespace
}  // namespace syncline::test

extern "C" size_t LLVMFuzzerMutate(uint8_t* data, size_t size, size_t max_size);

extern "C" size_t LLVMFuzzerCustomMutator(uint8_t* data, size_t size, size_t max_size, unsigned seed) {
    syncline::Prng prng(seed);
    if (max_size < 100 || prng.below(8) != 0) {
        return LLVMFuzzerMutate(data, size, max_size);
    }
    const syncline::test::Bytes input = syncline::test::draw_bulk(prng, std::min<size_t>(max_size, 1 + SLW_PACKET_MAX));
    std::copy(input.begin(), input.end(), data);
    return input.size();
}

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
    using syncline::test::Target;
    static Target targets[] = {Target(false, SLW_PACKET_MAX), Target(false, SLW_PACKET_LEAST),
                               Target(true, SLW_PACKET_MAX), Target(true, 2000)};
    if (size < 1 || size > SLW_PACKET_MAX + 256) {
        return 0;
    }
    const uint8_t how = data[0];
    Target& target = targets[how >> 6];
    const std::span<const uint8_t> bytes(data + 1, size - 1);
    if (how & 1) {
        target.frame(bytes, how);
    } else {
        target.packet(bytes, how);
    }
    return 0;
}
