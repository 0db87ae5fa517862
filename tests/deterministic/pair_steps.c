/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * fw_pair_execute() of firmware/native.c once more, with a step of virtual time in front of each store and exchange of
 * fw_pair_run(): so a process can die between any two of them. The linker puts it in the place of the other (--wrap).
 */
#include "firmware/platform.h"

void deterministic_pair_begin(void);
void deterministic_pair_step(void);
void deterministic_idle(void);

#undef FW_ATOMIC_STORE
#undef FW_EXCHANGE
#define FW_ATOMIC_STORE(pointer, value) \
    (deterministic_pair_step(), __atomic_store_n((pointer), (value), __ATOMIC_RELAXED))
#define FW_EXCHANGE(pointer, value) \
    (deterministic_pair_step(), __atomic_exchange_n((pointer), (value), __ATOMIC_SEQ_CST))

#include "firmware/pair.h"

int __wrap_fw_pair_execute(struct fw_pair_lock* lock, uint64_t owner, uint64_t address, uint64_t* pair,
                           const uint64_t operand[2], const uint64_t* comparand, uint64_t old[2], int (*give_up)(void*),
                           void* context);

int __wrap_fw_pair_execute(struct fw_pair_lock* lock, uint64_t owner, uint64_t address, uint64_t* pair,
                           const uint64_t operand[2], const uint64_t* comparand, uint64_t old[2], int (*give_up)(void*),
                           void* context) {
    while (fw_pair_try(lock, owner)) {
        if (give_up(context)) {
            return -1;
        }
        deterministic_idle();
    }
    deterministic_pair_begin();
    fw_pair_run(lock, owner, address, pair, operand[0], operand[1], comparand != NULL, comparand ? comparand[0] : 0,
                comparand ? comparand[1] : 0, old);
    return 0;
}
