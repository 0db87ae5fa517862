// SPDX-License-Identifier: BSD-3-Clause
// The state of a PE's process behind the C API: what syncline_init() made.
#pragma once

#include <map>
#include <memory>
#include <mutex>

#include "runtime/collective/barrier.h"
#include "runtime/collective/fence_barrier.h"
#include "runtime/memory/heap.h"
#include "runtime/process/endpoint.h"

namespace syncline {

struct Process {
    explicit Process(const syncline_options_t& options);

    Endpoint& endpoint() { return *endpoint_; }

    int barrier() {
        const std::lock_guard<std::mutex> guard(collective_);
        return barrier_->run();
    }

    int fence_barrier(Meeting* meeting, int algorithm) {
        const std::lock_guard<std::mutex> guard(collective_);
        return fence_barrier_->run(meeting, algorithm);
    }

    const char* user_ = nullptr;  // another interface on top, which must be finalized before
    std::mutex collective_;       // barriers, alloc and free: one at a time
    std::unique_ptr<Heap> heap_;

  private:
    std::unique_ptr<Endpoint> endpoint_;
    std::unique_ptr<Barrier> barrier_;
    std::unique_ptr<FenceBarrier> fence_barrier_;

  public:
    // Locks and their kin that were created and not destroyed; before the endpoint, which their threads use.
    std::map<const void*, std::shared_ptr<void>> sync_;
    std::mutex sync_guard_;
};

}  // namespace syncline
