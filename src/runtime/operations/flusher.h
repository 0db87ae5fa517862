// SPDX-License-Identifier: BSD-3-Clause
// Sends the posted operations of a PE that calls the library no more.
//
// Atomics without a result gather in packets. A PE that waits, or posts enough, sends them; for a PE that computes this
// thread sends them, some 0.5 ms after the first. The thread starts with the first operation posted to another node,
// and sleeps while none has gathered.
#pragma once

#include <atomic>
#include <memory>
#include <mutex>

#include "base/os.h"
#include "runtime/operations/batches.h"

namespace syncline {

class Flusher {
  public:
    Flusher(Batches* batches, Batch* batch) : batches_(batches), batch_(batch) {}
    ~Flusher();

    // Called when an operation was posted.
    void note() {
        if (!posted_.load(std::memory_order_relaxed)) {
            wake();
        }
    }

  private:
    void wake();
    void run();

    Batches* const batches_;
    Batch* const batch_;
    std::atomic<bool> posted_{false};
    std::atomic<bool> ending_{false};
    std::once_flag started_;
    const std::unique_ptr<Doorbell> bell_ = make_doorbell();
    std::unique_ptr<Background> thread_;
};

}  // namespace syncline
