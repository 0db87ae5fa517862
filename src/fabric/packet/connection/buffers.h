// SPDX-License-Identifier: BSD-3-Clause
// A PE's buffers for requests, each a completion and an image. All connections of the PE share them, and as many
// requests are under way at a time, to all nodes together. The directory tells the NIC which buffer a slot has.
#pragma once

#include <algorithm>
#include <numeric>
#include <vector>

#include "base/check.h"
#include "fabric/packet/tables.h"

namespace syncline {

class Buffers {
  public:
    Buffers(const Attachment& attachment, const PacketTables& tables)
        : config_(&attachment.config()),
          tables_(&tables),
          of_slots_(tables_->directory->of_slot + uint64_t{attachment.port()} * config_->nodes * config_->window),
          free_(buffers_of(*config_)) {
        std::iota(free_.rbegin(), free_.rend(), uint16_t{0});
    }

    bool any() const { return !free_.empty(); }
    // Returns whether so many are free that a request that can wait may take one.
    bool plenty() const { return free_.size() > std::min<size_t>(config_->window, buffers_of(*config_) / 2); }

    // Takes a buffer for this slot of the connection to `node`. There must be one: see any().
    uint16_t take(uint32_t node, uint32_t slot) {
        SYNCLINE_ASSERT(!free_.empty(), "for slot %u of node %u", slot, node);
        SYNCLINE_CHECK(node < config_->nodes && slot < config_->window, "slot %u of node %u", slot, node);
        const uint16_t buffer = free_.back();
        free_.pop_back();
        // Release is not needed: the states of completion and image, which name the request, are published later.
        __atomic_store_n(&of_slots_[uint64_t{node} * config_->window + slot], buffer, __ATOMIC_RELAXED);
        return buffer;
    }
    void give_back(uint16_t buffer) {
        SYNCLINE_ASSERT(free_.size() < buffers_of(*config_), "%zu are free", free_.size());
        SYNCLINE_CHECK(std::find(free_.begin(), free_.end(), buffer) == free_.end(), "buffer %u is free", buffer);
        free_.push_back(buffer);
    }

    fw_image* image(uint16_t buffer) const { return image_at(tables_->requests, *config_, buffer); }
    fw_completion* completion(uint16_t buffer) const { return completion_at(tables_->completions, *config_, buffer); }
    RequestsHeader* header() const { return tables_->requests; }

  private:
    const fw_config* const config_;
    const PacketTables* const tables_;
    uint16_t* const of_slots_;  // the PE's part of the directory
    std::vector<uint16_t> free_;
};

}  // namespace syncline
