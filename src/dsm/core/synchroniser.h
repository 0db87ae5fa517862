// SPDX-License-Identifier: BSD-3-Clause
// How a protocol orders processes: locks and the barrier, each of which hands on what its predecessors know. Between
// threads of one process the caller has ordered them (local_locks.h).
//
// Threads: a lock by the thread that has its local lock; the barrier by one thread. Each takes the guard where it
// touches pages, and has let go of it where it waits for other processes.
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
