// SPDX-License-Identifier: BSD-3-Clause
// Barriers and subscripts of PARMACS.
//
// Barriers. Guarantee: behind a barrier, a process sees all earlier writes of all processes of the count. If the count
// is the number of processes of the job, all of them are in this barrier, and the job's own barrier is used. Otherwise
// the processes count themselves under a lock, which orders them one behind the other, and the last one sets a flag to
// the number of the round.
#include "parmacs_job.h"
#include "shared_variables.h"
#include "waits.h"

using namespace syncline::ports;

namespace {

struct Barrier {
    uint32_t number = 0;  // of its lock and of its flag
    long count = 0;       // the count that INIT was given
    long arrived = 0;
    uint64_t round = 0;
};

struct Subscripts {
    uint32_t number = 0;  // of its lock and of its flag
    long next = 0;
    long finished = 0;
    uint64_t round = 0;
};

}  // namespace

void syncline_parmacs_barrier_init(void* barrier, long count) {
    require_memory("BARINIT");
    Barrier* const state = init_state<Barrier>("BARINIT", barrier);
    state->count = count;
    state->arrived = 0;
}

void syncline_parmacs_barrier(const void* barrier, long count) {
    Barrier& state = state_of<Barrier>("BARRIER", "BARINIT", barrier);
    if (count == 0 && (count = state.count) == 0) {
        count = running_processes();
    }
    if (count > syncline_dsm_processes()) {
        end_job(
            "BARRIER: the program waits for %ld processes, and the job has %d: start %ld (`syncline run`, option -n)",
            count, syncline_dsm_processes(), count);
    }
    if (count == syncline_dsm_processes()) {
        wait_in("BARRIER", [] { return syncline_dsm_barrier(); });
        return;
    }
    Holding lock("BARRIER", state.number);
    const uint64_t round = state.round + 1;
    if (++state.arrived < count) {
        lock.release();
        wait_in("BARRIER", [&] { return syncline_dsm_flag_wait(state.number, round, nullptr); });
        return;
    }
    state.arrived = 0;
    state.round = round;
    lock.release();
    check("BARRIER", syncline_dsm_flag_set(state.number, round));
}

void syncline_parmacs_subscript_init(void* subscripts) {
    require_memory("GSINIT");
    Subscripts* const state = init_state<Subscripts>("GSINIT", subscripts);
    state->next = 0;
    state->finished = 0;
}

long syncline_parmacs_subscript(const void* subscripts, long last, long processes) {
    Subscripts& state = state_of<Subscripts>("GETSUB", "GSINIT", subscripts);
    Holding lock("GETSUB", state.number);
    if (state.next <= last) {
        return state.next++;
    }
    if (++state.finished < processes) {
        const uint64_t round = state.round + 1;
        lock.release();
        wait_in("GETSUB", [&] { return syncline_dsm_flag_wait(state.number, round, nullptr); });
        return -1;
    }
    state.next = 0;
    state.finished = 0;
    const uint64_t round = ++state.round;
    lock.release();
    check("GETSUB", syncline_dsm_flag_set(state.number, round));
    return -1;
}
