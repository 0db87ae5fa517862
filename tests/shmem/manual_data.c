// SPDX-License-Identifier: BSD-3-Clause
// OpenSHMEM 1.6: what its examples show of set-up, remote memory access, atomics, signals, contexts, sessions,
// ordering, point-to-point synchronisation and locks.
//
// Method: a function for each example, of our own making, that checks the result which the example's text leads one to
// expect. The scenarios of undefined behaviour (9.8) are here with the synchronisation that they lack.
#include <pthread.h>
#include <string.h>

#include "check.h"

enum { threads = 3, tasks = 200, updates = 2000, entries = 64, block = 100 };

static int me, pes;

// 9.1: a value is put before a barrier and read after it; a get from the last PE; who and how many.
static void setting_up(void) {
    static int target;
    static long constant = 10101;
    CHECK(me >= 0 && me < pes && shmem_team_my_pe(SHMEM_TEAM_WORLD) == me);
    if (me == 0) {
        const int source = 33;
        shmem_put(&target, &source, 1, 1 % pes);
        CHECK(shmem_g(&constant, pes - 1) == 10101);
    }
    shmem_barrier_all();
    CHECK(target == (me == 1 % pes ? 33 : 0));
}

// 9.1.13: stores through a pointer, where there is one.
static void pointing(void) {
    static int dest[4];
    if (me == 0) {
        int* const theirs = shmem_ptr(dest, 1);
        for (int i = 0; i < 4; i++) {
            if (theirs != NULL) {
                theirs[i] = i + 1;
            } else {
                shmem_p(&dest[i], i + 1, 1);
            }
        }
    }
    shmem_barrier_all();
    CHECK(me != 1 || (dest[0] == 1 && dest[3] == 4));
}

// 9.6: put of an array, p of a double, iput of every other element.
static void putting(void) {
    static long words[10];
    static short strided[10];
    static double number = 3.25;
    if (me == 0) {
        const long source[10] = {1, 2, 3, 4, 5, 6, 7, 8, 9, 10};
        const short shorts[10] = {1, 2, 3, 4, 5, 6, 7, 8, 9, 10};
        shmem_put(words, source, 10, 1);
        shmem_p(&number, 2.5, 1);
        shmem_iput(strided, shorts, 1, 2, 5, 1);
    }
    shmem_barrier_all();
    for (int i = 0; me == 1 && i < 5; i++) {
        CHECK(words[2 * i] == 2 * i + 1 && strided[i] == 2 * i + 1 && number == 2.5);
    }
}

// 9.9: a message goes round the ring by put with signal.
static void signalling(void) {
    enum { count = 2048 };
    static uint64_t signal;
    uint64_t* const data = shmem_calloc(count, sizeof(uint64_t));
    uint64_t message[count];
    for (int i = 0; i < count; i++) {
        message[i] = (uint64_t)i + 7;
    }
    if (me == 0) {
        shmem_put_signal(data, message, count, &signal, 1, SHMEM_SIGNAL_SET, 1 % pes);
    } else {
        shmem_wait_until(&signal, SHMEM_CMP_EQ, 1);
        shmem_put_signal(data, data, count, &signal, 1, SHMEM_SIGNAL_SET, (me + 1) % pes);
    }
    CHECK(shmem_signal_wait_until(&signal, SHMEM_CMP_EQ, 1) == 1 && shmem_signal_fetch(&signal) == 1);
    CHECK(memcmp(data, message, sizeof(message)) == 0);
    shmem_free(data);
}

// 9.7: add, fetch_add, inc, fetch_inc at one PE; the first of all compare&swaps wins; odd PEs swap with their
// neighbour.
static void counting(void) {
    static int added = 22, fetched = 22, incremented = 74, winner = -1, wins;
    static long swapped;
    if (me == 1) {
        shmem_atomic_add(&added, 44, 0);
        CHECK(shmem_atomic_fetch_add(&fetched, 44, 0) == 22);
        shmem_atomic_inc(&incremented, 0);
        CHECK(shmem_atomic_fetch_inc(&wins, 2) == 0);
    }
    if (shmem_atomic_compare_swap(&winner, -1, me, 0) == -1) {
        shmem_atomic_inc(&wins, 0);
    }
    swapped = me;
    shmem_barrier_all();
    CHECK(me != 0 || (added == 66 && fetched == 66 && incremented == 75 && winner >= 0 && wins == 1));
    CHECK(me != 2 || wins == 1);
    if ((me & 1) != 0 && me + 1 < pes) {
        CHECK(shmem_atomic_swap(&swapped, (long)me, me + 1) == me + 1);
    }
    shmem_barrier_all();
    CHECK(swapped == (me != 0 && (me & 1) == 0 ? me - 1 : me));
}

