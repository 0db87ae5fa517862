// SPDX-License-Identifier: BSD-3-Clause
// The order of a process's own threads at each lock. A thread takes the local lock before its process asks for the lock
// that all processes share, so a process is in the shared lock's queue at most once. First come, first served.
#pragma once

#include <cstdint>
#include <deque>
#include <map>
#include <memory>
#include <mutex>

#include "base/os.h"

namespace syncline::dsm {

class LocalLocks {
  public:
    void acquire(uint32_t lock) {
        std::shared_ptr<Doorbell> turn;
        {
            const std::lock_guard<std::mutex> guard(guard_);
            Queue& queue = queues_[lock];
            if (!queue.is_taken) {
                queue.is_taken = true;
                return;
            }
            turn = make_doorbell();
            queue.waiters.push_back(turn);
        }
        turn->wait();
    }
    bool try_acquire(uint32_t lock) {
        const std::lock_guard<std::mutex> guard(guard_);
        Queue& queue = queues_[lock];
        const bool was_free = !queue.is_taken;
        queue.is_taken = true;
        return was_free;
    }
    // Hands the local lock to the thread that has waited longest.
    void release(uint32_t lock) {
        std::shared_ptr<Doorbell> next;
        {
            const std::lock_guard<std::mutex> guard(guard_);
            Queue& queue = queues_[lock];
            queue.has_it = false;
            if (queue.waiters.empty()) {
                queue.is_taken = false;
                return;
            }
            next = std::move(queue.waiters.front());
            queue.waiters.pop_front();
        }
        next->ring();
    }
    // Notes that the process has the shared lock, too.
    void set_held(uint32_t lock) {
        const std::lock_guard<std::mutex> guard(guard_);
        queues_[lock].has_it = true;
    }
    bool is_held(uint32_t lock) {
        const std::lock_guard<std::mutex> guard(guard_);
        const auto found = queues_.find(lock);
        return found != queues_.end() && found->second.has_it;
    }

  private:
    struct Queue {
        std::deque<std::shared_ptr<Doorbell>> waiters;
        bool is_taken = false;
        bool has_it = false;
    };
    std::mutex guard_;
    std::map<uint32_t, Queue> queues_;
};

}  // namespace syncline::dsm
