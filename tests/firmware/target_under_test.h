// SPDX-License-Identifier: BSD-3-Clause
// One NIC under test: the same tables and the same question (what happens to this frame?) for every build of the
// firmware.
#pragma once

#include <linux/bpf.h>

#include <cstdint>
#include <span>
#include <vector>

#include "firmware/native.h"

namespace syncline::test {

struct SegmentShape {
    uint32_t port;
    uint32_t segment;
    uint64_t length;
    uint32_t state = FW_SEGMENT_OPEN;

    uint32_t index() const { return port * SLW_SEGMENTS_MAX + segment; }
    uint32_t blocks() const { return static_cast<uint32_t>((length + SLW_BLOCK_BYTES - 1) >> SLW_BLOCK_SHIFT); }
    fw_segment entry() const { return {length, state, 0}; }
};

struct TargetShape {
    fw_config config;
    std::vector<uint16_t> ranks;         // ranks of this node's ports
    std::vector<SegmentShape> segments;  // their memory exists, whatever their state
    // For BPF: the place of this node in tables for this many nodes (platform_bpf.h).
    uint32_t places = 1;
    uint32_t place = 0;

    // Two nodes of three ranks; this one is node 1 with ranks 5, 4 and 1 at ports 0 to 2.
    static TargetShape small(bool authenticate, uint32_t packet_max = SLW_PACKET_MAX) {
        TargetShape shape = {
            .config = {.job = 0x5ca1ab1e,
                       .authenticate = authenticate,
                       .key = {0x0706050403020100, 0x0f0e0d0c0b0a0908},
                       .node = 1,
                       .nodes = 2,
                       .ranks = 6,
                       .ports = 3,
                       .window = 4,
                       .udp_port = SLW_DEFAULT_UDP_PORT,
                       .packet_max = packet_max,
                       .keep_parts = 0,
                       .nh = {}},
            .ranks = {5, 4, 1},
            .segments = {{.port = 0, .segment = 0, .length = 3 * SLW_BLOCK_BYTES},
                         {.port = 0, .segment = 3, .length = 4096},
                         {.port = 1, .segment = 0, .length = SLW_BLOCK_BYTES + 1000},
                         {.port = 1, .segment = 15, .length = 40},
                         {.port = 2, .segment = 0, .length = SLW_BLOCK_BYTES, .state = FW_SEGMENT_CLOSED}},
        };
        fw_derive_keys(&shape.config);
        return shape;
    }
};

// BPF_PROG_TEST_RUN makes frames whose parts are a page each. The first part also has room for the kernel's own data.
constexpr size_t part_bytes = 4096;
constexpr size_t first_part_max = part_bytes - XDP_PACKET_HEADROOM - 320;

class TargetUnderTest {
  public:
    virtual ~TargetUnderTest() = default;

    // Returns XDP_PASS, XDP_DROP (also for a consumed frame) or XDP_TX; with XDP_TX the frame has become the reply.
    virtual int execute(std::vector<uint8_t>& frame) = 0;

    // From now on frames that are longer than this come in several parts. The length must hold at least the headers and
    // what the firmware needs in the first part.
    void set_first_part(size_t bytes) { first_part_ = bytes; }

    virtual std::span<uint8_t> memory(const SegmentShape& segment) = 0;  // whole blocks
    // Each slot of a connection, node * window + slot, has the buffer of its own number. The data is only as long as
    // packet_max allows.
    virtual fw_completion& completion(uint32_t port, uint32_t index) = 0;
    virtual fw_image& image(uint32_t port, uint32_t index) = 0;
    // Returns the id with which the states of the completion and of the image begin.
    uint64_t request_id(uint32_t index, uint32_t sequence) const {
        return fw_request_id(index / shape_.config.window, index % shape_.config.window, sequence);
    }
    // Returns the buffer of a port's slot.
    virtual uint16_t& buffer(uint32_t port, uint32_t index) = 0;
    virtual fw_port& port(uint32_t port) = 0;
    virtual std::span<fw_barrier> barriers() = 0;
    virtual fw_counters counters() = 0;
    virtual std::vector<fw_source> sources() = 0;
    virtual fw_rows& rows() = 0;  // with room for all ranks at first
    // [ranks * window]; empty where a rank has no row.
    std::vector<fw_slot> slots() {
        std::vector<fw_slot> slots(shape_.config.ranks * shape_.config.window);
        const std::vector<fw_source> sources = this->sources();
        for (uint32_t i = 0; i < slots.size(); i++) {
            const uint32_t row = sources[i / shape_.config.window].row;
            if (row != 0) {
                slots[i] = read_slot(row - 1, i % shape_.config.window);
            }
        }
        return slots;
    }
    void set_slot(uint32_t index, const fw_slot& slot) {
        fw_source source = sources()[index / shape_.config.window];
        if (source.row == 0) {
            source.row = ++rows().taken;
            write_source(index / shape_.config.window, source);
        }
        write_slot(source.row - 1, index % shape_.config.window, slot);
    }
    virtual void set_segment(const SegmentShape& segment) = 0;

    virtual void write_source(uint32_t rank, const fw_source& source) = 0;

  protected:
    explicit TargetUnderTest(const TargetShape& shape) : shape_(shape) {}

    virtual fw_slot read_slot(uint32_t row, uint32_t slot) = 0;
    virtual void write_slot(uint32_t row, uint32_t slot, const fw_slot& record) = 0;

    const TargetShape shape_;
    size_t first_part_ = first_part_max;
};

}  // namespace syncline::test
