// SPDX-License-Identifier: BSD-3-Clause
// Locks and conditions of PARMACS. A lock has a number of its own. SPLASH-3 programs have a condition in each of thousands
// of objects: conditions share numbers, so a signal wakes all that wait by that number, and each looks again.
#include "parmacs_job.h"
#include "shared_variables.h"

using namespace syncline::ports;

void syncline_parmacs_lock_init(syncline_parmacs_lock_t* locks, long count) {
    require_memory("LOCKINIT");
    for (long i = 0; i < count; i++) {
        syncline_parmacs_lock_t& lock = locks[i];
        if (lock.seal == make_seal(&lock, lock.number)) {
            continue;
        }
        lock.number = take_numbers("LOCKINIT", 1);
        lock.seal = make_seal(&lock, lock.number);
    }
}

void syncline_parmacs_lock(const syncline_parmacs_lock_t* lock) {
    check_seal("LOCK", "LOCKINIT", lock, lock->seal, lock->number);
    check("LOCK", syncline_dsm_lock(lock->number));
}

void syncline_parmacs_unlock(const syncline_parmacs_lock_t* lock) {
    check_seal("UNLOCK", "LOCKINIT", lock, lock->seal, lock->number);
    check("UNLOCK", syncline_dsm_unlock(lock->number));
}

void syncline_parmacs_condition_init(syncline_parmacs_condition_t* condition) {
    require_memory("CONDVARINIT");
    condition->number = condition_number_for(condition);
    condition->seal = make_seal(condition, condition->number);
}

void syncline_parmacs_condition_wait(const syncline_parmacs_condition_t* condition, const syncline_parmacs_lock_t* lock) {
    check_seal("CONDVARWAIT", "CONDVARINIT", condition, condition->seal, condition->number);
    check_seal("CONDVARWAIT", "LOCKINIT", lock, lock->seal, lock->number);
    check("CONDVARWAIT", syncline_dsm_cond_wait(condition->number, lock->number));
}

void syncline_parmacs_condition_wake(const syncline_parmacs_condition_t* condition) {
    check_seal("CONDVARSIGNAL", "CONDVARINIT", condition, condition->seal, condition->number);
    check("CONDVARSIGNAL", syncline_dsm_cond_broadcast(condition->number));
}
