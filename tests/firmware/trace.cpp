// SPDX-License-Identifier: BSD-3-Clause
#include "trace.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>

namespace syncline::test {
namespace {

constexpr uint32_t bulks[] = {SLW_PUT,       SLW_PUT,       SLW_GET,       SLW_GET,
                              SLW_ADD_INT32, SLW_ADD_INT64, SLW_ADD_FLOAT, SLW_ADD_DOUBLE};
#define CODE(name, NAME, number, forms, how, sign, next) SLW_##NAME,
constexpr uint32_t words[] = {SYNCLINE_OPERATIONS_(CODE)};
#undef CODE

Bytes random_bytes(Prng& prng, size_t count) {
    Bytes bytes(count);
    for (size_t at = 0; at < count; at += 8) {
        const uint64_t word = prng.next();
        std::memcpy(bytes.data() + at, &word, std::min<size_t>(8, count - at));
    }
    return bytes;
}

}  // namespace

Trace::Trace(const TargetShape& shape, uint64_t seed)
    : shape_(shape),
      prng_(seed),
      slots_(shape.config.ranks * shape.config.window),
      awaited_(shape.config.ports * shape.config.nodes * shape.config.window) {}

// Now and then one that is closed or small.
const SegmentShape& Trace::random_segment() {
    return shape_.segments[one_in(30) ? prng_.below(shape_.segments.size()) : prng_.below(3)];
}

// Mostly aligned, small numbers often (so that compare&swap hits), ends of blocks and of the segment often.
uint64_t Trace::random_address(const SegmentShape& segment, uint64_t width) {
    uint64_t offset = prng_.below(segment.length + 1);
    switch (prng_.below(16)) {
        case 0:
        case 4:
        case 5:
        case 6:
            offset = prng_.below(256);
            break;
        case 1:
            offset = segment.length - std::min<uint64_t>(segment.length, prng_.below(2 * width + 1));
            break;
        case 2:
            offset = SLW_BLOCK_BYTES - prng_.below(2 * width + 1);
            break;
        case 3:
        case 7:
        case 8:
        case 9:
            offset = 64 + prng_.below(4) * width;
            break;
        default:
            break;
    }
    if (!one_in(100)) {
        offset &= ~(width - 1);
    }
    if (one_in(500)) {
        offset |= prng_.below(256) << 32;
    }
    return offset;
}

void Trace::add_operation(Request& request, bool may_fetch) {
    const SegmentShape& segment = random_segment();
    const uint32_t log_width = static_cast<uint32_t>(prng_.below(5));
    uint32_t code = SLW_SWAP;
    if (log_width == 4) {
        code = one_in(2) ? SLW_SWAP : SLW_CAS;
    } else if (log_width >= 2) {
        code = words[prng_.below(std::size(words))];
    }
    if (log_width >= 2 && may_fetch && one_in(2)) {
        code |= SLW_FETCH;
    }
    code |= log_width << SLW_WIDTH_SHIFT;
    const uint64_t few = prng_.below(3);  // values that are met again
    const uint64_t more[] = {log_width == 4 ? prng_.below(3) : few, one_in(20) ? 1u : 0u, prng_.below(3),
                             prng_.below(3)};
    const uint32_t extra = slw_units_of(code, slw_traits_of(code)) - 1;
    const uint64_t offset = random_address(segment, 1u << log_width);
    const uint64_t operand = one_in(2) ? prng_.below(3) : prng_.next();
    request.add(code, static_cast<uint8_t>(segment.port), static_cast<uint8_t>(segment.segment), offset, operand,
                std::span(more, 2 * extra));
}

void Trace::add_random_unit(Request& request) {
    const uint64_t word = prng_.next();
    const uint8_t port = static_cast<uint8_t>(word >> 8 & (one_in(2) ? 3 : 255));
    const uint8_t segment = static_cast<uint8_t>(word >> 16 & (one_in(2) ? 3 : 255));
    const uint64_t offset = prng_.below(1 << 18);
    request.add(static_cast<uint32_t>(word & 0xff), port, segment, offset, prng_.next());
}

// Now and then longer than a packet may be.
uint32_t Trace::random_body() {
    const uint32_t body = shape_.config.packet_max - SLW_HEADER_BYTES;
    return one_in(3)     ? static_cast<uint32_t>(1ull << prng_.below(5))
           : one_in(100) ? SLW_BODY_MAX + 64
                         : static_cast<uint32_t>(prng_.below(one_in(2) ? 1409 : body + 1));
}

// A range that is a whole number of elements, mostly.
void Trace::add_range(Request& request, uint32_t code, uint32_t width) {
    const SegmentShape& segment = random_segment();
    const uint64_t body = random_body();
    const uint64_t drawn = body > SLW_UNIT_BYTES ? body - SLW_UNIT_BYTES : body;
    const uint64_t bytes = one_in(50) ? drawn : (drawn + width - 1) / width * width;
    if (code != SLW_GET) {
        request.data = random_bytes(prng_, std::min<uint64_t>(bytes, SLW_BODY_MAX));
    }
    const uint64_t offset = random_address(segment, width == 1 && one_in(2) ? 8 : width);
    request.add(code, static_cast<uint8_t>(segment.port), static_cast<uint8_t>(segment.segment), offset,
                one_in(30) ? bytes + 1 : bytes);
}

// A list as it should be: pieces that ascend, many of which touch, of `room` bytes with what they carry.
std::vector<uint64_t> Trace::random_list(const SegmentShape& segment, uint32_t width, uint64_t room, bool carries) {
    std::vector<uint64_t> list;
    const uint64_t longest = one_in(2) ? 1 + prng_.below(4) : 1 + prng_.below(room / width + 1);
    uint64_t offset = random_address(segment, width) & ~(width - 1ull);
    while (offset < segment.length && !(list.size() > 2 && one_in(longest < 5 ? 200 : 5))) {
        const uint64_t in_block = SLW_BLOCK_BYTES - offset % SLW_BLOCK_BYTES;
        uint64_t bytes = std::min({(1 + prng_.below(longest)) * width, in_block, segment.length - offset});
        bytes = bytes / width * width;
        const uint64_t taken = SLW_PIECE_BYTES + (carries ? bytes : 0);
        if (bytes == 0 || taken > room) {
            break;
        }
        room -= taken;
        list.push_back(offset | bytes << SLW_PIECE_SHIFT);
        offset += bytes + (one_in(2) ? 0 : prng_.below(64) * width);
    }
    return list;
}

// Breaks one rule of a list, or does no harm.
void Trace::damage_list(std::vector<uint64_t>& list) {
    uint64_t& piece = list[prng_.below(list.size())];
    const uint64_t bytes = piece >> SLW_PIECE_SHIFT;
    switch (prng_.below(7)) {
        case 0:
            std::swap(piece, list.back());
            break;
        case 1:
            piece &= (1ull << SLW_PIECE_SHIFT) - 1;  // of no bytes
            break;
        case 2:
            piece ^= 1ull << prng_.below(64);
            break;
        case 3:
            piece = list.front();
            break;
        case 4:
            piece = (piece & ~0xffffull) | (0x10000 - bytes + prng_.below(2));  // across a block's end, perhaps
            break;
        case 5:
            piece += one_in(2) ? 1 : ~0ull;
            break;
        default:
            list.push_back(list.back() + (prng_.below(8) << SLW_PIECE_SHIFT));
    }
}

void Trace::add_list(Request& request, uint32_t code, uint32_t width) {
    const SegmentShape& segment = random_segment();
    const uint32_t room = shape_.config.packet_max - SLW_HEADER_BYTES - SLW_UNIT_BYTES;
    std::vector<uint64_t> list = random_list(segment, width, room, code != SLW_GET);
    if (list.empty()) {
        list.push_back(1ull << SLW_PIECE_SHIFT);
    }
    if (one_in(4)) {
        damage_list(list);
    }
    uint64_t bytes = 0;
    for (const uint64_t piece : list) {
        bytes += piece >> SLW_PIECE_SHIFT;
    }
    const size_t listed = std::min<size_t>(list.size() * SLW_PIECE_BYTES, room);
    if (code != SLW_GET) {
        request.data = random_bytes(prng_, std::min<uint64_t>(listed + bytes, room));
    } else {
        request.data.resize(listed);
    }
    std::memcpy(request.data.data(), list.data(), std::min(listed, request.data.size()));
    if (one_in(50)) {
        request.data.resize(prng_.below(request.data.size() + 2));
    }
    uint64_t count = list.size();
    count += one_in(50) ? prng_.below(3) - 1 : 0;
    count += one_in(100) ? prng_.next() << 32 : 0;
    request.add(code | SLW_LIST, static_cast<uint8_t>(segment.port), static_cast<uint8_t>(segment.segment),
                one_in(50) ? 8 : 0, count);
}

Request Trace::random_request(uint16_t rank, uint8_t slot, uint32_t sequence) {
    Request request = Request::from(shape_.config, rank, static_cast<uint8_t>(rank % 3), slot, sequence);
    if (!one_in(3)) {
        const uint32_t code = bulks[prng_.below(std::size(bulks))];
        const uint32_t width = code < SLW_ADD_INT32 ? 1 : (code & 1) != 0 ? 8 : 4;
        if (one_in(2)) {
            add_list(request, code, width);
        } else {
            add_range(request, code, width);
        }
        if (code != SLW_PUT && !one_in(50)) {
            return request;
        }
    }
    // With an operation that fetches, more than SLW_FETCH_UNITS_MAX now and then.
    const size_t body = shape_.config.packet_max - SLW_HEADER_BYTES;
    const size_t data = slw_padded(static_cast<uint32_t>(request.data.size()));
    const size_t room = data < body ? (body - data) / SLW_UNIT_BYTES : 0;
    const size_t usual = std::min<size_t>(room, SLW_FETCH_UNITS_MAX);
    const bool fetches = !one_in(4);
    const size_t wanted = one_in(2) ? 1 : one_in(4) ? room : prng_.below((fetches ? usual : room) + 1);
    while (request.units.size() < wanted && request.units.size() + 3 <= room) {
        if (one_in(200)) {
            add_random_unit(request);
        } else {
            add_operation(request, fetches && (wanted <= SLW_FETCH_UNITS_MAX || one_in(500)));
        }
    }
    if (request.units.empty()) {
        add_operation(request, true);
    }
    if (request.units.size() > 1 && one_in(40)) {
        request.units.pop_back();  // perhaps half of an operation
    }
    return request;
}

// By a get.
static uint32_t bytes_asked_for(const Request& request) {
    uint64_t bytes = request.units[0].operand;
    if (request.units[0].code & SLW_LIST) {
        bytes = 0;
        for (size_t at = 0; at + SLW_PIECE_BYTES <= request.data.size(); at += SLW_PIECE_BYTES) {
            uint64_t piece;
            std::memcpy(&piece, request.data.data() + at, sizeof piece);
            bytes += piece >> SLW_PIECE_SHIFT;
        }
    }
    return static_cast<uint32_t>(bytes & 0xffff);
}

Bytes Trace::request_frame(uint32_t index) {
    Slot& slot = slots_[index];
    if (slot.waiting && !one_in(100)) {
        return !slot.is_get && one_in(30) ? close_frame(index) : slot.frame;
    }
    const uint16_t rank = static_cast<uint16_t>(index / shape_.config.window);
    slot.sequence += one_in(100) ? static_cast<uint32_t>(1 + prng_.below(1000)) : 1;
    const Request request = random_request(rank, static_cast<uint8_t>(index % shape_.config.window), slot.sequence);
    slot.code = request.units[0].code;
    slot.is_get = (slot.code & ~SLW_LIST) == SLW_GET;
    const uint64_t reply = SLW_HEADER_BYTES + std::min<uint64_t>(SLW_BODY_MAX, slw_padded(bytes_asked_for(request)));
    const size_t padded_to = slot.is_get && !one_in(8) ? reply : one_in(10) ? prng_.below(300) : 0;
    slot.frame = to_frame(shape_.config, request.packet(shape_.config, padded_to), one_in(2));
    slot.waiting = true;
    return !slot.is_get && one_in(60) ? close_frame(index) : slot.frame;
}

// Closes the sequence of the slot's request, with room for any results, mostly.
Bytes Trace::close_frame(uint32_t index) {
    const uint16_t rank = static_cast<uint16_t>(index / shape_.config.window);
    const uint8_t slot = static_cast<uint8_t>(index % shape_.config.window);
    Request close = Request::from(shape_.config, rank, static_cast<uint8_t>(rank % 3), slot, slots_[index].sequence);
    close.add(SLW_CLOSE, static_cast<uint8_t>(prng_.below(4)), 0, 0, 0);
    const size_t padded_to = one_in(4) ? 0 : SLW_HEADER_BYTES + SLW_FETCH_UNITS_MAX * SLW_RESULT_BYTES;
    return to_frame(shape_.config, close.packet(shape_.config, padded_to), one_in(2));
}

Bytes Trace::reply_frame() {
    const uint32_t index = static_cast<uint32_t>(prng_.below(awaited_.size()));
    const uint32_t per_port = shape_.config.nodes * shape_.config.window;
    slw_header header = Request::from(shape_.config, 0, 0, 0, awaited_[index].sequence).header;
    header.source_port = static_cast<uint8_t>(index / per_port);
    header.source_rank = shape_.ranks.at(header.source_port);
    header.target_node = static_cast<uint16_t>(index % per_port / shape_.config.window);
    header.slot = static_cast<uint8_t>(index % shape_.config.window);
    header.status = static_cast<uint8_t>(one_in(10) ? prng_.below(9) : 0);
    header.executed = static_cast<uint16_t>(prng_.below(SLW_UNITS_MAX + 1));
    if (one_in(20)) {
        header.sequence += static_cast<uint32_t>(prng_.below(3)) - 1;
    }
    switch (prng_.below(80)) {
        case 0:
            header.source_port = static_cast<uint8_t>(prng_.next());
            break;
        case 1:
            header.source_rank = static_cast<uint16_t>(prng_.below(10));
            break;
        case 2:
            header.target_node = static_cast<uint16_t>(prng_.next());
            break;
        case 3:
            header.slot = static_cast<uint8_t>(prng_.below(8));
            break;
        default:
            break;
    }
    const size_t bytes = one_in(3) ? 8 * prng_.below(3) : random_body();
    const Bytes packet = reply_packet(shape_.config, header, random_bytes(prng_, bytes));
    return to_frame(shape_.config, packet, one_in(2));
}

// Sealed well, but not what this NIC may accept.
Bytes Trace::wrong_frame() {
    fw_config config = shape_.config;
    const uint16_t rank = static_cast<uint16_t>(prng_.below(6));
    Request request = random_request(rank, static_cast<uint8_t>(prng_.below(4)), 0);
    const Slot& slot = slots_.at(request.header.source_rank * shape_.config.window + request.header.slot);
    request.header.sequence = slot.last_sequence - 1 - static_cast<uint32_t>(prng_.below(100));
    switch (prng_.below(12)) {
        case 0:
            request.header.job++;
            break;
        case 1:
            config.key[0] ^= 1;
            config.authenticate ^= one_in(2);
            break;
        case 2:
            request.header.version++;
            break;
        case 3:
            request.header.target_node ^= 1;
            break;
        case 4:
            request.header.source_rank = static_cast<uint16_t>(6 + prng_.below(100));
            break;
        case 5:
            request.header.slot = static_cast<uint8_t>(4 + prng_.below(100));
            break;
        case 6:
            request.header.magic = static_cast<uint8_t>(prng_.next());
            break;
        case 7:
            request.header.kind = static_cast<uint8_t>(prng_.below(7));
            break;
        case 8:
            request.units.clear();
            break;
        case 9: {  // impossible counts
            Bytes packet = request.packet(config);
            slw_header header = header_of(packet);
            header.units = static_cast<uint16_t>(one_in(2) ? prng_.below(2 * SLW_UNITS_MAX) : prng_.next());
            header.data_length = static_cast<uint16_t>(one_in(2) ? prng_.below(2 * SLW_BODY_MAX) : prng_.next());
            std::memcpy(packet.data(), &header, sizeof header);
            return to_frame(config, packet, one_in(2));
        }
        case 10: {  // a fragment: the first one, or one behind it
            Bytes frame = to_frame(config, request.packet(config), false);
            frame[20] = static_cast<uint8_t>(one_in(2) ? 0x20 : 1);
            return frame;
        }
        default: {  // a frame of something else
            Bytes frame = slot.frame.empty() ? to_frame(config, request.packet(config), one_in(2)) : slot.frame;
            const size_t at[] = {
                12, 13, 14, 20, 23, headers_bytes(frame[12] == 0x86) - 6, headers_bytes(frame[12] == 0x86) - 4};
            frame[at[prng_.below(std::size(at))]] ^= static_cast<uint8_t>(1u << prng_.below(8));
            return frame;
        }
    }
    return to_frame(config, request.packet(config), one_in(2));
}

fw_barrier Trace::random_barrier() {
    fw_barrier barrier = {};
    const uint32_t states[] = {FW_BARRIER_OPEN, FW_BARRIER_OPEN, FW_BARRIER_OPEN, FW_BARRIER_BROKEN, FW_BARRIER_CLOSED};
    barrier.state = states[prng_.below(std::size(states))];
    barrier.instance = static_cast<uint32_t>(prng_.below(2));
    barrier.ports.word[0] = prng_.below(8);
    barrier.word = prng_.below(4) << 32;
    barrier.word |= prng_.below(4) << 8;
    barrier.word |= prng_.below(3);
    barrier.phases = static_cast<uint8_t>(prng_.below(4));
    barrier.hears = static_cast<uint8_t>(one_in(10) ? prng_.next() : 1 + prng_.below(4));
    barrier.sends = static_cast<uint8_t>(one_in(10) ? prng_.next() : 1 + prng_.below(4));
    barrier.host = 1;
    for (uint32_t i = 0; i < FW_BARRIER_ENTRIES; i++) {
        barrier.hear[i] = {static_cast<uint16_t>(prng_.below(3)), static_cast<uint8_t>(prng_.below(4)), 0};
        barrier.send[i] = {static_cast<uint16_t>(prng_.below(3)), static_cast<uint8_t>(prng_.below(4)),
                           static_cast<uint8_t>(one_in(10) ? prng_.next() : prng_.below(3))};
    }
    for (auto& values : barrier.value) {
        for (uint64_t& value : values) {
            value = prng_.next();
        }
    }
    return barrier;
}

Bytes Trace::barrier_frame() {
    const slw_barrier_message message = {static_cast<uint32_t>(prng_.below(2)), static_cast<uint16_t>(prng_.below(3)),
                                         static_cast<uint16_t>(one_in(10) ? prng_.next() : prng_.below(5)),
                                         prng_.next()};
    const auto id = static_cast<uint8_t>(prng_.below(one_in(20) ? 100 : 4));
    Request request = Request::from(shape_.config, 0, 0, id, static_cast<uint32_t>(prng_.below(5)));
    request.header.kind = static_cast<uint8_t>(SLW_ARRIVE + prng_.below(one_in(4) ? 3 : 2));
    request.header.target_node ^= one_in(20);
    const auto* const bytes = reinterpret_cast<const uint8_t*>(&message);
    request.data.assign(bytes, bytes + sizeof(message) - (one_in(20) ? 8 : 0));
    return to_frame(shape_.config, request.packet(shape_.config), one_in(2));
}

Bytes Trace::damaged(Bytes frame) {
    switch (prng_.below(4)) {
        case 0:
            frame.resize(14 + prng_.below(frame.size() - 13));
            break;
        case 1:
            frame.resize(frame.size() + prng_.below(64));
            break;
        default:
            for (uint64_t flips = 1 + prng_.below(2); flips > 0; flips--) {
                frame[prng_.below(frame.size())] ^= static_cast<uint8_t>(1u << prng_.below(8));
            }
    }
    return frame;
}

Bytes Trace::next_frame() {
    const uint64_t choice = prng_.below(100);
    if (choice < 8 && !on_the_way_.empty()) {  // reordered, and as late as it likes
        return on_the_way_[prng_.below(on_the_way_.size())];
    }
    Bytes frame = choice < 60   ? request_frame(static_cast<uint32_t>(prng_.below(slots_.size())))
                  : choice < 70 ? barrier_frame()
                  : choice < 90 ? reply_frame()
                  : choice < 98 ? wrong_frame()
                                : random_bytes(prng_, 14 + prng_.below(one_in(2) ? 1500 : 9000));
    if (one_in(12)) {
        if (on_the_way_.size() < 64) {
            on_the_way_.push_back(frame);
        } else {
            on_the_way_[prng_.below(on_the_way_.size())] = frame;
        }
    }
    return one_in(25) ? damaged(std::move(frame)) : frame;
}

std::optional<Trace::Arming> Trace::next_arming() {
    if (!one_in(3)) {
        return std::nullopt;
    }
    const uint32_t index = static_cast<uint32_t>(prng_.below(awaited_.size()));
    const uint32_t per_port = shape_.config.nodes * shape_.config.window;
    awaited_[index].sequence++;
    const uint32_t node = index % per_port / shape_.config.window;
    const uint32_t slot = index % shape_.config.window;
    Arming arming{index / per_port,
                  index % per_port,
                  fw_request_id(node, slot, awaited_[index].sequence) | FW_COMPLETION_ARMED,
                  0,
                  {},
                  0,
                  0,
                  0};
    if (one_in(2)) {
        add_follower(arming);
    }
    return arming;
}

// Mostly of a slot that there is, and mostly a packet whose image agrees with it.
void Trace::add_follower(Arming& arming) {
    const uint32_t window = shape_.config.window;
    const uint32_t slot = arming.index % window;
    const auto other = static_cast<uint32_t>(prng_.below(one_in(20) ? 64 : window));
    arming.state |= uint64_t{slot ^ other} << FW_FOLLOWER_SHIFT;
    if (other == slot || other >= window) {
        return;
    }
    arming.follower = arming.index - slot + other;
    arming.image_state = fw_request_id(arming.index / window, other, 1) | 1;
    Request request = Request::from(shape_.config, 0, 0, static_cast<uint8_t>(other), 1);
    request.header.source_port = static_cast<uint8_t>(arming.port);
    request.header.target_node = static_cast<uint16_t>(arming.index / window);
    request.add(SLW_PUT, 0, 0, 0, 0);
    request.data = random_bytes(
        prng_,
        std::min<size_t>(random_body(), shape_.config.packet_max - SLW_HEADER_BYTES - SLW_UNIT_BYTES) & ~size_t{7});
    arming.packet = request.packet(shape_.config);
    arming.length = static_cast<uint32_t>(arming.packet.size());
    arming.pad_to = one_in(3) ? static_cast<uint32_t>(prng_.below(shape_.config.packet_max + 1)) : 0;
    Bytes& expected = awaited_[arming.port * shape_.config.nodes * window + arming.follower].follower;
    expected = arming.packet;
    expected.resize(std::max(arming.length, arming.pad_to));
    if (one_in(20)) {
        arming.image_state = 0;
        expected.clear();
    }
    if (one_in(10)) {  // no process of ours writes these
        (one_in(2) ? arming.length : arming.pad_to) = static_cast<uint32_t>(
            one_in(2) ? shape_.config.packet_max + 1 + prng_.below(1 << 20) : prng_.below(SLW_HEADER_BYTES));
        expected.clear();
    }
}

// Padding means nothing.
void Trace::check_follower(const slw_header& header, const Bytes& datagram) {
    const uint32_t connection = header.source_port * shape_.config.nodes + header.target_node;
    const Bytes& expected = awaited_.at(connection * shape_.config.window + header.slot).follower;
    if (!expected.empty() &&
        (datagram.size() != expected.size() ||
         !std::equal(datagram.begin(), datagram.begin() + fw_packet_length(expected.data()), expected.begin()))) {
        complaint_ = "what followed a reply is not the image's packet";
    }
}

void Trace::take_answer(int verdict, const Bytes& frame) {
    const std::optional<Bytes> packet = verdict == XDP_TX ? payload_of(frame) : std::nullopt;
    if (verdict != XDP_TX) {
        return;
    }
    if (!packet || packet->size() < SLW_HEADER_BYTES || !ip_checksum_fits(frame)) {
        complaint_ = "the reply is no Syncline packet in a sound frame";
        return;
    }
    const slw_header header = header_of(*packet);
    if (header.kind == SLW_REQUEST) {
        check_follower(header, *packet);
        return;
    }
    Bytes sealed = *packet;
    fw_seal(&shape_.config, sealed.data());
    if (header.kind == SLW_REPLY ? header.slot >= shape_.config.window : header.kind < SLW_ARRIVE) {
        complaint_ = "the answer's kind or slot is wrong";
        return;
    }
    if (sealed != *packet || packet->size() != SLW_HEADER_BYTES + slw_padded(header.data_length)) {
        complaint_ = "the reply's kind, length or tag is wrong";
        return;
    }
    if (header.kind != SLW_REPLY) {
        return;
    }
    Slot& slot = slots_.at(header.source_rank * shape_.config.window + header.slot);
    const std::span<const uint8_t> data = data_of(*packet);
    if (header.sequence == slot.last_sequence && !slot.last_is_get &&
        (!std::equal(data.begin(), data.end(), slot.last_data.begin(), slot.last_data.end()) ||
         header.status != slot.last_status)) {
        complaint_ = fmt::format("the second reply to sequence {} differs from the first", header.sequence);
    }
    if (header.sequence == slot.sequence && slot.waiting && !one_in(5)) {  // else the reply is lost
        answered_++;
        answered_with_[slot.code][header.status & 15]++;
        slot.waiting = false;
        slot.last_sequence = header.sequence;
        slot.last_is_get = slot.is_get;
        slot.last_data.assign(data.begin(), data.end());
        slot.last_status = header.status;
    }
}

}  // namespace syncline::test
