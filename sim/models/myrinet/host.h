// SPDX-License-Identifier: BSD-3-Clause
// The host of a Myrinet node. Its main thread is the application, which computes or polls. Its server thread executes
// what the papers' host-based variants do not leave to the NIC, and waits for requests in one of three ways:
//
//   poll        it polls all the time
//   spin-block  it polls for host.spin_ns, where spinning costs a little for each message, and then blocks
//   block       it blocks as soon as there is nothing to do
//
// An interrupt wakes a server that has blocked. With two CPUs the threads do not disturb each other. With one CPU the
// server comes first: from its interrupt until it blocks, its spinning included, the main thread stands still.
#pragma once

#include "sim/kernel/worker.h"
#include "sim/models/myrinet/model.h"

namespace syncline::sim::myrinet {

class Host final : public Component {
  public:
    using Then = std::function<void()>;

    Host(Kernel* kernel, const Parameters& parameters);
    Host(const Host&) = delete;
    Host& operator=(const Host&) = delete;

    // Runs work of the main thread.
    void run(Time duration, Then then) { main_.add(duration, std::move(then)); }
    // A job arrives for the server, which may have to wake for it.
    void serve(Time duration, Then then);
    // Adds work of the server on its present job, before any other job.
    void serve_on(Time duration, Then then);

    void handle(uint64_t rest) override;

  private:
    bool shared() const { return p_.host.cpus == 1; }
    Time waking() const;
    Then served(Then then);
    void rest();

    Kernel* const kernel_;
    const Parameters& p_;
    Worker main_, server_;
    uint64_t pending_ = 0;  // number of jobs that the server has
    uint64_t rests_ = 0;    // how often the server has run out of jobs
    Time resting_since_ = 0;
};

}  // namespace syncline::sim::myrinet
