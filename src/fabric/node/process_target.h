// SPDX-License-Identifier: BSD-3-Clause
// The part of a target that this process is: it executes the firmware on packets that come to the
// process, and it takes part in barriers. The fabric of packets sends for it.
//
// Threads: any, under `lock()`. The fabric of packets has the same lock, because it sends the packets that the firmware
// emits.
#pragma once

#include <mutex>
#include <vector>

#include "base/spin_lock.h"
#include "fabric/node/local_memory.h"
#include "firmware/native.h"

namespace syncline {

class ProcessTarget {
  public:
    ProcessTarget(Attachment* attachment, LocalMemory* memory);
    ProcessTarget(const ProcessTarget&) = delete;
    ProcessTarget& operator=(const ProcessTarget&) = delete;

    SpinLock& lock() { return lock_; }

    template <typename Use>
    void with(Use&& use) {
        const std::lock_guard<SpinLock> guard(lock_);
        use(&state_);
    }

    // Call it under the lock.
    fw_target* state() { return &state_; }
    // Receives packets for this PE that are no answer to a request of it.
    void receive() {
        if (receive_ != nullptr) {
            receive_(receiver_);
        }
    }

    // The fabric of packets says how to send and how to receive, and which tables this PE has for replies.
    struct Packets {
        void* fabric;
        void (*emit)(void* fabric, uint32_t node, const uint8_t* packet, uint32_t length);
        void (*take)(void* fabric);
        fw_completion* completions;
        fw_buffers* directory;
        fw_counters* counters;
    };
    void connect(const Packets& packets);

  private:
    SpinLock lock_;
    std::vector<fw_completion*> completions_of_port_;  // of this PE only: a reply is to its own requests
    const uint32_t port_;
    fw_counters own_counters_ = {};  // counters of a PE without packets
    fw_target state_ = {};
    void (*receive_)(void*) = nullptr;
    void* receiver_ = nullptr;
};

}  // namespace syncline
