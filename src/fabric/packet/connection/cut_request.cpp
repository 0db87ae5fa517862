// SPDX-License-Identifier: BSD-3-Clause
#include "fabric/packet/connection/cut_request.h"

#include <algorithm>
#include <cstring>

#include "base/check.h"
#include "fabric/packet/connection/list_packet.h"

namespace syncline {
namespace {

constexpr uint32_t body_bytes = SLW_PACKET_LEAST - SLW_HEADER_BYTES;

uint32_t width_of(uint32_t code) {
    return code < SLW_ADD_INT32 ? 1 : (code & 1) != 0 ? 8 : 4;
}

}  // namespace

CutRequest::CutRequest(const slw_header* packet, void* result) {
    const auto* const units = reinterpret_cast<const slw_unit*>(packet + 1);
    code_ = units->code & ~static_cast<uint32_t>(SLW_LIST);
    if (units->code < SLW_PUT) {
        units_.assign(units, units + packet->units);
        return;
    }
    list_pieces(packet, *units);
    const bool is_get = code_ == SLW_GET;
    pieces_ = {0, segment_, list_.data(), list_.size(), is_get ? static_cast<uint8_t*>(result) : data_.data()};
}

void CutRequest::list_pieces(const slw_header* packet, const slw_unit& unit) {
    const auto* data = reinterpret_cast<const uint8_t*>(&unit + 1);
    const uint8_t* const end = data + packet->data_length;
    port_ = unit.port;
    segment_ = syncline_address_t{unit.segment} << SLW_PIECE_SHIFT;
    if ((unit.code & SLW_LIST) == 0) {
        list_ = {{uint64_t{unit.offset_high} << 32 | unit.offset_low, unit.operand}};
    } else {
        for (uint64_t i = 0; i < unit.operand; i++, data += SLW_PIECE_BYTES) {
            uint64_t piece;
            std::memcpy(&piece, data, sizeof(piece));
            list_.push_back({piece & ((1ull << SLW_PIECE_SHIFT) - 1), piece >> SLW_PIECE_SHIFT});
        }
    }
    data_.assign(data, end);
}

void CutRequest::skip(uint32_t executed) {
    at_ += std::min<size_t>(executed, units_.size() - at_);
    uint64_t bytes = uint64_t{executed} * width_of(code_);
    while (bytes != 0 && pieces_.count != 0) {
        const uint64_t some = std::min(bytes, pieces_.list->bytes - pieces_.done);
        bytes -= some;
        pieces_.done += some;
        pieces_.local += some;
        if (pieces_.done == pieces_.list->bytes) {
            pieces_.list++;
            pieces_.count--;
            pieces_.done = 0;
        }
    }
}

void CutRequest::write_part(slw_header* packet) {
    SYNCLINE_ASSERT(units_.empty() || list_.empty(), "%zu units and %zu pieces", units_.size(), list_.size());
    units_.empty() ? write_pieces(packet) : write_units(packet);
}

// Writes whole operations, as many as fit.
void CutRequest::write_units(slw_header* packet) {
    SYNCLINE_ASSERT(at_ < units_.size(), "unit %zu of %zu", at_, units_.size());
    const size_t room = std::min(units_.size(), at_ + body_bytes / SLW_UNIT_BYTES);
    size_t to = at_;
    while (to < units_.size() && to + units_of(units_[to]) <= room) {
        to += units_of(units_[to]);
    }
    SYNCLINE_ASSERT(to > at_, "no operation of %zu units fits, from unit %zu on", units_.size(), at_);
    std::memcpy(packet + 1, &units_[at_], (to - at_) * SLW_UNIT_BYTES);
    packet->units = static_cast<uint16_t>(to - at_);
    packet->data_length = 0;
    at_ = to;
}

void CutRequest::write_pieces(slw_header* packet) {
    SYNCLINE_ASSERT(pieces_.count != 0, "no piece of %zu is left", list_.size());
    const ListPacket list(&pieces_, body_bytes - SLW_UNIT_BYTES, gets(), width_of(code_));
    fill_list(packet, code_, port_, segment_, list);
    part_result_ = gets() ? list.local() : nullptr;
    part_bytes_ = list.bytes();
    SYNCLINE_ASSERT(part_bytes_ != 0, "%zu pieces are left", pieces_.count);
}

}  // namespace syncline