// 9.8: one word by atomics through teams, of two widths, from a reduction and by the PE itself: each after a barrier.
static void separating(void) {
    static uint64_t word;
    static int sum, x;
    shmem_ctx_t ctx = SHMEM_CTX_INVALID;
    CHECK(shmem_team_create_ctx(SHMEM_TEAM_SHARED, 0, &ctx) == 0);
    const int target = shmem_team_translate_pe(SHMEM_TEAM_WORLD, 0, SHMEM_TEAM_SHARED);
    if (target >= 0) {
        shmem_ctx_uint64_atomic_inc(ctx, &word, target);
    } else {
        shmem_uint64_atomic_inc(&word, 0);
    }
    shmem_ctx_quiet(ctx);
    shmem_ctx_destroy(ctx);
    shmem_int_atomic_inc(&x, (me + 1) % pes);
    shmem_barrier_all();
    CHECK(me != 0 || word == (uint64_t)pes);
    CHECK(shmem_int_sum_reduce(SHMEM_TEAM_WORLD, &sum, &x, 1) == 0 && sum == pes);
    shmem_barrier_all();
    x++;
    shmem_uint32_atomic_or((uint32_t*)&word, 1u << 20, 0);
    shmem_barrier_all();
    CHECK(x == 2 && (me != 0 || word == ((uint64_t)pes | 1u << 20)));
}

// 9.5: each thread takes tasks of all PEs through a context of its own until none is left.
static long next_task, done_here, done_everywhere;

static void* take_tasks(void* unused) {
    shmem_ctx_t ctx = SHMEM_CTX_INVALID;
    CHECK(shmem_ctx_create(SHMEM_CTX_PRIVATE, &ctx) == 0);
    for (int i = 0; i < pes; i++) {
        const int of = (me + i) % pes;
        while (shmem_atomic_fetch_inc(ctx, &next_task, of) < tasks) {
            __atomic_fetch_add(&done_here, 1, __ATOMIC_RELAXED);
        }
    }
    shmem_ctx_destroy(ctx);
    return unused;
}

// 9.5: a library's context for each thread, which may be there or not, or be the default one.
static _Thread_local shmem_ctx_t own = SHMEM_CTX_INVALID;
static int* from_pe;

static void* put_by_own(void* thread) {
    if (own == SHMEM_CTX_INVALID && shmem_ctx_create(SHMEM_CTX_PRIVATE, &own) != 0) {
        own = SHMEM_CTX_DEFAULT;
    }
    const int value = 1000 * (me + 1) + *(int*)thread;
    for (int pe = 0; pe < pes; pe++) {
        shmem_ctx_putmem(own, &from_pe[me * threads + *(int*)thread], &value, sizeof(value), pe);
    }
    shmem_ctx_quiet(own);
    shmem_ctx_destroy(own);
    own = SHMEM_CTX_INVALID;
    shmem_ctx_destroy(own);  // no operation
    shmem_ctx_quiet(own);
    shmem_ctx_fence(own);
    return NULL;
}

static void run_in_threads(void* (*body)(void*)) {
    pthread_t running[threads];
    int numbers[threads];
    for (int i = 0; i < threads; i++) {
        numbers[i] = i;
        CHECK(pthread_create(&running[i], NULL, body, &numbers[i]) == 0);
    }
    for (int i = 0; i < threads; i++) {
        pthread_join(running[i], NULL);
    }
}

static void threading(void) {
    from_pe = shmem_calloc((size_t)(pes * threads), sizeof(int));
    run_in_threads(take_tasks);
    run_in_threads(put_by_own);
    shmem_barrier_all();
    CHECK(shmem_long_sum_reduce(SHMEM_TEAM_WORLD, &done_everywhere, &done_here, 1) == 0);
    CHECK(done_everywhere == (long)tasks * pes);
    for (int i = 0; i < pes * threads; i++) {
        CHECK(from_pe[i] == 1000 * (i / threads + 1) + i % threads);
    }
    shmem_free(from_pe);
}

