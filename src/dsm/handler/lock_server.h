// SPDX-License-Identifier: BSD-3-Clause
// Locks by messages (Noronha 2004, section 2.1; as TreadMarks has them): each lock has a manager, the process of its
// number modulo the processes, which knows the end of the lock's queue. The queue itself is spread: each process in it
// knows the one behind it.
//
// Guarantee: mutual exclusion, first come, first served in the order in which requests reach the manager. A grant hands
// on the notices that the next holder lacks.
//
// kAcquire, to the manager: {Caller, lock, 1 if it is a trial, knowledge}. The manager makes the caller the end of the
// queue and passes the request on, as kForward, to the process that was the end before: the lock is there, or will come
// there. That process grants at once if the lock is here and free, otherwise when its own thread has released it.
// Reply, a grant: {1, notices}. Messages: 3; a lock that was last here 0; a release at most the grant.
// A trial is passed on, too, and granted or refused at once: reply {0}. The process that decides says so to the manager
// by kTried, {lock, the new end of the queue}; until then the manager keeps other requests, trials among them: the lock
// may have become free since this one was decided. Messages: 4.
//
// Threads: `acquire`, `try_acquire` and `release` by the thread that has the local lock.
#pragma once

#include <deque>
#include <optional>
#include <unordered_map>
#include <vector>

#include "dsm/handler/handler.h"
#include "dsm/handler/notice_store.h"

namespace syncline::dsm {

class LockServer {
  public:
    LockServer(Handler* handler, const NoticeStore* store, uint32_t processes);

    // The grant's notices; empty: the lock was last here, and brings none.
    std::vector<uint8_t> acquire(uint32_t number);
    // No value: the lock is taken.
    std::optional<std::vector<uint8_t>> try_acquire(uint32_t number);
    void release(uint32_t number);

  private:
    struct Request {
        Caller caller;
        bool is_trial;
        Knowledge known;
    };
    struct Lock {
        bool here = false;
        bool taken = false;           // by a thread of this process
        std::optional<Request> next;  // behind this process in the queue
        // The manager's:
        uint32_t end = 0;  // of the queue
        bool is_tried = false;
        std::deque<Request> kept;  // until the trial is over
    };

    Lock& lock(uint32_t number);
    uint32_t manager(uint32_t number) const { return number % processes_; }
    bool take_here(uint32_t number);
    std::vector<uint8_t> ask(uint32_t number, bool is_trial);

    // The reply's notices, if it is a grant.
    std::optional<std::vector<uint8_t>> take(uint32_t number, const std::vector<uint8_t>& reply);

    Request read(Reader* message, uint32_t* number) const;
    // At the manager.
    void queue(uint32_t number, Request request);
    void pass(uint32_t to, uint32_t number, const Request& request);
    void end_trial(uint32_t number, uint32_t end);
    // Where the lock is or will be.
    void answer(uint32_t number, Request request);
    void answer_trial(uint32_t number, const Request& request);
    void grant(const Request& request);
    void refuse(const Request& request);

    Handler* const handler_;
    const NoticeStore* const store_;
    const uint32_t processes_;
    std::unordered_map<uint32_t, Lock> locks_;
};

}  // namespace syncline::dsm
