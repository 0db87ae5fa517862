// SPDX-License-Identifier: BSD-3-Clause
// Locks and barriers without any handler.
//
// A lock is the library's queueing lock with a local release. It has a vector at each process: that process's knowledge
// when it last released the lock, as positions in the logs of all processes (notices.h). A release flushes and
// publishes its notices, each complete before the next, stores its knowledge in its own vector, and hands the lock
// over. An acquire learns from the lock which process had it last, and gets that process's vector and the next records
// of its log. Then it gets from each other log the records that are new to it, all logs together, and invalidates their
// pages. Messages: acquire: 1 if this process had it last, else 2 of the lock, 1 for the vector, and 1 for each other
// process with news; release: beside the diffs, 1 if a process waits.
//
// A barrier: every process flushes and publishes. The NICs' barrier carries, for up to 64 processes, which have
// published since the last one, and after it each process gets their heads and records. If one thread of a process is
// in the barrier, another thread may publish, and a lock may take that to a process that comes to the barrier later. So
// a process also names those processes of which locks have told it more than it knew at the last barrier. Messages:
// beside the diffs and the NICs' barrier, 1 for each process that has published, and 2 if it has published much. Among
// more than 4 processes: 1 from each process that has published, and 1 for each 16 processes among which one has.
#pragma once

#include <map>
#include <memory>

#include "base/spin_lock.h"
#include "dsm/core/notices.h"
#include "dsm/core/pages.h"
#include "dsm/core/synchroniser.h"
#include "runtime/collective/barrier.h"
#include "runtime/lock/local_release_lock.h"

namespace syncline::dsm {

class OneSidedSynchroniser final : public Synchroniser {
  public:
    OneSidedSynchroniser(const Remote* remote, const Layout* layout, SpinLock* guard, Pages* pages, Notices* notices,
                         Barrier* barrier);

    void acquire(uint32_t lock) override;
    bool try_acquire(uint32_t lock) override;
    void release(uint32_t lock) override;
    void barrier() override;

  private:
    LocalReleaseLock& own(uint32_t lock);
    void take_over(uint32_t lock, const LocalReleaseLock& own_lock);
    void publish();
    void store_knowledge(uint32_t lock);
    Notices::Row news_since_last_barrier();
    std::vector<uint32_t> others_of(uint64_t bits) const;

    const Remote* const remote_;
    const Layout* const layout_;
    SpinLock* const guard_;
    Pages* const pages_;
    Notices* const notices_;
    Barrier* const barrier_;
    SpinLock locks_guard_;
    std::map<uint32_t, std::unique_ptr<LocalReleaseLock>> locks_;
    std::vector<uint64_t> at_barrier_;  // knowledge of this process when it came to the last barrier
    uint64_t barriers_ = 0;
    uint64_t heard_ = 0;  // processes of which a lock has brought more than that, as bits
};

}  // namespace syncline::dsm