// 9.5: contexts by turns, so that a stage is put while the one before is added up. Three, because a PE may be a stage
// ahead of one that still adds up.
static void pipelining(void) {
    enum { length = 2048, stage = 256, turns = 3 };
    static int in[length], out[length];
    int* stages[turns];
    shmem_ctx_t ctx[turns];
    for (int k = 0; k < turns; k++) {
        stages[k] = shmem_malloc((size_t)(stage * pes) * sizeof(int));
        CHECK(stages[k] != NULL && shmem_ctx_create(0, &ctx[k]) == 0);
    }
    for (int i = 0; i < length; i++) {
        in[i] = me + i;
    }
    for (int s = 0; s <= length / stage; s++) {
        const int now = s % turns;
        const int before = (s + turns - 1) % turns;
        for (int i = 1; i <= pes && s < length / stage; i++) {
            shmem_put_nbi(ctx[now], &stages[now][stage * me], &in[stage * s], stage, (me + i) % pes);
        }
        if (s > 0) {
            shmem_ctx_quiet(ctx[before]);
            shmem_sync_all();
            for (int i = 0; i < stage * pes; i++) {
                out[stage * (s - 1) + i % stage] += stages[before][i];
            }
        }
    }
    for (int i = 0; i < length; i++) {
        CHECK(out[i] == pes * i + pes * (pes - 1) / 2);
    }
    for (int k = 0; k < turns; k++) {
        shmem_ctx_destroy(ctx[k]);
        shmem_free(stages[k]);
    }
}

// 9.6: random updates in a session, twice so that the table is zero again; sessions of no context do nothing.
static void in_a_session(void) {
    uint64_t* const table = shmem_calloc(entries, sizeof(uint64_t));
    shmem_ctx_t ctx = SHMEM_CTX_INVALID;
    const shmem_ctx_session_config_t config = {.total_ops = updates};
    shmem_ctx_session_start(ctx, SHMEM_CTX_SESSION_BATCH, &config, SHMEM_CTX_SESSION_TOTAL_OPS);
    shmem_ctx_session_stop(ctx);
    CHECK(shmem_ctx_create(0, &ctx) == 0);
    for (int turn = 0; turn < 2; turn++) {
        uint64_t random = (uint64_t)me + 1;
        shmem_ctx_session_start(ctx, SHMEM_CTX_SESSION_BATCH, &config, SHMEM_CTX_SESSION_TOTAL_OPS);
        shmem_ctx_session_start(ctx, 0, NULL, 0);
        for (int i = 0; i < updates; i++) {
            random = random * 6364136223846793005u + 1442695040888963407u;
            shmem_ctx_uint64_atomic_xor(ctx, &table[random >> 58], random, (int)(random >> 33) % pes);
        }
        shmem_ctx_session_stop(ctx);
        shmem_ctx_session_stop(ctx);
    }
    shmem_ctx_quiet(ctx);
    shmem_sync_all();
    for (int i = 0; i < entries; i++) {
        CHECK(table[i] == 0);
    }
    shmem_ctx_destroy(ctx);
    shmem_free(table);
}

// 9.11: what is put after a fence is there after what was put before it; what is quiet can be fetched.
static void ordering(void) {
    static long dest[10];
    static int flag, done;
    if (me == 0) {
        const long source[10] = {1, 2, 3, 4, 5, 6, 7, 8, 9, 10};
        const int one = 1;
        for (int pe = 1; pe < 3; pe++) {
            shmem_put(dest, source, 10, pe);
        }
        shmem_fence();
        for (int pe = 1; pe < 3; pe++) {
            shmem_put(&flag, &one, 1, pe);
        }
        shmem_quiet();
        long fetched[10];
        int there = 0;
        shmem_get(fetched, dest, 10, 1);
        shmem_get(&there, &flag, 1, 2);
        CHECK(memcmp(fetched, source, sizeof(source)) == 0 && there == 1);
        done = 1;
    } else if (me < 3) {
        shmem_wait_until(&flag, SHMEM_CMP_EQ, 1);
        CHECK(dest[0] == 1 && dest[9] == 10);
    }
    shmem_barrier_all();
    CHECK(me != 0 || done);
}

