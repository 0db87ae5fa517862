/* divert(-1) m4_divert(-1)
ifdef(`define', `define(`m4_define', defn(`define'))define(`m4_ifdef', defn(`ifdef'))define(`m4_undefine', defn(`undefine'))define(`m4_ifelse', defn(`ifelse'))define(`m4_divert', defn(`divert'))')

SPDX-License-Identifier: BSD-3-Clause

PARMACS, the macros of SPLASH, SPLASH-2 and SPLASH-3 programs, on distributed shared memory:

    m4 parmacs.m4 program.C > program.c; cc program.c $(pkg-config --cflags --libs syncline-dsm)
    syncline run -n 8 -N 4 ./program

or m4 -P, for programs that are written for that. docs/DSM.md says which guarantees programs have. This file has one option:

    -DPARMACS_EXPRESSIONS   G_MALLOC and NU_MALLOC end without a semicolon, so that they can be parts of an expression.

For the C compiler, the first line and the last line of this file are one comment; m4 discards the text between them. Plain
m4 has its builtin macros under plain names, and m4 -P under names with m4_ in front; the second line makes the names with
m4_ work in both. Either m4 may read its own output again, as an included header. The file removes those macros of plain m4
whose names are also words of C.

LOCKDEC and the like declare a struct without a name, because programs use them in headers that may come before EXTERN_ENV.

m4_undefine(`len')m4_undefine(`index')m4_undefine(`shift')m4_undefine(`format')m4_undefine(`substr')m4_undefine(`unix')

PARMACS_CALL(name, body) defines a macro that m4 expands only before a parenthesis, so a program may use the word alone.

m4_define(`PARMACS_CALL', `m4_define(`$1', `m4_ifelse($'`#, 0, ``$1'', `$2')')')
m4_define(`PARMACS_COUNT', `m4_ifelse(`$1', `', `0', `(long)($1)')')
m4_define(`PARMACS_ARRAY', `m4_ifelse(`$2', `', `$1', `$1[$2]')')
m4_define(`PARMACS_MEMBER', `m4_ifelse(`$2', `', `&($1)', `&($1)[$2]')')
m4_define(`PARMACS_MEMBERS', `m4_ifelse(`$2', `', `&($1), 1', `&($1)[0], (long)($2)')')
m4_define(`PARMACS_STATEMENT_END', m4_ifdef(`PARMACS_EXPRESSIONS', `', `;'))

m4_define(`PARMACS_NUMBER', `struct { unsigned long syncline_seal; unsigned syncline_number; }')
m4_define(`PARMACS_OBJECT', `struct { unsigned long syncline_seal; void* syncline_state; }')

Environment

m4_define(`ENV', `')
m4_define(`EXTERN_ENV', `
#include <syncline/parmacs.h>
')
m4_define(`MAIN_ENV', `
#include <syncline/parmacs.h>
SYNCLINE_PARMACS_PROGRAM
')
m4_define(`MAIN_INITENV', `{syncline_parmacs_main_initenv(m4_ifelse(`$2', `', `0', `(size_t)($2)'));}')
m4_define(`MAIN_INITENV_LITE', `{syncline_parmacs_main_initenv(m4_ifelse(`$2', `', `0', `(size_t)($2)'));}')
m4_define(`MAIN_END', `{syncline_parmacs_main_end();}')
m4_define(`MAIN_END_LITE', `{syncline_parmacs_main_end();}')

Processes. CREATE(f) makes one process. CREATE(f, n) makes n - 1, and the caller is the last of the n.

PARMACS_CALL(`CREATE', `{m4_ifelse(`$2', `',
    `syncline_parmacs_create((void (*)(void))($1));',
    `syncline_parmacs_create_others((void (*)(void))($1), (long)($2)); ((void (*)(void))($1))();')}')
PARMACS_CALL(`CREATE_LITE', `{syncline_parmacs_create((void (*)(void))($1));}')
PARMACS_CALL(`WAIT_FOR_END', `{syncline_parmacs_wait_for_end(m4_ifelse(`$1', `', `0x7fffffff', `(long)($1)'));}')
PARMACS_CALL(`GET_PID', `{($1) = syncline_parmacs_process();}')
m4_define(`GET_PID_F', `syncline_parmacs_process()')
PARMACS_CALL(`CLOCK', `{($1) = syncline_parmacs_clock();}')
PARMACS_CALL(`AUG_DELAY', `{sleep($1);}')

Memory. The home of a page is the process that touches it first; the macros ignore the node that a program names.

PARMACS_CALL(`G_MALLOC', `syncline_parmacs_allocate((size_t)($1))PARMACS_STATEMENT_END')
PARMACS_CALL(`G_MALLOC_F', `syncline_parmacs_allocate((size_t)($1))')
PARMACS_CALL(`G_FREE', `syncline_parmacs_free((void*)($1));')
PARMACS_CALL(`NU_MALLOC', `syncline_parmacs_allocate((size_t)($1))PARMACS_STATEMENT_END')
PARMACS_CALL(`NU_MALLOC_F', `syncline_parmacs_allocate((size_t)($1))')
PARMACS_CALL(`NU_FREE', `syncline_parmacs_free((void*)($1));')
PARMACS_CALL(`GET_HOME', `{($1) = 0;}')
PARMACS_CALL(`SET_HOME', `{;}')
PARMACS_CALL(`ALLOCATE_PAGE', `{;}')
PARMACS_CALL(`ALLOCATE_RANGE', `{;}')

Locks

PARMACS_CALL(`LOCKDEC', `PARMACS_NUMBER PARMACS_ARRAY(`$1', `$2');')
PARMACS_CALL(`LOCKINIT', `{syncline_parmacs_lock_init(PARMACS_MEMBERS(`$1', `$2'));}')
PARMACS_CALL(`LOCK', `{syncline_parmacs_lock(PARMACS_MEMBER(`$1', `$2'));}')
PARMACS_CALL(`UNLOCK', `{syncline_parmacs_unlock(PARMACS_MEMBER(`$1', `$2'));}')
PARMACS_CALL(`NLOCKDEC', `LOCKDEC(`$1', `$2')')
PARMACS_CALL(`NLOCKINIT', `LOCKINIT(`$1', `$2')')
PARMACS_CALL(`NLOCK', `LOCK(`$1', `$2')')
PARMACS_CALL(`NUNLOCK', `UNLOCK(`$1', `$2')')
PARMACS_CALL(`ALOCKDEC', `PARMACS_NUMBER $1[$2];')
PARMACS_CALL(`ALOCKINIT', `{syncline_parmacs_lock_init(&($1)[0], (long)($2));}')
PARMACS_CALL(`ALOCK', `{syncline_parmacs_lock(&($1)[$2]);}')
PARMACS_CALL(`AULOCK', `{syncline_parmacs_unlock(&($1)[$2]);}')
PARMACS_CALL(`AUNLOCK', `{syncline_parmacs_unlock(&($1)[$2]);}')
PARMACS_CALL(`AGETL', `(($1)[$2])')

Barriers

PARMACS_CALL(`BARDEC', `PARMACS_OBJECT $1;')
PARMACS_CALL(`BARINIT', `{syncline_parmacs_barrier_init(&($1), PARMACS_COUNT(`$2'));}')
PARMACS_CALL(`BARRIER', `{syncline_parmacs_barrier(&($1), PARMACS_COUNT(`$2'));}')
PARMACS_CALL(`BAREXCLUDE', `{;}')
PARMACS_CALL(`BARINCLUDE', `{;}')

Pauses. A pause stands alone or in an array: PAUSEDEC(p, n), PAUSEINIT(p, n), SETPAUSE(p, i).

PARMACS_CALL(`PAUSEDEC', `PARMACS_OBJECT PARMACS_ARRAY(`$1', `$2');')
PARMACS_CALL(`PAUSEINIT', `{syncline_parmacs_pause_init(PARMACS_MEMBERS(`$1', `$2'));}')
PARMACS_CALL(`SETPAUSE', `{syncline_parmacs_pause_set(PARMACS_MEMBER(`$1', `$2'));}')
PARMACS_CALL(`CLEARPAUSE', `{syncline_parmacs_pause_clear(PARMACS_MEMBER(`$1', `$2'));}')
PARMACS_CALL(`WAITPAUSE', `{syncline_parmacs_pause_wait(PARMACS_MEMBER(`$1', `$2'));}')
PARMACS_CALL(`EVENT', `{syncline_parmacs_pause_fill(PARMACS_MEMBER(`$1', `$2'));}')
PARMACS_CALL(`PAUSE', `{syncline_parmacs_pause_take(PARMACS_MEMBER(`$1', `$2'));}')

Condition variables of SPLASH-3, which have no state.

PARMACS_CALL(`CONDVARDEC', `char $1;')
PARMACS_CALL(`CONDVARINIT', `{;}')
PARMACS_CALL(`CONDVARWAIT', `{syncline_parmacs_condition_wait(&($1), &($2));}')
PARMACS_CALL(`CONDVARSIGNAL', `{syncline_parmacs_condition_wake(&($1));}')
PARMACS_CALL(`CONDVARBCAST', `{syncline_parmacs_condition_wake(&($1));}')

Atomic operations of SPLASH-4, whose programs are for m4 -P. A lock orders them, because atomic instructions of the CPU order
nothing between processes here. The macros that read and write end with a semicolon, as in SPLASH-4. FETCH_ADD yields the old
value by an assignment, because compilers warn of a plain value that a program does not use.

m4_define(`PARMACS_ATOMIC', `({syncline_parmacs_atomic_begin((const void*)&($1)); $2 syncline_parmacs_atomic_end((const void*)&($1)); $3})')
m4_ifdef(`define', `', `
PARMACS_CALL(`LOAD', `PARMACS_ATOMIC(`$1', `__typeof__(($1) + 0) parmacs_old = ($1);', `parmacs_old;')')
PARMACS_CALL(`STORE', `({__typeof__(($1) + 0) parmacs_new = ($2); PARMACS_ATOMIC(`$1', `($1) = parmacs_new;');})')
PARMACS_CALL(`CAS', `({__typeof__(($1) + 0) parmacs_new = ($3); PARMACS_ATOMIC(`$1', `
    __typeof__(($1) + 0) parmacs_old = ($1); int parmacs_is = parmacs_old == ($2);
    if (parmacs_is) ($1) = parmacs_new; else ($2) = parmacs_old;', `parmacs_is;');})')
PARMACS_CALL(`FETCH_ADD', `({__typeof__(($1) + 0) parmacs_add = ($2); PARMACS_ATOMIC(`$1', `
    __typeof__(($1) + 0) parmacs_old = ($1); ($1) = parmacs_old + parmacs_add;', `parmacs_old += 0;');});')
PARMACS_CALL(`FETCH_SUB', `({__typeof__(($1) + 0) parmacs_sub = ($2); PARMACS_ATOMIC(`$1', `
    __typeof__(($1) + 0) parmacs_old = ($1); ($1) = parmacs_old - parmacs_sub;', `parmacs_old += 0;');});')
PARMACS_CALL(`FETCH_ADD_DOUBLE', `FETCH_ADD(`*($1)', `$2')')
')

Subscripts

PARMACS_CALL(`GSDEC', `PARMACS_OBJECT $1;')
PARMACS_CALL(`GSINIT', `{syncline_parmacs_subscript_init(&($1));}')
PARMACS_CALL(`GETSUB', `{($2) = syncline_parmacs_subscript(&($1), (long)($3), PARMACS_COUNT(`$4'));}')
PARMACS_CALL(`NU_GSDEC', `GSDEC(`$1')')
PARMACS_CALL(`NU_GSINIT', `GSINIT(`$1')')
PARMACS_CALL(`NU_GETSUB', `GETSUB(`$1', `$2', `$3', `$4')')

Semaphores

PARMACS_CALL(`SEMDEC', `PARMACS_OBJECT $1;')
PARMACS_CALL(`SEMINIT', `{syncline_parmacs_semaphore_init(&($1), (long)($2));}')
PARMACS_CALL(`SEMP', `{syncline_parmacs_semaphore_wait(&($1));}')
PARMACS_CALL(`SEMV', `{syncline_parmacs_semaphore_post(&($1));}')

Monitors

PARMACS_CALL(`MONDEC', `PARMACS_OBJECT $1;')
PARMACS_CALL(`MONINIT', `{syncline_parmacs_monitor_init(&($1), m4_ifelse(`$2', `', `1', `(long)($2)'));}')
PARMACS_CALL(`MENTER', `{syncline_parmacs_monitor_enter(&($1));}')
PARMACS_CALL(`MEXIT', `{syncline_parmacs_monitor_leave(&($1));}')
PARMACS_CALL(`DELAY', `{syncline_parmacs_monitor_delay(&($1), PARMACS_COUNT(`$2'));}')
PARMACS_CALL(`CONTINUE', `{syncline_parmacs_monitor_continue(&($1), PARMACS_COUNT(`$2'));}')

Instrumentation, and macros for machines that no longer exist

m4_define(`NEWPROC', `')
m4_define(`ADEC', `')
m4_define(`AINIT', `{;}')
m4_define(`PROBEND', `{;}')
m4_define(`AUG_ON', `')
m4_define(`AUG_OFF', `')
m4_define(`AUG_SET_LOLIMIT', `;')
m4_define(`AUG_SET_HILIMIT', `;')
m4_define(`TRACE_ON', `')
m4_define(`TRACE_OFF', `')
m4_define(`REF_TRACE_ON', `')
m4_define(`REF_TRACE_OFF', `')
m4_define(`DYN_TRACE_ON', `;')
m4_define(`DYN_TRACE_OFF', `;')
m4_define(`DYN_REF_TRACE_ON', `;')
m4_define(`DYN_REF_TRACE_OFF', `;')
m4_define(`DYN_SIM_ON', `;')
m4_define(`DYN_SIM_OFF', `;')
m4_define(`DYN_SCHED_ON', `;')
m4_define(`DYN_SCHED_OFF', `;')
m4_define(`ST_LOG', `{;}')
m4_define(`RESET_STATISTICS', `{;}')
m4_define(`THREAD_INIT_FREE', `{;}')
m4_define(`SPLASH3_ROI_BEGIN', `')
m4_define(`SPLASH3_ROI_END', `')
m4_define(`SPLASH4_ROI_BEGIN', `')
m4_define(`SPLASH4_ROI_END', `')
m4_define(`ACQUIRE_FENCE', `{__sync_synchronize();}')
m4_define(`RELEASE_FENCE', `{__sync_synchronize();}')
m4_define(`FULL_FENCE', `{__sync_synchronize();}')

m4_divert(0)PARMACS of Syncline */
