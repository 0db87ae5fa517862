// SPDX-License-Identifier: BSD-3-Clause
// Method: every call with every kind of argument that makes no sense, towards the own PE, one of the own node and one
// of another node; each returns the status that the header gives, leaves the outputs alone and explains itself in a
// error message that names the call. Afterwards everything still works.
#include <cstring>

#include "contract.h"

namespace contract {
namespace {

constexpr int add64 = SYNCLINE_ADD | SYNCLINE_64;
constexpr int fetch_add64 = add64 | SYNCLINE_FETCH;
constexpr syncline_address_t far_away = 1ull << 39;     // in no heap
constexpr syncline_address_t no_segment = 16ull << 40;  // segments are 0 to 15
constexpr syncline_address_t not_registered = 7ull << 40;

uint64_t value[2] = {3, 4};
uint64_t result[2] = {77, 78};
syncline_request_t request = 55;

void ranks(syncline_address_t word) {
    for (const int bad : {-1, size(), INT32_MAX, INT32_MIN}) {
        EXPECT_ERROR(syncline_put(bad, word, value, 8), SYNCLINE_ERR_RANK, "syncline_put");
        EXPECT_ERROR(syncline_get(bad, word, result, 8), SYNCLINE_ERR_RANK, "syncline_get");
        EXPECT_ERROR(syncline_put_nb(bad, word, value, 8, 0, &request), SYNCLINE_ERR_RANK, "syncline_put_nb");
        EXPECT_ERROR(syncline_get_nb(bad, word, result, 8, 0, &request), SYNCLINE_ERR_RANK, "syncline_get_nb");
        EXPECT_ERROR(syncline_atomic(fetch_add64, bad, word, value, nullptr, result), SYNCLINE_ERR_RANK,
                     "syncline_atomic");
        EXPECT_ERROR(syncline_atomic_nb(fetch_add64, bad, word, value, nullptr, result, 0, &request), SYNCLINE_ERR_RANK,
                     "syncline_atomic_nb");
        EXPECT_ERROR(syncline_atomic_post(add64, bad, word, value, nullptr), SYNCLINE_ERR_RANK, "syncline_atomic_post");
        EXPECT_ERROR(syncline_fetch_add64(bad, word, 1, result), SYNCLINE_ERR_RANK, "syncline_fetch_add64");
        EXPECT_ERROR(syncline_add64(bad, word, 1), SYNCLINE_ERR_RANK, "syncline_add64");
        EXPECT_ERROR(syncline_fence(bad), SYNCLINE_ERR_RANK, "syncline_fence");
        EXPECT_STATUS(syncline_node_of(bad), SYNCLINE_ERR_RANK);
        EXPECT(error_names("syncline_node_of"));
    }
}

void addresses(int target) {
    for (const syncline_address_t bad : {far_away, no_segment, not_registered, SYNCLINE_ADDRESS_NONE - 15}) {
        EXPECT_ERROR(syncline_put(target, bad, value, 8), SYNCLINE_ERR_ADDRESS, "syncline_put");
        EXPECT_ERROR(syncline_put(target, bad, value, 3), SYNCLINE_ERR_ADDRESS, "syncline_put");
        EXPECT_ERROR(syncline_get(target, bad, result, 8), SYNCLINE_ERR_ADDRESS, "syncline_get");
        EXPECT_ERROR(syncline_atomic(fetch_add64, target, bad, value, nullptr, result), SYNCLINE_ERR_ADDRESS,
                     "syncline_atomic");
        EXPECT_ERROR(syncline_fetch_or32(target, bad, 1, reinterpret_cast<uint32_t*>(result)), SYNCLINE_ERR_ADDRESS,
                     "syncline_fetch_or32");
        // An error that only the target can know comes back with the completion, or the fence.
        int status = syncline_put_nb(target, bad, value, 8, 0, &request);
        EXPECT_STATUS(status == SYNCLINE_OK ? syncline_wait(request) : status, SYNCLINE_ERR_ADDRESS);
        request = 55;
        status = syncline_add64(target, bad, 1);
        EXPECT_STATUS(status == SYNCLINE_OK ? syncline_fence(target) : status, SYNCLINE_ERR_ADDRESS);
        status = syncline_add64(target, bad, 1);
        EXPECT_STATUS(status == SYNCLINE_OK ? syncline_quiet() : status, SYNCLINE_ERR_ADDRESS);
    }
    for (const size_t bytes : {SIZE_MAX, SIZE_MAX - 7, size_t{1} << 63, size_t{1} << 40}) {
        EXPECT_ERROR(syncline_put(target, 64, value, bytes), SYNCLINE_ERR_ADDRESS, "syncline_put");
        EXPECT_ERROR(syncline_get(target, 64, result, bytes), SYNCLINE_ERR_ADDRESS, "syncline_get");
        EXPECT_ERROR(syncline_put_nb(target, 64, value, bytes, 0, &request), SYNCLINE_ERR_ADDRESS, "syncline_put_nb");
        EXPECT_ERROR(syncline_get_nb(target, 64, result, bytes, 0, &request), SYNCLINE_ERR_ADDRESS, "syncline_get_nb");
    }
}

// A failed operation that had a request: the sentence belongs to the wait, not to a call before it.
void failed_requests(int target) {
    const int status = syncline_atomic_nb(fetch_add64, target, not_registered, value, nullptr, result, 0, &request);
    if (status == SYNCLINE_OK) {
        EXPECT_ERROR(syncline_wait(request), SYNCLINE_ERR_ADDRESS, "syncline_wait");
        MUST(syncline_atomic_nb(fetch_add64, target, not_registered, value, nullptr, result, 0, &request));
        forget_error();
        int done = 0;
        int tested = SYNCLINE_OK;
        while (done == 0) {
            tested = syncline_test(request, &done);
        }
        EXPECT_STATUS(tested, SYNCLINE_ERR_ADDRESS);
        EXPECT(error_names("syncline_test"));
    } else {
        EXPECT_STATUS(status, SYNCLINE_ERR_ADDRESS);
    }
    request = 55;
}

void alignments(int target, syncline_address_t words) {
    for (syncline_address_t bad = 1; bad < 8; bad++) {
        EXPECT_ERROR(syncline_fetch_add64(target, words + bad, 1, result), SYNCLINE_ERR_ALIGNMENT,
                     "syncline_fetch_add64");
        EXPECT_ERROR(syncline_add64(target, words + bad, 1), SYNCLINE_ERR_ALIGNMENT, "syncline_add64");
        EXPECT_ERROR(syncline_cas64_nb(target, words + bad, 0, 1, result, 0, &request), SYNCLINE_ERR_ALIGNMENT,
                     "syncline_cas64_nb");
    }
    uint32_t half = 0;
    EXPECT_ERROR(syncline_swap32(target, words + 2, 1, &half), SYNCLINE_ERR_ALIGNMENT, "syncline_swap32");
    syncline_pair_t pair = {};
    EXPECT_ERROR(syncline_swap128(target, words + 8, pair, &pair), SYNCLINE_ERR_ALIGNMENT, "syncline_swap128");
}

void operations(int target, syncline_address_t word) {
    constexpr int fetch = SYNCLINE_FETCH;
    for (const int bad :
         {-1, SYNCLINE_CODE_(30) | SYNCLINE_64, SYNCLINE_CODE_(31) | SYNCLINE_64 | fetch, SYNCLINE_ADD | fetch,
          SYNCLINE_SWAP | 1 << 3 | fetch, SYNCLINE_ADD | SYNCLINE_128 | fetch, SYNCLINE_XOR | SYNCLINE_128,
          SYNCLINE_SWAP | 5 << 3, SYNCLINE_SWAP | 7 << 3, add64 | 0x80, add64 | 1 << 8, add64 | 1 << 22, INT32_MIN}) {
        EXPECT_ERROR(syncline_atomic(bad, target, word, value, value, result), SYNCLINE_ERR_INVALID, "syncline_atomic");
        EXPECT_ERROR(syncline_atomic_nb(bad, target, word, value, value, result, 0, &request), SYNCLINE_ERR_INVALID,
                     "syncline_atomic_nb");
        EXPECT_ERROR(syncline_atomic_post(bad, target, word, value, value), SYNCLINE_ERR_INVALID,
                     "syncline_atomic_post");
    }
    EXPECT_ERROR(syncline_atomic_post(fetch_add64, target, word, value, nullptr), SYNCLINE_ERR_INVALID,
                 "syncline_atomic_post");
    EXPECT_ERROR(syncline_atomic(add64, target, word, nullptr, nullptr, nullptr), SYNCLINE_ERR_INVALID,
                 "syncline_atomic");
    EXPECT_ERROR(syncline_atomic(fetch_add64, target, word, value, nullptr, nullptr), SYNCLINE_ERR_INVALID,
                 "syncline_atomic");
    EXPECT_ERROR(syncline_atomic(SYNCLINE_CAS | SYNCLINE_64 | fetch, target, word, value, nullptr, result),
                 SYNCLINE_ERR_INVALID, "syncline_atomic");
    EXPECT_ERROR(syncline_put(target, word, nullptr, 8), SYNCLINE_ERR_INVALID, "syncline_put");
    EXPECT_ERROR(syncline_get(target, word, nullptr, 8), SYNCLINE_ERR_INVALID, "syncline_get");
    EXPECT_ERROR(syncline_put_nb(target, word, nullptr, 8, 0, &request), SYNCLINE_ERR_INVALID, "syncline_put_nb");
    EXPECT_ERROR(syncline_get_nb(target, word, nullptr, 8, 0, &request), SYNCLINE_ERR_INVALID, "syncline_get_nb");
}

void handles(int target, syncline_address_t word) {
    int done = 5;
    syncline_request_t good = 0;
    MUST(syncline_fetch_add64_nb(target, word, 0, result, 0, &good));
    EXPECT_ERROR(syncline_test(good, nullptr), SYNCLINE_ERR_INVALID, "syncline_test");
    for (const syncline_request_t bad : {uint64_t{0}, good + 1, good ^ uint64_t{1} << 32, UINT64_MAX}) {
        EXPECT_ERROR(syncline_wait(bad), SYNCLINE_ERR_INVALID, "syncline_wait");
        EXPECT_ERROR(syncline_test(bad, &done), SYNCLINE_ERR_INVALID, "syncline_test");
    }
    EXPECT(done == 5);
    MUST(syncline_wait(good));
    EXPECT_ERROR(syncline_wait(good), SYNCLINE_ERR_INVALID, "syncline_wait");
    EXPECT_ERROR(syncline_test(good, &done), SYNCLINE_ERR_INVALID, "syncline_test");
    result[0] = 77;
}

void completion(syncline_address_t words) {
    const auto ignore = [](uint64_t, int, void*) {};
    EXPECT_ERROR(syncline_poll(nullptr, nullptr, 1), SYNCLINE_ERR_INVALID, "syncline_poll");
    EXPECT_ERROR(syncline_poll(ignore, nullptr, -1), SYNCLINE_ERR_INVALID, "syncline_poll");
    const char* const call = "syncline_wait_until64";
    const auto* const word = local(words);
    EXPECT_ERROR(syncline_wait_until64(word, 6, 0, 0), SYNCLINE_ERR_INVALID, call);
    EXPECT_ERROR(syncline_wait_until64(word, -1, 0, 0), SYNCLINE_ERR_INVALID, call);
    const auto* const crooked = reinterpret_cast<const uint64_t*>(reinterpret_cast<const uint8_t*>(word) + 4);
    EXPECT_ERROR(syncline_wait_until64(crooked, SYNCLINE_EQ, 0, 0), SYNCLINE_ERR_INVALID, call);
    EXPECT_ERROR(syncline_wait_until64(value, SYNCLINE_EQ, 3, 0), SYNCLINE_ERR_ADDRESS, call);
    EXPECT_ERROR(syncline_wait_until64(nullptr, SYNCLINE_EQ, 3, 0), SYNCLINE_ERR_INVALID, call);
}

// NULL where a result is needed: also of the calls in line, which make no call of the library to a PE of the own node.
void no_results(int target, syncline_address_t word) {
#define REFUSED(CALL, ...)                                                                                      \
    EXPECT_ERROR(syncline_##CALL##64(target, word, __VA_ARGS__, nullptr), SYNCLINE_ERR_INVALID,                 \
                 "syncline_" #CALL "64");                                                                       \
    EXPECT_ERROR(syncline_##CALL##32(target, word, __VA_ARGS__, nullptr), SYNCLINE_ERR_INVALID,                 \
                 "syncline_" #CALL "32");                                                                       \
    EXPECT_ERROR(syncline_##CALL##64_nb(target, word, __VA_ARGS__, nullptr, 0, &request), SYNCLINE_ERR_INVALID, \
                 "syncline_" #CALL "64_nb");                                                                    \
    EXPECT_ERROR(syncline_##CALL##32_nb(target, word, __VA_ARGS__, nullptr, 0, &request), SYNCLINE_ERR_INVALID, \
                 "syncline_" #CALL "32_nb");
#define NO_RESULT_INSTRUCTION(NAME) REFUSED(fetch_##NAME, 1)
#define NO_RESULT_LOOP(NAME) REFUSED(fetch_##NAME, 1)
#define NO_RESULT_EXCHANGE(NAME) REFUSED(NAME, 1)
#define NO_RESULT_COMPARE(NAME) REFUSED(NAME, 0, 1)
#define NO_RESULT(name, NAME, number, forms, how, sign, next) NO_RESULT_##how(name)
    SYNCLINE_OPERATIONS_(NO_RESULT)
#undef NO_RESULT
#undef NO_RESULT_COMPARE
#undef NO_RESULT_EXCHANGE
#undef NO_RESULT_LOOP
#undef NO_RESULT_INSTRUCTION
#undef REFUSED
    EXPECT_ERROR(syncline_swap128(target, word, {}, nullptr), SYNCLINE_ERR_INVALID, "syncline_swap128");
    EXPECT_ERROR(syncline_cas128(target, word, {}, {}, nullptr), SYNCLINE_ERR_INVALID, "syncline_cas128");
}

// NULL where an object, or the place for one, is needed.
void no_objects() {
    int done = 5;
    uint64_t bits = 0;
    EXPECT_ERROR(syncline_barrier_open(0, nullptr, 0, nullptr, nullptr), SYNCLINE_ERR_INVALID, "syncline_barrier_open");
    EXPECT_ERROR(syncline_barrier_start(nullptr), SYNCLINE_ERR_INVALID, "syncline_barrier_start");
    EXPECT_ERROR(syncline_barrier_test(nullptr, &done), SYNCLINE_ERR_INVALID, "syncline_barrier_test");
    EXPECT_ERROR(syncline_barrier_wait(nullptr), SYNCLINE_ERR_INVALID, "syncline_barrier_wait");
    EXPECT_ERROR(syncline_barrier_close(nullptr), SYNCLINE_ERR_INVALID, "syncline_barrier_close");
    EXPECT_ERROR(syncline_fence_barrier(nullptr, 0), SYNCLINE_ERR_INVALID, "syncline_fence_barrier");
    EXPECT_ERROR(syncline_reduce_start(nullptr, SYNCLINE_SUM, &bits), SYNCLINE_ERR_INVALID, "syncline_reduce_start");
    EXPECT_ERROR(syncline_reduce_result(nullptr, &bits), SYNCLINE_ERR_INVALID, "syncline_reduce_result");
    EXPECT_ERROR(syncline_reduce(nullptr, SYNCLINE_SUM, &bits, &bits), SYNCLINE_ERR_INVALID, "syncline_reduce");
    EXPECT_ERROR(syncline_broadcast64(nullptr, 0, &bits), SYNCLINE_ERR_INVALID, "syncline_broadcast64");
    EXPECT_ERROR(syncline_lock_create(SYNCLINE_LOCK_MCS, 0, nullptr), SYNCLINE_ERR_INVALID, "syncline_lock_create");
    EXPECT_ERROR(syncline_rwlock_create(0, nullptr), SYNCLINE_ERR_INVALID, "syncline_rwlock_create");
    EXPECT_ERROR(syncline_semaphore_create(1, 0, nullptr), SYNCLINE_ERR_INVALID, "syncline_semaphore_create");
    syncline_lock_counts_t counts;
    EXPECT_ERROR(syncline_lock_get_counts(nullptr, &counts), SYNCLINE_ERR_INVALID, "syncline_lock_get_counts");
    for (const auto call :
         {syncline_lock_destroy, syncline_lock_acquire, syncline_lock_try_acquire, syncline_lock_release}) {
        EXPECT_ERROR(call(nullptr), SYNCLINE_ERR_INVALID, "syncline_lock");
    }
    for (const auto call :
         {syncline_rwlock_destroy, syncline_rwlock_read_acquire, syncline_rwlock_read_try_acquire,
          syncline_rwlock_write_acquire, syncline_rwlock_write_try_acquire, syncline_rwlock_release}) {
        EXPECT_ERROR(call(nullptr), SYNCLINE_ERR_INVALID, "syncline_rwlock");
    }
    for (const auto call : {syncline_semaphore_destroy, syncline_semaphore_acquire, syncline_semaphore_try_acquire}) {
        EXPECT_ERROR(call(nullptr), SYNCLINE_ERR_INVALID, "syncline_semaphore");
    }
    EXPECT_ERROR(syncline_lock_acquire_timed(nullptr, 0), SYNCLINE_ERR_INVALID, "syncline_lock_acquire_timed");
    EXPECT_ERROR(syncline_rwlock_read_acquire_timed(nullptr, 0), SYNCLINE_ERR_INVALID,
                 "syncline_rwlock_read_acquire_timed");
    EXPECT_ERROR(syncline_rwlock_write_acquire_timed(nullptr, 0), SYNCLINE_ERR_INVALID,
                 "syncline_rwlock_write_acquire_timed");
    EXPECT_ERROR(syncline_semaphore_acquire_timed(nullptr, 0), SYNCLINE_ERR_INVALID,
                 "syncline_semaphore_acquire_timed");
    EXPECT_ERROR(syncline_semaphore_release(nullptr, 1), SYNCLINE_ERR_INVALID, "syncline_semaphore_release");
    EXPECT(done == 5 && bits == 0 && syncline_address(nullptr) == SYNCLINE_ADDRESS_NONE);
}

void memory(syncline_address_t words) {
    syncline_address_t out = 66;
    EXPECT_ERROR(syncline_alloc(0, 0, &out), SYNCLINE_ERR_INVALID, "syncline_alloc");
    EXPECT_ERROR(syncline_alloc(8, 3, &out), SYNCLINE_ERR_INVALID, "syncline_alloc");
    EXPECT_ERROR(syncline_alloc(8, size_t{1} << 63, &out), SYNCLINE_ERR_INVALID, "syncline_alloc");
    EXPECT_ERROR(syncline_alloc(8, 0, nullptr), SYNCLINE_ERR_INVALID, "syncline_alloc");
    for (size_t less = 0; less < 200; less++) {
        EXPECT_ERROR(syncline_alloc(SIZE_MAX - less, 0, &out), SYNCLINE_ERR_NO_MEMORY, "syncline_alloc");
        EXPECT_ERROR(syncline_alloc(SIZE_MAX / 2 - less, 4096, &out), SYNCLINE_ERR_NO_MEMORY, "syncline_alloc");
    }
    auto* const page = static_cast<uint8_t*>(std::aligned_alloc(4096, 8192));
    EXPECT_ERROR(syncline_register(nullptr, 4096, &out), SYNCLINE_ERR_INVALID, "syncline_register");
    EXPECT_ERROR(syncline_register(page + 8, 4096, &out), SYNCLINE_ERR_INVALID, "syncline_register");
    EXPECT_ERROR(syncline_register(page, 4095, &out), SYNCLINE_ERR_INVALID, "syncline_register");
    EXPECT_ERROR(syncline_register(page, 0, &out), SYNCLINE_ERR_INVALID, "syncline_register");
    EXPECT_ERROR(syncline_register(page, size_t{1} << 62, &out), SYNCLINE_ERR_INVALID, "syncline_register");
    EXPECT_ERROR(syncline_register(page, SIZE_MAX - 4095, &out), SYNCLINE_ERR_INVALID, "syncline_register");
    EXPECT_ERROR(syncline_register(reinterpret_cast<void*>(-4096), 8192, &out), SYNCLINE_ERR_INVALID,
                 "syncline_register");
    EXPECT_ERROR(syncline_register(page, 4096, nullptr), SYNCLINE_ERR_INVALID, "syncline_register");
    EXPECT_ERROR(syncline_deregister(words), SYNCLINE_ERR_ADDRESS, "syncline_deregister");
    EXPECT(out == 66);
    std::free(page);
}

}  // namespace

void run_arguments() {
    const syncline_address_t words = allocate(64);
    ranks(words);
    for (const int target : {rank(), (rank() + 1) % size(), (rank() + size() / 2) % size()}) {
        addresses(target);
        failed_requests(target);
        alignments(target, words);
        operations(target, words);
        handles(target, words);
        no_results(target, words);
    }
    completion(words);
    no_objects();
    memory(words);
    EXPECT(result[0] == 77 && result[1] == 78 && request == 55);
    MUST(syncline_barrier());
    for (int i = 0; i < 8; i++) {
        EXPECT(local(words)[i] == 0);  // nothing of all that did anything
    }
    MUST(syncline_barrier());
    uint64_t old = 0;
    MUST(syncline_fetch_add64((rank() + 1) % size(), words, 1, &old));
    MUST(syncline_barrier());
    EXPECT(*local(words) == 1);
}

}  // namespace contract
