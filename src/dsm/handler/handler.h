// SPDX-License-Identifier: BSD-3-Clause
// The thread of a process that serves other processes (Noronha 2004, section 4.1: the asynchronous protocol handler),
// its knowledge, and calls to the handlers of other processes.
//
// The handler waits for messages in the process's wait mode, so in block mode it sleeps until the NIC that writes a
// message wakes it. A thread of the application that waits for a reply serves messages meanwhile, too, because it is
// awake, and its handler may not be. If the application does so for long, the handler sleeps until the application goes
// on.
//
// The handler never waits for another process, neither for its application nor for its handler. It takes no lock but
// its own, `state`, which covers all data that handlers use: mailbox, locks, barrier, pages to be sent, notices. A
// thread that has this lock posts operations and never waits for their end. In the order of locks, the guard of pages.h
// comes before it.
//
// Messages: kReply {number of the call, the call's result}: 1.
#pragma once

#include <array>
#include <atomic>
#include <deque>
#include <functional>
#include <memory>
#include <unordered_map>
#include <vector>

#include "base/os.h"
#include "base/spin_lock.h"
#include "dsm/core/statistics.h"
#include "dsm/handler/mailbox.h"
#include "dsm/handler/message.h"
#include "runtime/collective/barrier.h"
#include "runtime/endpoint/wait_for_pes.h"

namespace syncline::dsm {

class Handler {
  public:
    using Server = std::function<void(uint32_t from, Reader* message)>;

    Handler(const Remote* remote, const Layout* layout, Statistics* statistics);
    ~Handler();
    Handler(const Handler&) = delete;
    Handler& operator=(const Handler&) = delete;

    // Sets the function that serves a kind of message; call it for all kinds before start().
    void serve(Kind kind, Server server) { servers_[static_cast<size_t>(kind)] = std::move(server); }
    void start();
    // Collective, called when no process needs a handler any more: returns when no process writes to this one.
    void stop(Barrier* barrier);

    uint32_t me() const { return remote_->me(); }
    const Mailbox& mailbox() const { return mailbox_; }

    // Runs a piece of code under the handler's lock.
    template <typename Body>
    void run(Body&& body) {
        const std::lock_guard<SpinLock> guard(state_);
        body();
        deliver_own();
    }
    // Called under the lock. A message to this process itself is served when the lock's holder releases it.
    void send(uint32_t to, const Message& message);
    void reply(Caller caller, const Message& result);
    static Message result() { return Message(Kind::kReply).add(uint32_t{0}); }
    void put_page(uint32_t to, uint32_t page) { mailbox_.put_page(to, page); }
    // Wakes threads of this process: an event for which they wait may have happened.
    void wake();

    // Called by threads of the application, without the lock. `fill(&message)`, called under the lock, adds the fields
    // behind the Caller.
    using Fill = std::function<void(Message* message)>;
    std::vector<uint8_t> call(uint32_t to, Kind kind, const Fill& fill);
    // Waits until done() is true, which other processes or this process's handler bring about.
    template <typename Done>
    void await(Done&& done) {
        helpers_.fetch_add(1);
        while (!done()) {
            remote_->check(wait_for_pes(&remote_->endpoint(), 0, -1, {WaitFor::kReply},
                                        [&] { return done() || mailbox_.has_work(); }));
            while (!done() && mailbox_.has_work()) {
                handle();
            }
        }
        stop_helping();
    }

    // Called between two looks at another process's memory: serves messages that come here, and checks that all
    // processes live.
    void pause();

  private:
    struct Call {
        std::vector<uint8_t> result;
        std::atomic<bool> done{false};
    };

    void work();
    void end();
    void rest();
    void stop_helping();
    void handle();
    void dispatch(uint32_t from, const std::vector<uint8_t>& message);
    void deliver_own();
    void take_reply(Reader* message);

    const Remote* const remote_;
    Statistics* const statistics_;
    SpinLock state_;
    Mailbox mailbox_;
    std::array<Server, kinds> servers_;
    std::deque<std::vector<uint8_t>> own_;  // messages to this process
    std::unordered_map<uint32_t, Call*> calls_;
    uint32_t next_call_ = 0;
    std::atomic<uint32_t> helpers_{0};  // threads of the application that wait
    std::atomic<bool> rests_{false};
    const std::unique_ptr<Doorbell> doorbell_;
    std::atomic<bool> stop_{false};
    std::unique_ptr<Background> thread_;
};

}  // namespace syncline::dsm
