// SPDX-License-Identifier: BSD-3-Clause
// Pauses and semaphores of PARMACS.
//
// Pauses. A flag counts the changes of a pause, which is set while the count is odd. So a process that waits for the
// pause to be set, and has seen an even count, goes on at the next odd count, even if the pause is cleared again before
// that process looks. Changes are made under the lock of the same number.
#include "parmacs_job.h"
#include "shared_variables.h"
#include "waits.h"

using namespace syncline::ports;

namespace {

struct Pause {
    uint32_t number = 0;
};

struct Semaphore {
    uint32_t number = 0;  // of its lock and of its condition
    long value = 0;
};

uint64_t changes_of(const char* macro, const Pause& pause) {
    uint64_t changes = 0;
    check(macro, syncline_dsm_flag_wait(pause.number, 0, &changes));
    return changes;
}

bool is_set(uint64_t changes) {
    return (changes & 1) != 0;
}

Pause& pause_of(const char* macro, const void* pause) {
    return state_of<Pause>(macro, "PAUSEINIT", pause);
}

// Returns whether the pause was in the other state before.
bool change(const char* macro, const Pause& pause, bool to_set) {
    Holding lock(macro, pause.number);
    const uint64_t changes = changes_of(macro, pause);
    if (is_set(changes) == to_set) {
        return false;
    }
    check(macro, syncline_dsm_flag_set(pause.number, changes + 1));
    return true;
}

void wait_for(const char* macro, const Pause& pause, bool set) {
    const uint64_t changes = changes_of(macro, pause);
    if (is_set(changes) != set) {
        wait_in(macro, [&] { return syncline_dsm_flag_wait(pause.number, changes + 1, nullptr); });
    }
}

}  // namespace

void syncline_parmacs_pause_init(void* pauses, long count) {
    require_memory("PAUSEINIT");
    for (long i = 0; i < count; i++) {
        Pause* const state = init_state<Pause>("PAUSEINIT", static_cast<Stateful*>(pauses) + i);
        (void)change("PAUSEINIT", *state, false);
    }
}

void syncline_parmacs_pause_set(const void* pause) {
    (void)change("SETPAUSE", pause_of("SETPAUSE", pause), true);
}

void syncline_parmacs_pause_clear(const void* pause) {
    (void)change("CLEARPAUSE", pause_of("CLEARPAUSE", pause), false);
}

void syncline_parmacs_pause_wait(const void* pause) {
    wait_for("WAITPAUSE", pause_of("WAITPAUSE", pause), true);
}

void syncline_parmacs_pause_fill(const void* pause) {
    const Pause& state = pause_of("EVENT", pause);
    while (!change("EVENT", state, true)) {
        wait_for("EVENT", state, false);
    }
}

void syncline_parmacs_pause_take(const void* pause) {
    const Pause& state = pause_of("PAUSE", pause);
    while (!change("PAUSE", state, false)) {
        wait_for("PAUSE", state, true);
    }
}

void syncline_parmacs_semaphore_init(void* semaphore, long value) {
    require_memory("SEMINIT");
    Semaphore* const state = init_state<Semaphore>("SEMINIT", semaphore);
    state->value = value;
}

void syncline_parmacs_semaphore_wait(const void* semaphore) {
    Semaphore& state = state_of<Semaphore>("SEMP", "SEMINIT", semaphore);
    const Holding lock("SEMP", state.number);
    while (state.value <= 0) {
        wait_in("SEMP", [&] { return syncline_dsm_cond_wait(state.number, state.number); });
    }
    state.value--;
}

void syncline_parmacs_semaphore_post(const void* semaphore) {
    Semaphore& state = state_of<Semaphore>("SEMV", "SEMINIT", semaphore);
    const Holding lock("SEMV", state.number);
    state.value++;
    check("SEMV", syncline_dsm_cond_signal(state.number));
}
