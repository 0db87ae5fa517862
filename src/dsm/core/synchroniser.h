// SPDX-License-Identifier: BSD-3-Clause
// How a protocol orders processes: locks and the barrier, each of which hands on the knowledge of its predecessors. The
// caller has ordered the threads of one process before (local_locks.h).
//
// Threads: a lock by the thread that has its local lock; the barrier by one thread. Each call takes the guard while it
// touches pages, and releases it before it waits for other processes.
#pragma once

#include <cstdint>

namespace syncline::dsm {

class Synchroniser {
  public:
    virtual ~Synchroniser() = default;
    virtual void acquire(uint32_t lock) = 0;
    virtual bool try_acquire(uint32_t lock) = 0;
    virtual void release(uint32_t lock) = 0;
    virtual void barrier() = 0;
};

}  // namespace syncline::dsm
