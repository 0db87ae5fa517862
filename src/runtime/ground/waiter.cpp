// SPDX-License-Identifier: BSD-3-Clause
#include "runtime/ground/waiter.h"

#include <algorithm>

#include "base/clock.h"
#include "base/os.h"
#include "syncline.h"

namespace syncline {

namespace {
constexpr uint64_t sleep_ns = 10 * ns_per_ms;        // between looks at the daemon and at the other threads' needs
constexpr uint64_t short_sleep_ns = 50 * ns_per_us;  // where some writes wake no sleeper
}  // namespace

Waiter::Waiter(Attachment* attachment, int mode, std::vector<int> transport_fds, bool are_woken)
    : attachment_(attachment),
      blocks_(mode == SYNCLINE_WAIT_BLOCK),
      sleep_ns_max_(are_woken ? sleep_ns : short_sleep_ns),
      fds_(std::move(transport_fds)),
      crowd_(attachment) {
    fds_.push_back(attachment->event(attachment->port()));
    if (!attachment->alone()) {
        fds_.push_back(attachment->daemon_fd());  // readable once the daemon is gone: it never sends unasked
    }
    if (attachment->wake_ring() >= 0) {
        fds_.push_back(attachment->wake_ring());
    }
}

void Waiter::relax() {
    cpu_relax();
}

// A yield takes less than a microsecond if no other process uses it.
void Waiter::yield() {
    if (yields_.fetch_add(1, std::memory_order_relaxed) % 64 == 0) {
        crowd_.look();
    }
    if (is_crowded()) {
        yield_cpu();
        return;
    }
    const uint64_t before = now_ns();
    yield_cpu();
    wanted_.store(now_ns() - before > 2 * ns_per_us, std::memory_order_relaxed);
}

void Waiter::announce() {
    __atomic_store_n(&attachment_->tables().ports[attachment_->port()].waiting, 1, __ATOMIC_SEQ_CST);
    // The last look loads with acquire, which alone does not keep a load behind the store.
    __atomic_thread_fence(__ATOMIC_SEQ_CST);
}

void Waiter::withdraw() {
    __atomic_store_n(&attachment_->tables().ports[attachment_->port()].waiting, 0, __ATOMIC_SEQ_CST);
}

void Waiter::sleep(uint64_t wake_at_ns) {
    const uint64_t now = now_ns();
    const uint64_t duration = wake_at_ns > now ? std::min(wake_at_ns - now, sleep_ns_max_) : 0;
    if (sleep_on(fds_, duration)) {
        drain();
    }
}

void Waiter::drain() {
    drain_event(attachment_->event(attachment_->port()));
    attachment_->empty_wake_ring();
}

}  // namespace syncline
