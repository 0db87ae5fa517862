// SPDX-License-Identifier: BSD-3-Clause
// Locks, conditions and atomic operations of PARMACS. A lock has a number of its own. SPLASH-3 programs have a
// condition in each of thousands of objects, so conditions share numbers, by their addresses. A signal therefore wakes
// all processes that wait by that number, and each looks again.
#include "parmacs_job.h"
#include "shared_variables.h"
#include "waits.h"

using namespace syncline::ports;

namespace {

uint32_t lock_of(const char* macro, const void* lock) {
    return sealed<Numbered>(macro, "LOCKINIT", lock).number;
}

}  // namespace

void syncline_parmacs_lock_init(void* locks, long count) {
    require_memory("LOCKINIT");
    for (long i = 0; i < count; i++) {
        auto& lock = static_cast<Numbered*>(locks)[i];
        if (!is_sealed(lock)) {
            lock.number = take_numbers("LOCKINIT", 1);
            lock.seal = make_seal(lock);
        }
    }
}

void syncline_parmacs_lock(const void* lock) {
    const uint32_t number = lock_of("LOCK", lock);
    wait_in("LOCK", [&] { return syncline_dsm_lock(number); });
}

void syncline_parmacs_unlock(const void* lock) {
    check("UNLOCK", syncline_dsm_unlock(lock_of("UNLOCK", lock)));
}

void syncline_parmacs_condition_wait(const void* condition, const void* lock) {
    const uint32_t number = lock_of("CONDVARWAIT", lock);
    wait_in("CONDVARWAIT", [&] { return syncline_dsm_cond_wait(condition_number_for(condition), number); });
}

void syncline_parmacs_condition_wake(const void* condition) {
    require_memory("CONDVARSIGNAL");
    check("CONDVARSIGNAL", syncline_dsm_cond_broadcast(condition_number_for(condition)));
}

void syncline_parmacs_atomic_begin(const void* address) {
    require_memory("LOAD");
    check("LOAD", syncline_dsm_lock(atomic_lock_for(address)));
}

void syncline_parmacs_atomic_end(const void* address) {
    check("LOAD", syncline_dsm_unlock(atomic_lock_for(address)));
}
