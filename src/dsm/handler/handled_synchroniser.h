// SPDX-License-Identifier: BSD-3-Clause
// Locks and barriers of async and ardmar: calls to handlers (lock_server.h, barrier_server.h), and what a process does
// with the notices that come back. A release flushes, and sends nothing more unless a process is behind it in the
// lock's queue.
//
// Notices are kept until the second barrier behind them. A process that waits for a lock with one thread while another
// takes part in the barrier has asked with the knowledge of before, and by the second barrier has taken in the first.
#pragma once

#include "base/spin_lock.h"
#include "dsm/core/pages.h"
#include "dsm/core/synchroniser.h"
#include "dsm/handler/barrier_server.h"
#include "dsm/handler/handled_pages.h"
#include "dsm/handler/lock_server.h"
#include "dsm/handler/needs.h"

namespace syncline::dsm {

class HandledSynchroniser final : public Synchroniser {
  public:
    struct Parts {
        SpinLock* guard;
        Pages* pages;
        HandledPages* service;
        Statistics* statistics;
        Handler* handler;
        LockServer* locks;
        BarrierServer* barrier;
        NoticeStore* store;
        Needs* needs;
    };
    explicit HandledSynchroniser(const Parts& parts) : parts_(parts) {}

    void acquire(uint32_t lock) override;
    bool try_acquire(uint32_t lock) override;
    void release(uint32_t lock) override;
    void barrier() override;

  private:
    void flush();
    void take_grant(const std::vector<uint8_t>& grant);
    // The notices that are new, with all that happened before this process's acquire.
    Notices::News take_in(Reader* notices);

    const Parts parts_;
    Knowledge last_barrier_;  // what all knew behind it
};

}  // namespace syncline::dsm
