// SPDX-License-Identifier: BSD-3-Clause
#include "job/launchers/arrival.h"

#include <algorithm>

#include "base/failure.h"
#include "base/os.h"

namespace syncline {

namespace {

constexpr uint64_t turn_ns = ns_per_s / 2;

}  // namespace

Arrival::Arrival() : event_(make_event()) {
    if (!event_) {
        fail_errno(SYNCLINE_ERR_SYSTEM, "cannot make an event for the launcher's exchange");
    }
}

void Arrival::report(int status) {
    status_ = status;
    reported_.store(true, std::memory_order_release);
    signal_event(event_.get());
}

std::optional<int> Arrival::await(uint32_t timeout_ms, const Launcher::Meanwhile& meanwhile) const {
    const uint64_t deadline = now_ns() + timeout_ms * ns_per_ms;
    while (!reported_.load(std::memory_order_acquire)) {
        const uint64_t now = now_ns();
        if (now >= deadline) {
            return std::nullopt;
        }
        if (meanwhile) {
            meanwhile(now);
        }
        (void)sleep_on({event_.get()}, std::min(deadline - now, turn_ns));
    }
    return status_;
}

int Arrival::await_all(uint32_t ranks, uint32_t timeout_ms, const Launcher::Meanwhile& meanwhile) const {
    const std::optional<int> status = await(timeout_ms, meanwhile);
    if (!status) {
        fail(SYNCLINE_ERR_TIMEOUT, "not all {} processes of this job have come within {} ms", ranks, timeout_ms);
    }
    return *status;
}

}  // namespace syncline
