// SPDX-License-Identifier: BSD-3-Clause
// Non-blocking operations from their start until a program has been told how they ended: syncline_test(),
// syncline_wait(), syncline_poll().
//
// From begin() to hand_out(), a request counts one part more than its operation has, so that it cannot be complete
// while its caller still starts parts.
//
// Threads: any. `lock_` guards the pool and the queue; it is taken under a fabric's lock (by the hook), never the other
// way round.
#pragma once

#include <deque>
#include <mutex>

#include "base/spin_lock.h"
#include "fabric/choice/fabrics.h"
#include "runtime/ground/waiting.h"
#include "runtime/operations/checks.h"
#include "runtime/operations/request_pool.h"

namespace syncline {

class Requests {
  public:
    Requests(Fabrics* fabrics, Waiting* waiting, const Checks* checks)
        : fabrics_(fabrics), waiting_(waiting), checks_(checks) {}

    // Returns a request for an operation that is about to start. If `wanted` is NULL, poll() completes it, with `tag`.
    Request* begin(uint64_t tag, const syncline_request_t* wanted);
    // Gives back a request whose operation could not be started: no part of it is under way, and none will end.
    void drop(Request* request);
    // Ends the start: either all parts are started, or `status` says why not.
    void hand_out(Request* request, int status, syncline_request_t* wanted);

    int test(syncline_request_t request, int* done);
    int wait(syncline_request_t request);
    int poll(syncline_callback_t callback, void* context, int max);

  private:
    using Guard = std::lock_guard<SpinLock>;

    static void completed(Completion* completion);
    Request* find(syncline_request_t handle);
    int release(Request* request);
    void turn();

    Fabrics* const fabrics_;
    Waiting* const waiting_;
    const Checks* const checks_;
    SpinLock lock_;
    RequestPool pool_;
    std::deque<Request*> completed_;  // for poll()
    std::atomic<uint32_t> turns_{0};
};

}  // namespace syncline
