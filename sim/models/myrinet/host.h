// SPDX-License-Identifier: BSD-3-Clause
// The host of a Myrinet node. Its main thread is the application, which computes or polls. Its server thread executes
// what the papers' host-based variants do not leave to the NIC, and waits for it in one of three ways:
//
//   poll        it looks all the time
//   spin-block  it looks for host.spin_ns, a little more costly each time, and then blocks
//   block       it blocks as soon as there is nothing
//
// A server that has blocked is woken by an interrupt. With two CPUs the threads do not notice each other. With one, the
// server comes first: from its interrupt until it blocks, its spinning included, the main thread stands still.
#pragma once

#include "sim/kernel/worker.h"
#include "sim/models/myrinet/model.h"

namespace syncline::sim {

class MyrinetHost final : public Component {
  public:
    using Then = std::function<void()>;

    MyrinetHost(Kernel* kernel, const MyrinetParameters& parameters);
    MyrinetHost(const MyrinetHost&) = delete;
    MyrinetHost& operator=(const MyrinetHost&) = delete;

    // Work of the main thread.
    void run(Time duration, Then then) { main_.add(duration, std::move(then)); }
    // Something arrives for the server, which may have to be woken for it.
    void serve(Time duration, Then then);
    // More work of the server on what it serves at the moment, before anything else.
    void serve_on(Time duration, Then then);

    void handle(uint64_t rest) override;

  private:
    bool shared() const { return p_.cpus == 1; }
    Time waking() const;
    Then served(Then then);
    void rest();

    Kernel* const kernel_;
    const MyrinetParameters& p_;
    Worker main_, server_;
    uint64_t pending_ = 0;  // jobs of the server
    uint64_t rests_ = 0;    // times that the server had nothing to do any more
    Time resting_since_ = 0;
};

}  // namespace syncline::sim
