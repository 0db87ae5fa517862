// SPDX-License-Identifier: BSD-3-Clause
#include "sim/models/myrinet/node.h"

#include <algorithm>
#include <cstring>
#include <numeric>

#include "base/failure.h"
#include "firmware/schedule.h"

namespace syncline::sim::myrinet {

namespace {
constexpr uint32_t barrier_id = 0;
constexpr uint32_t job = 1;
}  // namespace

Node::Node(Kernel* kernel, uint32_t index, const Parameters& parameters)
    : host(kernel, parameters),
      lanai(kernel),
      dma(kernel),
      wire(kernel),
      index_(index),
      nodes_(static_cast<uint32_t>(parameters.workload.nodes)),
      records_(nodes_, 1, nodes_),
      segments_(SLW_PORTS_MAX * SLW_SEGMENTS_MAX),
      bases_(SLW_PORTS_MAX * SLW_SEGMENTS_MAX),
      memory_(SLW_BLOCK_BYTES / sizeof(uint64_t)),
      completion_(fw_completion_bytes(SLW_PACKET_LEAST) / sizeof(uint64_t)),
      completion_base_(reinterpret_cast<fw_completion*>(completion_.data())),
      ports_(1),
      barriers_(SLW_BARRIERS_MAX) {
    config_.job = job;
    config_.node = index;
    rank_ = static_cast<uint16_t>(index);
    config_.nodes = config_.ranks = nodes_;
    config_.ports = config_.window = 1;
    config_.packet_max = SLW_PACKET_LEAST;
    segments_[0] = {SLW_BLOCK_BYTES, FW_SEGMENT_OPEN, 1};
    bases_[0] = reinterpret_cast<uint8_t*>(memory_.data());
    nic_ = {
        .config = &config_,
        .ranks = &rank_,
        .sources = records_.sources.data(),
        .rows = &records_.rows,
        .slots = records_.slots.data(),
        .segments = segments_.data(),
        .memory = bases_.data(),
        .directory = nullptr,
        .completions = &completion_base_,
        .images = nullptr,
        .ports = ports_.data(),
        .barriers = barriers_.data(),
        .counters = &counters_,
        .wake = [](void*, uint32_t) {},
        .wake_context = nullptr,
        .emit = [](void* self, uint32_t to, const uint8_t* packet,
                   uint32_t length) { static_cast<Node*>(self)->emitted_.push_back({to, {packet, packet + length}}); },
        .emit_context = this};
}

void Node::open_barrier(uint32_t dimension) {
    fw_barrier& barrier = barriers_[barrier_id];
    std::vector<uint16_t> members(nodes_);
    std::iota(members.begin(), members.end(), uint16_t{0});
    if (dimension == 0) {
        draw_exchange(&barrier, members, index_);
    } else {
        draw_tree(&barrier, members, index_, dimension);
    }
    barrier.instance = 1;
    barrier.sent = barrier.sends;
    barrier.word = uint64_t{barrier.phases} << 8 | FW_BARRIER_DONE;
    barrier.state = FW_BARRIER_OPEN;
}

std::vector<Node::Outgoing> Node::start_barrier() {
    fw_barrier_start(&nic_, barrier_id, ++epoch_, FW_COMBINE_NONE, 0);
    return std::exchange(emitted_, {});
}

bool Node::barrier_complete() const {
    const uint64_t word = barriers_[barrier_id].word;
    return word >> 32 == epoch_ && (word & 255) == FW_BARRIER_DONE;
}

Node::Bytes Node::request(const Access& access) {
    const uint32_t units = slw_units_of(access.code | SLW_WIDTH_64, slw_traits_of(access.code));
    target_ = access.target;
    slw_header header = {};
    header.magic = SLW_MAGIC;
    header.version = SLW_VERSION;
    header.kind = SLW_REQUEST;
    header.source_rank = static_cast<uint16_t>(index_);
    header.job = job;
    header.sequence = ++sequence_;
    header.units = static_cast<uint16_t>(units);
    header.target_node = static_cast<uint16_t>(target_);
    slw_unit unit = {};
    unit.code = access.code | SLW_WIDTH_64;
    unit.offset_low = access.word * sizeof(uint64_t);
    unit.operand = access.operand;
    const slw_extra extra = {access.comparand, 0};
    Bytes packet(SLW_HEADER_BYTES + units * SLW_UNIT_BYTES);
    std::memcpy(packet.data(), &header, sizeof(header));
    std::memcpy(packet.data() + SLW_HEADER_BYTES, &unit, sizeof(unit));
    if (units == 2) {
        std::memcpy(packet.data() + SLW_HEADER_BYTES + SLW_UNIT_BYTES, &extra, sizeof(extra));
    }
    fw_seal(&config_, packet.data());
    completion_base_->state = fw_request_id(target_, 0, sequence_) | FW_COMPLETION_ARMED;
    completion_base_->status = UINT8_MAX;
    return packet;
}

std::vector<Node::Outgoing> Node::execute(uint32_t from, const Bytes& packet) {
    Bytes buffer(config_.packet_max);
    std::copy(packet.begin(), packet.end(), buffer.begin());
    uint32_t length = 0;
    if (fw_execute_packet(&nic_, buffer.data(), static_cast<uint32_t>(packet.size()), &length) == FW_REPLY) {
        buffer.resize(length);
        emitted_.push_back({from, std::move(buffer)});
    }
    return std::exchange(emitted_, {});
}

std::optional<uint64_t> Node::reply() {
    const fw_completion& completion = *completion_base_;
    if (sequence_ == 0 || completion.state != (fw_request_id(target_, 0, sequence_) | FW_COMPLETION_DONE)) {
        return std::nullopt;
    }
    if (completion.status != SLW_OK) {
        fail(SYNCLINE_ERR_SYSTEM, "node {} has refused an access: {}", target_, completion.status);
    }
    uint64_t before = 0;
    std::memcpy(&before, completion.data, std::min(sizeof(before), size_t{completion.length}));
    return before;
}

}  // namespace syncline::sim::myrinet
