// SPDX-License-Identifier: BSD-3-Clause
// The order of a process's own threads at each lock: a thread has the local lock before its process asks for the one
// that all processes share, so a process is in that one's queue once. First come, first served.
#pragma once

#include <condition_variable>
#include <cstdint>
#include <map>
#include <mutex>

namespace syncline::dsm {

class LocalLocks {
  public:
    void acquire(uint32_t lock) {
        std::unique_lock<std::mutex> guard(guard_);
        Queue& queue = queues_[lock];
        const uint64_t ticket = queue.next++;
        left_.wait(guard, [&] { return queue.served == ticket; });
    }
    bool try_acquire(uint32_t lock) {
        const std::lock_guard<std::mutex> guard(guard_);
        Queue& queue = queues_[lock];
        if (queue.served != queue.next) {
            return false;
        }
        queue.next++;
        return true;
    }
    void release(uint32_t lock) {
        const std::lock_guard<std::mutex> guard(guard_);
        Queue& queue = queues_[lock];
        queue.served++;
        queue.has_it = false;
        left_.notify_all();
    }
    // The process has the shared lock, too.
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
        uint64_t next = 0;
        uint64_t served = 0;
        bool has_it = false;
    };
    std::mutex guard_;
    std::condition_variable left_;
    std::map<uint32_t, Queue> queues_;  // a queue stays where it is
};

}  // namespace syncline::dsm
