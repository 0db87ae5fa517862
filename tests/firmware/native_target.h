// SPDX-License-Identifier: BSD-3-Clause
// The firmware as a native library, on memory with guard areas: each segment starts and ends at a page that cannot be
// touched.
#pragma once

#include <utility>

#include "firmware/records.h"
#include "target_under_test.h"

namespace syncline::test {

// Anonymous memory of whole blocks between two inaccessible areas of a block each.
class GuardedMemory {
  public:
    explicit GuardedMemory(size_t bytes);
    GuardedMemory(GuardedMemory&& other) noexcept
        : bytes_(other.bytes_), start_(std::exchange(other.start_, nullptr)) {}
    GuardedMemory& operator=(GuardedMemory&&) = delete;
    ~GuardedMemory();

    uint8_t* data() const { return start_ + SLW_BLOCK_BYTES; }
    size_t size() const { return bytes_; }

  private:
    size_t bytes_;
    uint8_t* start_;
};

class NativeTarget final : public TargetUnderTest {
  public:
    explicit NativeTarget(const TargetShape& shape);

    int execute(std::vector<uint8_t>& frame) override;
    std::span<uint8_t> memory(const SegmentShape& segment) override;
    fw_completion& completion(uint32_t port, uint32_t index) override {
        return *reinterpret_cast<fw_completion*>(&completions_.at(port).at(index * completion_words()));
    }
    fw_image& image(uint32_t port, uint32_t index) override {
        return *reinterpret_cast<fw_image*>(&images_.at(port).at(index * image_words()));
    }
    fw_port& port(uint32_t port) override { return ports_.at(port); }
    std::span<fw_barrier> barriers() override { return barriers_; }
    fw_counters counters() override { return counters_; }
    uint16_t& buffer(uint32_t port, uint32_t index) override {
        const uint32_t at = port * shape_.config.nodes * shape_.config.window + index;
        return directory_.at(at / 4).of_slot[at % 4];
    }
    std::vector<fw_source> sources() override { return records_.sources; }
    fw_rows& rows() override { return records_.rows; }
    void set_segment(const SegmentShape& segment) override { segments_.at(segment.index()) = segment.entry(); }

    fw_target& target() { return target_; }
    const std::vector<uint32_t>& woken() const { return woken_; }  // ports, in order

    void write_source(uint32_t rank, const fw_source& source) override { records_.sources.at(rank) = source; }

  protected:
    fw_slot read_slot(uint32_t row, uint32_t slot) override {
        return records_.slots.at(row * shape_.config.window + slot);
    }
    void write_slot(uint32_t row, uint32_t slot, const fw_slot& record) override {
        records_.slots.at(row * shape_.config.window + slot) = record;
    }

  private:
    size_t frame_capacity(size_t bytes) const;
    size_t completion_words() const { return fw_completion_bytes(shape_.config.packet_max) / sizeof(uint64_t); }

    size_t image_words() const { return fw_image_bytes(shape_.config.packet_max) / sizeof(uint64_t); }

    Records records_;
    std::vector<fw_segment> segments_;
    std::vector<GuardedMemory> memories_;
    std::vector<uint8_t*> bases_;
    std::vector<fw_buffers> directory_;
    std::vector<std::vector<uint64_t>> completions_;
    std::vector<fw_completion*> completion_bases_;
    std::vector<std::vector<uint64_t>> images_;
    std::vector<const fw_image*> image_bases_;
    std::vector<fw_port> ports_;
    std::vector<fw_barrier> barriers_;
    std::vector<std::pair<uint32_t, std::vector<uint8_t>>> emitted_;
    fw_counters counters_{};
    std::vector<uint32_t> woken_;
    fw_target target_{};
};

}  // namespace syncline::test
