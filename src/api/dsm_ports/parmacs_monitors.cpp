// SPDX-License-Identifier: BSD-3-Clause
// Monitors of PARMACS (Lusk, Overbeek: "Implementation of Monitors with Macros", ANL-83-97).
//
// Guarantee: one process is in a monitor at a time. A process that continues a queue leaves the monitor to the process
// that has waited there longest, and no other comes in between, so a condition that it has made true still holds.
//
// A turn is a number that a process draws when it enters a queue. A queue's `admitted` is the turn that may go on.
#include "parmacs_job.h"
#include "shared_variables.h"
#include "waits.h"

using namespace syncline::ports;

namespace {

struct Queue {
    uint64_t drawn = 0;
    uint64_t admitted = 0;
};

struct Monitor {
    uint32_t number = 0;  // of its lock and of its condition
    bool taken = false;
    long queues = 0;
    Queue queue[SYNCLINE_PARMACS_QUEUES];
};

Monitor& monitor_of(const char* macro, const void* monitor) {
    return state_of<Monitor>(macro, "MONINIT", monitor);
}

Queue& queue_of(const char* macro, Monitor& monitor, long queue) {
    if (queue < 0 || queue >= monitor.queues) {
        end_job("%s: there is no queue %ld; MONINIT has made %ld", macro, queue, monitor.queues);
    }
    return monitor.queue[queue];
}

void wait(const char* macro, const Monitor& monitor) {
    wait_in(macro, [&] { return syncline_dsm_cond_wait(monitor.number, monitor.number); });
}

void leave(const char* macro, Monitor& monitor) {
    monitor.taken = false;
    check(macro, syncline_dsm_cond_broadcast(monitor.number));
}

}  // namespace

void syncline_parmacs_monitor_init(void* monitor, long queues) {
    require_memory("MONINIT");
    if (queues < 0 || queues > SYNCLINE_PARMACS_QUEUES) {
        end_job("MONINIT: a monitor has at most %d queues, not %ld", SYNCLINE_PARMACS_QUEUES, queues);
    }
    Monitor* const state = init_state<Monitor>("MONINIT", monitor);
    state->queues = queues;
}

void syncline_parmacs_monitor_enter(const void* monitor) {
    Monitor& state = monitor_of("MENTER", monitor);
    const Holding lock("MENTER", state.number);
    while (state.taken) {
        wait("MENTER", state);
    }
    state.taken = true;
}

void syncline_parmacs_monitor_leave(const void* monitor) {
    Monitor& state = monitor_of("MEXIT", monitor);
    const Holding lock("MEXIT", state.number);
    leave("MEXIT", state);
}

void syncline_parmacs_monitor_delay(const void* monitor, long queue) {
    Monitor& state = monitor_of("DELAY", monitor);
    const Holding lock("DELAY", state.number);
    Queue& own = queue_of("DELAY", state, queue);
    const uint64_t turn = ++own.drawn;
    leave("DELAY", state);
    while (own.admitted < turn) {
        wait("DELAY", state);
    }
}

void syncline_parmacs_monitor_continue(const void* monitor, long queue) {
    Monitor& state = monitor_of("CONTINUE", monitor);
    const Holding lock("CONTINUE", state.number);
    Queue& other = queue_of("CONTINUE", state, queue);
    if (other.admitted == other.drawn) {
        leave("CONTINUE", state);
        return;
    }
    other.admitted++;  // the monitor stays taken, now by that process
    check("CONTINUE", syncline_dsm_cond_broadcast(state.number));
}
