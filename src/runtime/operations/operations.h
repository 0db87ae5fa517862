// SPDX-License-Identifier: BSD-3-Clause
// The operations that a PE has started and that are not handed back yet: the papers' send tokens.
#pragma once

#include <cstdint>
#include <deque>
#include <vector>

#include "syncline.h"

namespace syncline {

struct Operation {
    uint32_t generation = 1;   // of this place in the pool: a stale request handle is noticed
    uint32_t packets = 0;      // not yet answered
    int status = SYNCLINE_OK;  // the first error
    bool active = false;
    bool wants_request = false;  // completed by test/wait; else by poll
    bool started = false;        // all its packets are out
    uint64_t tag = 0;
};

class Operations {
  public:
    uint32_t allocate(uint64_t tag, bool wants_request) {
        uint32_t index;
        if (free_.empty()) {
            index = static_cast<uint32_t>(pool_.size());
            pool_.emplace_back();
        } else {
            index = free_.back();
            free_.pop_back();
        }
        Operation& operation = pool_[index];
        const uint32_t generation = operation.generation;
        operation = {};
        operation.generation = generation;
        operation.active = true;
        operation.wants_request = wants_request;
        operation.tag = tag;
        return index;
    }

    void release(uint32_t index) {
        pool_[index].active = false;
        pool_[index].generation++;
        free_.push_back(index);
    }

    Operation& at(uint32_t index) { return pool_[index]; }

    syncline_request_t handle(uint32_t index) const {
        return static_cast<uint64_t>(pool_[index].generation) << 32 | (index + 1);
    }

    // The index behind a handle, or -1.
    int64_t find(syncline_request_t request) const {
        const uint64_t index = (request & UINT32_MAX) - 1;
        if (request == 0 || index >= pool_.size() || !pool_[index].active || !pool_[index].wants_request ||
            pool_[index].generation != request >> 32) {
            return -1;
        }
        return static_cast<int64_t>(index);
    }

  private:
    std::deque<Operation> pool_;
    std::vector<uint32_t> free_;
};

}  // namespace syncline
