// SPDX-License-Identifier: BSD-3-Clause
#include "sim/models/myrinet/host.h"

namespace syncline::sim {

MyrinetHost::MyrinetHost(Kernel* kernel, const MyrinetParameters& parameters)
    : kernel_(kernel), p_(parameters), main_(kernel), server_(kernel) {}

Time MyrinetHost::waking() const {
    const bool idle = pending_ == 0;
    switch (p_.wait) {
        case ServerWait::kPoll:
            return 0;
        case ServerWait::kSpinBlock: {
            const bool blocked = idle && kernel_->now() - resting_since_ > from_ns(p_.spin_ns);
            return from_ns(p_.spin_check_ns + (blocked ? p_.interrupt_ns : 0));
        }
        case ServerWait::kBlock:
            return idle ? from_ns(p_.interrupt_ns) : 0;
    }
    return 0;
}

void MyrinetHost::serve(Time duration, Then then) {
    const Time waked = waking();
    if (shared()) {
        main_.hold();
    }
    server_.add(waked + duration, served(std::move(then)));
}

void MyrinetHost::serve_on(Time duration, Then then) {
    server_.add_next(duration, served(std::move(then)));
}

// A job of the server, which ends with `then`.
MyrinetHost::Then MyrinetHost::served(Then then) {
    pending_++;
    return [this, then = std::move(then)] {
        then();
        if (--pending_ == 0) {
            rest();
        }
    };
}

// The server has nothing left.
void MyrinetHost::rest() {
    resting_since_ = kernel_->now();
    rests_++;
    if (shared()) {
        kernel_->after(p_.wait == ServerWait::kSpinBlock ? from_ns(p_.spin_ns) : 0, this, rests_);
    }
}

// It blocks, unless something has come meanwhile.
void MyrinetHost::handle(uint64_t rest) {
    if (rest == rests_ && pending_ == 0) {
        main_.release();
    }
}

}  // namespace syncline::sim
