// SPDX-License-Identifier: BSD-3-Clause
// Locks by messages (Noronha 2004, section 2.1; as in TreadMarks). Each lock has a manager, the process whose number is
// the lock's modulo the number of processes, which knows the end of the lock's queue. The queue itself is distributed:
// each process in it knows the next one.
//
// Guarantee: mutual exclusion, first come, first served in the order in which requests reach the manager. A grant hands
// on the notices that the next holder lacks.
//
// kAcquire, to the manager: {Caller, lock, 1 if it is a trial, knowledge}. The manager makes the caller the end of the
// queue and passes the request on, as kForward, to the process that was the end before: the lock is there, or will come
// there. That process grants the lock at once if it is there and free, otherwise when its own thread has released it.
// Reply, a grant: {1, notices}. Messages: 3; 0 for a lock that was last here; a release at most the grant.
// A trial is passed on, too, and granted or refused at once: reply {0}. The process that decides tells the manager by
// kTried, {lock, the new end of the queue}. Until then the manager keeps other requests, trials among them, because the
// lock may have become free since this decision. Messages: 4.
//
// Threads: the thread that has the local lock calls `acquire`, `try_acquire` and `release`.
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

    // Returns the grant's notices; empty: the lock was last here, and brings none.
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
        bool taken = false;           // a thread of this process has it
        std::optional<Request> next;  // the request behind this process in the queue
        // At the manager:
        uint32_t end = 0;  // the last process of the queue
        bool is_tried = false;
        std::deque<Request> kept;  // requests kept until the trial is over
    };

    Lock& lock(uint32_t number);
    uint32_t manager(uint32_t number) const { return number % processes_; }
    bool take_here(uint32_t number);
    std::vector<uint8_t> ask(uint32_t number, bool is_trial);

    // Returns the reply's notices, if it is a grant.
    std::optional<std::vector<uint8_t>> take(uint32_t number, const std::vector<uint8_t>& reply);

    Request read(Reader* message, uint32_t* number) const;
    // Runs at the manager.
    void queue(uint32_t number, Request request);
    void pass(uint32_t to, uint32_t number, const Request& request);
    void end_trial(uint32_t number, uint32_t end);
    // Runs where the lock is or will be.
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