// 9.12: the critical section counts to the number of PEs.
static void locking(void) {
    static long lock;
    static int count;
    shmem_set_lock(&lock);
    shmem_p(&count, shmem_g(&count, 0) + 1, 0);
    shmem_clear_lock(&lock);
    shmem_barrier_all();
    CHECK(me != 0 || count == pes);
}

// 9.10: every PE puts a block to every PE and sets a flag; a PE adds the blocks up as the flags come in.
static int *flags, *blocks, *status;
static size_t* indices;

static void send_blocks(void) {
    int mine[block];
    for (int i = 0; i < block; i++) {
        mine[i] = me * block + i;
    }
    for (int pe = 0; pe < pes; pe++) {
        shmem_atomic_set(&flags[pe], 0, me);
        status[pe] = 0;
    }
    shmem_barrier_all();
    for (int pe = 0; pe < pes; pe++) {
        shmem_put_nbi(&blocks[me * block], mine, block, pe);
    }
    shmem_fence();
    for (int pe = 0; pe < pes; pe++) {
        shmem_atomic_set(&flags[me], me % 2 + 1, pe);
    }
}

static long take_block(size_t of) {
    long sum = 0;
    for (int i = 0; i < block; i++) {
        sum += blocks[of * block + (size_t)i];
    }
    status[of] = 1;
    return sum;
}

static void waiting(void) {
    const size_t count = (size_t)pes;
    const long last = (long)block * pes - 1;
    const long expected = last * (last + 1) / 2;
    int* const values = calloc(count, sizeof(int));
    flags = shmem_calloc(count, sizeof(int));
    blocks = shmem_malloc(count * block * sizeof(int));
    status = calloc(count, sizeof(int));
    indices = calloc(count, sizeof(size_t));
    for (int pe = 0; pe < pes; pe++) {
        values[pe] = pe % 2 + 1;
    }
    for (int how = 0; how < 6; how++) {
        long sum = 0;
        size_t taken = 0;
        send_blocks();
        while (taken < count) {
            size_t found = 1;
            switch (how) {
                case 0:
                    indices[0] = shmem_wait_until_any(flags, count, status, SHMEM_CMP_NE, 0);
                    break;
                case 1:
                    indices[0] = shmem_wait_until_any_vector(flags, count, status, SHMEM_CMP_EQ, values);
                    break;
                case 2:
                    found = shmem_wait_until_some(flags, count, indices, status, SHMEM_CMP_NE, 0);
                    break;
                case 3:
                    indices[0] = shmem_test_any(flags, count, status, SHMEM_CMP_NE, 0);
                    found = indices[0] != SIZE_MAX;
                    break;
                case 4:
                    found = shmem_test_some(flags, count, indices, status, SHMEM_CMP_NE, 0);
                    break;
                default:
                    shmem_wait_until_all(flags, count, NULL, SHMEM_CMP_NE, 0);
                    indices[0] = taken;
            }
            taken += found;
            for (size_t i = 0; i < found; i++) {
                sum += take_block(indices[i]);
            }
        }
        CHECK(taken == count && sum == expected);
        CHECK(how != 2 || shmem_wait_until_some(flags, count, indices, status, SHMEM_CMP_NE, 0) == 0);
        shmem_barrier_all();
    }
    free(values);
    free(status);
    free(indices);
    shmem_free(blocks);
    shmem_free(flags);
}

// 9.10: a wait for any word made of test.
static void testing(void) {
    long* const words = shmem_calloc((size_t)pes, sizeof(long));
    if (me == 0) {
        int who = 1;
        while (!shmem_test(&words[who], SHMEM_CMP_NE, 0)) {
            who = who + 1 < pes ? who + 1 : 1;
        }
        CHECK(words[who] == who);
    } else {
        shmem_atomic_set(&words[me], (long)me, 0);
    }
    shmem_free(words);
}

void run_manual_data(void) {
    int provided = -1;
    CHECK(shmem_init_thread(SHMEM_THREAD_MULTIPLE, &provided) == 0 && provided == SHMEM_THREAD_MULTIPLE);
    me = shmem_my_pe();
    pes = shmem_n_pes();
    CHECK(pes >= 3);
    setting_up();
    pointing();
    putting();
    signalling();
    counting();
    separating();
    threading();
    pipelining();
    in_a_session();
    ordering();
    locking();
    waiting();
    testing();
    shmem_finalize();
}
