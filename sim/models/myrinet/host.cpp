// SPDX-License-Identifier: BSD-3-Clause
#include "sim/models/myrinet/host.h"

namespace syncline::sim::myrinet {

Host::Host(Kernel* kernel, const Parameters& parameters)
    : kernel_(kernel), p_(parameters), main_(kernel), server_(kernel) {}

Time Host::waking() const {
    const bool idle = pending_ == 0;
    switch (p_.workload.wait) {
        case ServerWait::kPoll:
            return 0;
        case ServerWait::kSpinBlock: {
            const bool blocked = idle && kernel_->now() - resting_since_ > from_ns(p_.host.spin_ns);
            return from_ns(p_.host.spin_check_ns + (blocked ? p_.host.interrupt_ns : 0));
        }
        case ServerWait::kBlock:
            return idle ? from_ns(p_.host.interrupt_ns) : 0;
    }
    return 0;
}

void Host::serve(Time duration, Then then) {
    const Time waked = waking();
    if (shared()) {
        main_.hold();
    }
    server_.add(waked + duration, served(std::move(then)));
}

void Host::serve_on(Time duration, Then then) {
    server_.add_next(duration, served(std::move(then)));
}

// Runs a job of the server, which ends with `then`.
Host::Then Host::served(Then then) {
    pending_++;
    return [this, then = std::move(then)] {
        then();
        if (--pending_ == 0) {
            rest();
        }
    };
}

// The server has nothing left to do.
void Host::rest() {
    resting_since_ = kernel_->now();
    rests_++;
    if (shared()) {
        kernel_->after(p_.workload.wait == ServerWait::kSpinBlock ? from_ns(p_.host.spin_ns) : 0, this, rests_);
    }
}

// The server blocks, unless a job has come meanwhile.
void Host::handle(uint64_t rest) {
    if (rest == rests_ && pending_ == 0) {
        main_.release();
    }
}

}  // namespace syncline::sim::myrinet
