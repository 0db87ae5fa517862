// SPDX-License-Identifier: BSD-3-Clause
#include "native_target.h"

#include <sys/mman.h>

#include <new>

#include "base/sizes.h"

namespace syncline::test {

GuardedMemory::GuardedMemory(size_t bytes) : bytes_(bytes) {
    void* area = mmap(nullptr, bytes + 2 * SLW_BLOCK_BYTES, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (area == MAP_FAILED ||
        mprotect(static_cast<uint8_t*>(area) + SLW_BLOCK_BYTES, bytes, PROT_READ | PROT_WRITE) != 0) {
        throw std::bad_alloc();
    }
    start_ = static_cast<uint8_t*>(area);
}

GuardedMemory::~GuardedMemory() {
    if (start_ != nullptr) {
        munmap(start_, bytes_ + 2 * SLW_BLOCK_BYTES);
    }
}

NativeTarget::NativeTarget(const TargetShape& shape)
    : TargetUnderTest(shape),
      records_(shape.config.ranks, shape.config.window, shape.config.ranks),
      segments_(SLW_PORTS_MAX * SLW_SEGMENTS_MAX),
      bases_(SLW_PORTS_MAX * SLW_SEGMENTS_MAX),
      directory_((shape.config.ports * shape.config.nodes * shape.config.window + 3) / 4),
      completions_(shape.config.ports,
                   std::vector<uint64_t>(shape.config.nodes * shape.config.window * completion_words())),
      images_(shape.config.ports, std::vector<uint64_t>(shape.config.nodes * shape.config.window * image_words())),
      ports_(shape.config.ports),
      barriers_(SLW_BARRIERS_MAX) {
    for (const SegmentShape& segment : shape_.segments) {
        memories_.emplace_back(static_cast<size_t>(segment.blocks()) * SLW_BLOCK_BYTES);
        bases_.at(segment.index()) = memories_.back().data();
        set_segment(segment);
    }
    for (uint32_t port = 0; port < shape_.config.ports; port++) {
        completion_bases_.push_back(&completion(port, 0));
        image_bases_.push_back(&image(port, 0));
        for (uint32_t i = 0; i < shape_.config.nodes * shape_.config.window; i++) {
            buffer(port, i) = static_cast<uint16_t>(i);
        }
    }
    target_ = {
        .config = &shape_.config,
        .ranks = shape_.ranks.data(),
        .sources = records_.sources.data(),
        .rows = &records_.rows,
        .slots = records_.slots.data(),
        .segments = segments_.data(),
        .memory = bases_.data(),
        .directory = directory_.data(),
        .completions = completion_bases_.data(),
        .images = image_bases_.data(),
        .ports = ports_.data(),
        .barriers = barriers_.data(),
        .counters = &counters_,
        .wake = [](void* self, uint32_t port) { static_cast<NativeTarget*>(self)->woken_.push_back(port); },
        .wake_context = this,
        .emit =
            [](void* self, uint32_t node, const uint8_t* packet, uint32_t length) {
                static_cast<NativeTarget*>(self)->emitted_.emplace_back(node,
                                                                        std::vector<uint8_t>(packet, packet + length));
            },
        .emit_context = this,
    };
}

// A frame grows up to the end of its last part, as it does in the kernel.
size_t NativeTarget::frame_capacity(size_t bytes) const {
    if (bytes <= first_part_) {
        return first_part_max;
    }
    return shape_.config.keep_parts ? bytes : first_part_ + round_up(bytes - first_part_, part_bytes);
}

int NativeTarget::execute(std::vector<uint8_t>& frame) {
    uint32_t length = static_cast<uint32_t>(frame.size());
    frame.resize(frame_capacity(length));
    const fw_verdict verdict = fw_execute_frame(&target_, frame.data(), static_cast<uint32_t>(frame.size()), &length);
    frame.resize(length);
    if (verdict == FW_REPLY) {
        return XDP_TX;
    }
    return verdict == FW_PASS ? XDP_PASS : XDP_DROP;
}

std::span<uint8_t> NativeTarget::memory(const SegmentShape& segment) {
    return {bases_.at(segment.index()), static_cast<size_t>(segment.blocks()) * SLW_BLOCK_BYTES};
}

}  // namespace syncline::test
