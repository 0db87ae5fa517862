// SPDX-License-Identifier: BSD-3-Clause
// The non-blocking operations that a PE has started and not given back yet, and the handles by which programs name
// them: the papers' send tokens. The user of a pool locks it.
#pragma once

#include <cstdint>
#include <deque>
#include <vector>

#include "base/check.h"
#include "fabric/completion.h"
#include "syncline.h"

namespace syncline {

struct Request : Completion {
    explicit Request(uint32_t place) : index(place) {}

    const uint32_t index;        // in the pool
    uint32_t generation = 1;     // of this place, so that a stale handle is noticed
    bool active = false;         // between allocate() and release()
    bool wants_request = false;  // test or wait completes it; else poll
    uint64_t tag = 0;            // for poll
    void* owner = nullptr;       // of the pool, for the hook
};

class RequestPool {
  public:
    // Returns a request that is not under way; `hook` is for requests that poll() completes.
    Request* allocate(uint64_t tag, bool wants_request, Completion::Hook hook = nullptr) {
        if (free_.empty()) {
            free_.push_back(static_cast<uint32_t>(pool_.size()));
            pool_.emplace_back(free_.back());
        }
        Request& request = pool_[free_.back()];
        SYNCLINE_ASSERT(!request.active && request.index == free_.back(), "request %u, at place %u", request.index,
                        free_.back());
        free_.pop_back();
        request.begin(wants_request ? nullptr : hook);
        request.active = true;
        request.wants_request = wants_request;
        request.tag = tag;
        return &request;
    }

    void release(Request* request) {
        SYNCLINE_ASSERT(request->active, "request %u of generation %u", request->index, request->generation);
        SYNCLINE_ASSERT(&pool_[request->index] == request && free_.size() < pool_.size(), "request %u, %zu of %zu free",
                        request->index, free_.size(), pool_.size());
        request->active = false;
        request->generation++;
        free_.push_back(request->index);
    }

    static syncline_request_t handle(const Request& request) {
        return static_cast<uint64_t>(request.generation) << 32 | (request.index + 1);
    }

    // Returns the request behind a handle, or NULL.
    Request* find(syncline_request_t handle) {
        const uint64_t index = (handle & UINT32_MAX) - 1;
        if (handle == 0 || index >= pool_.size() || !pool_[index].active || !pool_[index].wants_request ||
            pool_[index].generation != handle >> 32) {
            return nullptr;
        }
        return &pool_[index];
    }

  private:
    std::deque<Request> pool_;
    std::vector<uint32_t> free_;
};

}  // namespace syncline
