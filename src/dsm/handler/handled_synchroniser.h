// SPDX-License-Identifier: BSD-3-Clause
// Locks and barriers of async and ardmar: calls to handlers (lock_server.h, barrier_server.h), and how a process uses
// the notices that come back. A release flushes, and sends no further message unless a process is behind it in the
// lock's queue.
//
// Notices are kept until the second barrier after them. If one thread of a process waits for a lock while another takes
// part in the barrier, the process has asked with the knowledge from before the barrier; by the second barrier it has
// taken in the first one's notices.
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
    // Takes in the notices, with all that happened before this process's acquire; returns those that are new.
    Notices::News take_in(Reader* notices);

    const Parts parts_;
    Knowledge last_barrier_;  // knowledge that all processes have after it
};

}  // namespace syncline::dsm
