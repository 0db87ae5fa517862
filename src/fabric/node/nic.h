// SPDX-License-Identifier: BSD-3-Clause
// This node's NIC, as far as this process does its work: it executes the firmware on packets that come to the process,
// and it takes barriers on. The fabric of packets sends for it.
//
// Threads: any, under `lock()`, which is that of the fabric of packets, too: what the firmware emits goes out there.
#pragma once

#include <mutex>
#include <vector>

#include "base/spin_lock.h"
#include "fabric/node/local_memory.h"
#include "firmware/native.h"

namespace syncline {

class Nic {
  public:
    Nic(Attachment* attachment, LocalMemory* memory);
    Nic(const Nic&) = delete;
    Nic& operator=(const Nic&) = delete;

    SpinLock& lock() { return lock_; }

    template <typename Use>
    void with(Use&& use) {
        const std::lock_guard<SpinLock> guard(lock_);
        use(&state_);
    }

    // Under the lock.
    fw_nic* state() { return &state_; }
    // Takes in what has arrived for this PE without its having asked by a request.
    void receive() {
        if (receive_ != nullptr) {
            receive_(receiver_);
        }
    }

    // The fabric of packets says how to send, and how to receive.
    void connect(void* fabric, void (*emit)(void*, uint32_t node, const uint8_t* packet, uint32_t length),
                 void (*take)(void*));

  private:
    SpinLock lock_;
    std::vector<fw_completion*> completions_of_port_;  // of this PE only: replies are its own
    fw_counters own_counters_ = {};                    // of a PE without a daemon
    fw_nic state_ = {};
    void (*receive_)(void*) = nullptr;
    void* receiver_ = nullptr;
};

}  // namespace syncline
