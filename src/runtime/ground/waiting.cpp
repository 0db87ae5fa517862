// SPDX-License-Identifier: BSD-3-Clause
#include "runtime/ground/waiting.h"

#include "base/os.h"

namespace syncline {

void Waiting::Noted::note_begin(uint64_t now) {
    begun_ns_ = now;
    trace_.note_wait(TraceKind::kWaits, aim_.what, aim_.peer, aim_.number, SYNCLINE_OK, current_call);
}

void Waiting::Noted::note_end(int status) const {
    trace_.note_wait(TraceKind::kWaited, aim_.what, aim_.peer, now_ns() - begun_ns_, status, current_call);
}

bool Waiting::ask_daemon(uint64_t now) {
    if (!attachment_->daemon_alive()) {
        return false;
    }
    ask_daemon_at_ns_.store(now + 50 * ns_per_ms, std::memory_order_relaxed);
    return true;
}

// One turn in vain. The fabric has made progress in its call, and most often that is enough.
int Waiting::await_room(uint64_t turn, Noted* noted) {
    if (turn % 64 != 63) {
        return SYNCLINE_OK;
    }
    const uint64_t now = now_ns();
    noted->begin(now);
    (void)fabrics_->retry(now);
    const bool alive = attachment_->daemon_alive();
    waiter_.idle(turn, now + ns_per_ms, [] { return false; });
    return !alive ? SYNCLINE_ERR_NODE : is_interrupted(now) ? SYNCLINE_ERR_INTERRUPTED : SYNCLINE_OK;
}

int Waiting::look_again() {
    fabrics_->progress();
    (void)fabrics_->retry(now_ns());
    if (!attachment_->daemon_alive()) {
        return SYNCLINE_ERR_NODE;
    }
    yield_cpu();
    return SYNCLINE_OK;
}

}  // namespace syncline
