// SPDX-License-Identifier: BSD-3-Clause
#include "runtime/ground/waiting.h"

#include "base/os.h"

namespace syncline {

namespace {

// The last wait of the thread that has timed out, or that is one of a loop of such waits. A loop would fill the trace
// in seconds, so the trace tells of one of its waits in a second (job/trace_text.cpp reads this as one long wait).
struct LastWait {
    const Trace* trace = nullptr;
    const char* call = nullptr;
    WaitFor what = WaitFor::kUntraced;
    int peer = -1;
    uint64_t number = 0;
    uint64_t noted_ns = 0;
    bool is_silent = false;
};
constinit thread_local LastWait last_wait;

constexpr uint64_t silence_ns = ns_per_s;

}  // namespace

void Waiting::Noted::note_begin(uint64_t now) {
    begun_ns_ = now;
    const LastWait& last = last_wait;
    const bool goes_on = last.trace == &trace_ && last.call == current_call && last.what == aim_.what &&
                         last.peer == aim_.peer && last.number == aim_.number;
    if (goes_on && now < last.noted_ns + silence_ns) {
        last_wait.is_silent = true;
        return;
    }
    last_wait = {&trace_, current_call, aim_.what, aim_.peer, aim_.number, now, false};
    trace_.note_wait(TraceKind::kWaits, aim_.what, aim_.peer, aim_.number, SYNCLINE_OK, current_call);
}

void Waiting::Noted::note_end(int status) const {
    if (status == SYNCLINE_ERR_TIMEOUT && last_wait.is_silent) {
        return;
    }
    if (status != SYNCLINE_ERR_TIMEOUT) {
        last_wait = {};
    }
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
