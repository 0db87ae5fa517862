// SPDX-License-Identifier: BSD-3-Clause
#include "tests/deterministic/node.h"

#include <cstring>

#include "tests/deterministic/world.h"

namespace syncline::deterministic {

Node::Memory Node::zeroed(size_t bytes) {
    Memory memory(static_cast<uint8_t*>(std::aligned_alloc(64, round_up(bytes, 64))));
    std::memset(memory.get(), 0, bytes);
    return memory;
}

Node::Node(Job job, bool deposits)
    : job_(std::move(job)),
      ports_(config().ports),
      segments_(SLW_PORTS_MAX * SLW_SEGMENTS_MAX),
      records_(config().ranks, config().window, config().ranks),
      directory_(directory_bytes(config()) / sizeof(fw_buffers)),
      barriers_(SLW_BARRIERS_MAX),
      memory_(SLW_PORTS_MAX * SLW_SEGMENTS_MAX) {
    for (uint32_t port = 0; port < config().ports; port++) {
        completions_.push_back(zeroed(completions_bytes(config())));
        completions_of_port_.push_back(at<fw_completion>(completions_.back()));
        requests_.push_back(zeroed(requests_bytes(config())));
        images_of_port_.push_back(image_at(at<const RequestsHeader>(requests_.back()), config(), 0));
        heaps_.push_back(zeroed(job_.spec.heap_bytes));
        memory_[port * SLW_SEGMENTS_MAX] = heaps_.back().get();
        segments_[port * SLW_SEGMENTS_MAX] = {job_.spec.heap_bytes, FW_SEGMENT_OPEN, 1};
    }
    if (!deposits) {
        completions_of_port_.assign(config().ports, nullptr);
    }
    target_.config = &config();
    target_.ranks = job_.map.ranks_of(config().node).data();
    records_.give_to(&target_);
    target_.directory = directory_.data();
    target_.segments = segments_.data();
    target_.memory = memory_.data();
    target_.completions = completions_of_port_.data();
    target_.images = deposits ? images_of_port_.data() : nullptr;
    target_.ports = ports_.data();
    target_.counters = &counters_;
    target_.barriers = barriers_.data();
}

std::unique_ptr<PacketTables> Node::tables_for(uint32_t rank) {
    const uint32_t port = job_.map.port_of(rank);
    return std::make_unique<PacketTables>(PacketTables{.completions = at<fw_completion>(completions_[port]),
                                                       .requests = at<RequestsHeader>(requests_[port]),
                                                       .directory = directory_.data(),
                                                       .sources = records_.sources.data(),
                                                       .rows = &records_.rows,
                                                       .slots = records_.slots.data()});
}

std::unique_ptr<Attachment> Node::attach(uint32_t rank) {
    const NodeTables tables = {.ports = ports_.data(), .segments = segments_.data(), .barriers = barriers_.data()};
    std::vector<uint8_t*> heaps;
    std::vector<UniqueFd> events;
    for (uint32_t other = 0; other < config().ports; other++) {
        heaps.push_back(heaps_[other].get());
        events.emplace_back(event_of_rank(rank_at(other)));
    }
    return std::make_unique<Attachment>(job_, rank, tables, heaps, std::move(events));
}

void Node::close_port(uint32_t port) {
    fw_segment& heap = segments_[port * SLW_SEGMENTS_MAX];
    heap.length = 0;
    heap.state = FW_SEGMENT_CLOSED;
    for (fw_barrier& barrier : barriers_) {
        if (fw_set_has(&barrier.ports, port) && barrier.state == FW_BARRIER_OPEN) {
            barrier.state = FW_BARRIER_BROKEN;
        }
    }
}

void Node::recover_pairs(uint32_t port) {
    for (uint32_t other = 0; other < config().ports; other++) {
        const auto locate = [](void* heap, uint64_t address) {
            return reinterpret_cast<uint64_t*>(static_cast<uint8_t*>(heap) + address);
        };
        fw_pair_recover(&ports_[other], rank_at(port) + 1, locate, heaps_[other].get());
    }
}

uint64_t Node::pair_lock_of(uint32_t port) const {
    for (const fw_port& other : ports_) {
        for (const fw_pair_lock& lock : other.pair_locks) {
            if (lock.owner >> 1 == rank_at(port) + 1) {
                return lock.owner;
            }
        }
    }
    return 0;
}

uint8_t* Node::find(uint32_t port, syncline_address_t address, uint64_t bytes, int* status) const {
    const uint64_t length = segments_[size_t{port} * SLW_SEGMENTS_MAX].length;
    const bool fits = bytes <= length && address <= length - bytes;
    *status = fits ? SYNCLINE_OK : length == 0 ? SYNCLINE_ERR_PEER : SYNCLINE_ERR_ADDRESS;
    return fits ? heaps_[port].get() + address : nullptr;
}

uint64_t* Node::word(uint32_t port, syncline_address_t address) const {
    return reinterpret_cast<uint64_t*>(heaps_[port].get() + address);
}

syncline_address_t Node::address_of(const uint8_t* byte, uint32_t* port) const {
    for (*port = 0; *port < config().ports; ++*port) {
        const auto offset = static_cast<syncline_address_t>(byte - heaps_[*port].get());
        if (offset < job_.spec.heap_bytes) {
            return offset;
        }
    }
    std::abort();
}

void Node::forget_results() {
    records_.forget();
}

}  // namespace syncline::deterministic
