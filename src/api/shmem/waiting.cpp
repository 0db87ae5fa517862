// SPDX-License-Identifier: BSD-3-Clause
// Point-to-point synchronisation (1.5, section 9.10) and ordering (9.11).
#include "api/shmem/define.h"
#include "api/shmem/library.h"
#include "base/spin_lock.h"

namespace syncline::shmem {
namespace {

template <typename T>
bool holds(const T* ivar, int cmp, T value) {
    const T now = __atomic_load_n(ivar, __ATOMIC_ACQUIRE);
    switch (cmp) {
        case SHMEM_CMP_EQ:
            return now == value;
        case SHMEM_CMP_NE:
            return now != value;
        case SHMEM_CMP_GT:
            return now > value;
        case SHMEM_CMP_GE:
            return now >= value;
        case SHMEM_CMP_LT:
            return now < value;
        case SHMEM_CMP_LE:
            return now <= value;
        default:
            die(fmt::format("{} is no comparison; it may be SHMEM_CMP_EQ, NE, GT, GE, LT or LE", cmp));
    }
}

// Waits until done(), which looks at words that others write; `first` is the first of them. In block mode a PE that
// writes such a word wakes this PE.
template <typename Done>
void wait_until(const void* first, Done&& done) {
    wait_for(first_looks, -1, {.what = WaitFor::kWord, .number = reinterpret_cast<uintptr_t>(first)}, done);
}

// Checks the words that a wait or test looks at.
void begin(const void* words, size_t bytes) {
    if (about_to_wait().world.memory().find(words, bytes) == nullptr && bytes != 0) {
        die_of_address(words, bytes, library->me);
    }
}

// A vector of words of which some are looked at: those whose status is 0, or all.
template <typename T>
struct Words {
    const T* ivars;
    size_t nelems;
    const int* status;
    int cmp;
    const T* values;
    bool vector;  // whether there is a value for each word, not one for all

    bool counts(size_t i) const { return status == nullptr || status[i] == 0; }
    bool met(size_t i) const { return holds(&ivars[i], cmp, values[vector ? i : 0]); }
    bool empty() const {
        for (size_t i = 0; i < nelems; i++) {
            if (counts(i)) {
                return false;
            }
        }
        return true;
    }
    bool all() const {
        for (size_t i = 0; i < nelems; i++) {
            if (counts(i) && !met(i)) {
                return false;
            }
        }
        return true;
    }
    // Begins behind the word found last, so that none is overlooked for ever.
    size_t any() const {
        static thread_local size_t last = 0;
        for (size_t turn = 1; turn <= nelems; turn++) {
            const size_t i = (last + turn) % nelems;
            if (counts(i) && met(i)) {
                last = i;
                return i;
            }
        }
        return SIZE_MAX;
    }
    size_t some(size_t* indices) const {
        size_t count = 0;
        for (size_t i = 0; i < nelems; i++) {
            if (counts(i) && met(i)) {
                indices[count++] = i;
            }
        }
        return count;
    }

    void check_words() const {
        begin(ivars, bytes_of(nelems, sizeof(T)));
        if (nelems != 0) {
            must_be_given(values, "cmp_values");
        }
    }
    void wait_all() const {
        check_words();
        wait_until(ivars, [&] { return all(); });
    }
    size_t wait_any() const {
        check_words();
        size_t found = SIZE_MAX;
        if (!empty()) {
            wait_until(ivars, [&] { return (found = any()) != SIZE_MAX; });
        }
        return found;
    }
    size_t wait_some(size_t* indices) const {
        check_words();
        if (nelems != 0) {
            must_be_given(indices, "indices");
        }
        size_t count = 0;
        if (!empty()) {
            wait_until(ivars, [&] { return (count = some(indices)) != 0; });
        }
        return count;
    }
    int test_all() const {
        check_words();
        const bool met_all = all();
        if (!met_all) {
            looked_in_vain();
        }
        return met_all;
    }
    size_t test_any() const {
        check_words();
        const size_t found = any();
        if (found == SIZE_MAX) {
            looked_in_vain();
        }
        return found;
    }
    size_t test_some(size_t* indices) const {
        check_words();
        if (nelems != 0) {
            must_be_given(indices, "indices");
        }
        const size_t count = some(indices);
        if (count == 0) {
            looked_in_vain();
        }
        return count;
    }
};

// One word, of a size that can be loaded at once.
template <typename T>
void wait_for_word(const T* ivar, int cmp, T value) {
    begin(ivar, sizeof(T));
    wait_until(ivar, [&] { return holds(ivar, cmp, value); });
}

}  // namespace
}  // namespace syncline::shmem

using namespace syncline::shmem;

extern "C" {

#define WORDS(TYPE, VERB, NAME, VALUES, VECTOR) \
    (begin_call("shmem_" #NAME "_" #VERB), Words<TYPE>{ivars, nelems, status, cmp, VALUES, VECTOR})

// DEFINE_WAIT defines shmem_TYPENAME_wait_until and so on. For int, these are:
//   shmem_int_wait_until shmem_int_wait shmem_int_test shmem_int_wait_until_all shmem_int_wait_until_any
//   shmem_int_wait_until_some shmem_int_wait_until_all_vector shmem_int_wait_until_any_vector
//   shmem_int_wait_until_some_vector shmem_int_test_all shmem_int_test_any shmem_int_test_some
//   shmem_int_test_all_vector shmem_int_test_any_vector shmem_int_test_some_vector
#define DEFINE_WAIT(F, NAME, TYPE)                                                                                   \
    void pshmem_##NAME##_wait_until(TYPE* ivar, int cmp, TYPE cmp_value) {                                           \
        begin_call("shmem_" #NAME "_wait_until");                                                                    \
        wait_for_word(ivar, cmp, cmp_value);                                                                         \
    }                                                                                                                \
    void pshmem_##NAME##_wait(TYPE* ivar, TYPE cmp_value) {                                                          \
        begin_call("shmem_" #NAME "_wait");                                                                          \
        wait_for_word(ivar, SHMEM_CMP_NE, cmp_value);                                                                \
    }                                                                                                                \
    int pshmem_##NAME##_test(TYPE* ivar, int cmp, TYPE cmp_value) {                                                  \
        begin_call("shmem_" #NAME "_test");                                                                          \
        return Words<TYPE>{ivar, 1, nullptr, cmp, &cmp_value, false}.test_all();                                     \
    }                                                                                                                \
    void pshmem_##NAME##_wait_until_all(TYPE* ivars, size_t nelems, const int* status, int cmp, TYPE cmp_value) {    \
        WORDS(TYPE, wait_until_all, NAME, &cmp_value, false).wait_all();                                             \
    }                                                                                                                \
    size_t pshmem_##NAME##_wait_until_any(TYPE* ivars, size_t nelems, const int* status, int cmp, TYPE cmp_value) {  \
        return WORDS(TYPE, wait_until_any, NAME, &cmp_value, false).wait_any();                                      \
    }                                                                                                                \
    size_t pshmem_##NAME##_wait_until_some(TYPE* ivars, size_t nelems, size_t* indices, const int* status, int cmp,  \
                                           TYPE cmp_value) {                                                         \
        return WORDS(TYPE, wait_until_some, NAME, &cmp_value, false).wait_some(indices);                             \
    }                                                                                                                \
    void pshmem_##NAME##_wait_until_all_vector(TYPE* ivars, size_t nelems, const int* status, int cmp,               \
                                               const TYPE* cmp_values) {                                             \
        WORDS(TYPE, wait_until_all_vector, NAME, cmp_values, true).wait_all();                                       \
    }                                                                                                                \
    size_t pshmem_##NAME##_wait_until_any_vector(TYPE* ivars, size_t nelems, const int* status, int cmp,             \
                                                 const TYPE* cmp_values) {                                           \
        return WORDS(TYPE, wait_until_any_vector, NAME, cmp_values, true).wait_any();                                \
    }                                                                                                                \
    size_t pshmem_##NAME##_wait_until_some_vector(TYPE* ivars, size_t nelems, size_t* indices, const int* status,    \
                                                  int cmp, const TYPE* cmp_values) {                                 \
        return WORDS(TYPE, wait_until_some_vector, NAME, cmp_values, true).wait_some(indices);                       \
    }                                                                                                                \
    int pshmem_##NAME##_test_all(TYPE* ivars, size_t nelems, const int* status, int cmp, TYPE cmp_value) {           \
        return WORDS(TYPE, test_all, NAME, &cmp_value, false).test_all();                                            \
    }                                                                                                                \
    size_t pshmem_##NAME##_test_any(TYPE* ivars, size_t nelems, const int* status, int cmp, TYPE cmp_value) {        \
        return WORDS(TYPE, test_any, NAME, &cmp_value, false).test_any();                                            \
    }                                                                                                                \
    size_t pshmem_##NAME##_test_some(TYPE* ivars, size_t nelems, size_t* indices, const int* status, int cmp,        \
                                     TYPE cmp_value) {                                                               \
        return WORDS(TYPE, test_some, NAME, &cmp_value, false).test_some(indices);                                   \
    }                                                                                                                \
    int pshmem_##NAME##_test_all_vector(TYPE* ivars, size_t nelems, const int* status, int cmp,                      \
                                        const TYPE* cmp_values) {                                                    \
        return WORDS(TYPE, test_all_vector, NAME, cmp_values, true).test_all();                                      \
    }                                                                                                                \
    size_t pshmem_##NAME##_test_any_vector(TYPE* ivars, size_t nelems, const int* status, int cmp,                   \
                                           const TYPE* cmp_values) {                                                 \
        return WORDS(TYPE, test_any_vector, NAME, cmp_values, true).test_any();                                      \
    }                                                                                                                \
    size_t pshmem_##NAME##_test_some_vector(TYPE* ivars, size_t nelems, size_t* indices, const int* status, int cmp, \
                                            const TYPE* cmp_values) {                                                \
        return WORDS(TYPE, test_some_vector, NAME, cmp_values, true).test_some(indices);                             \
    }
SHMEM_WAIT_TYPES_(DEFINE_WAIT, )

uint64_t pshmem_signal_wait_until(uint64_t* sig_addr, int cmp, uint64_t cmp_value) {
    begin_call("shmem_signal_wait_until");
    begin(sig_addr, sizeof(*sig_addr));
    uint64_t seen = 0;
    wait_until(sig_addr, [&] {
        seen = __atomic_load_n(sig_addr, __ATOMIC_ACQUIRE);
        return holds(&seen, cmp, cmp_value);
    });
    return seen;
}

// A fence completes: operations that are under way in several slots at once have no order. If none is under way, it
// does not wait.
void pshmem_ctx_fence(shmem_ctx_t ctx) {
    begin_call("shmem_ctx_fence");
    if (ctx != SHMEM_CTX_INVALID) {
        quiet(context_of(ctx));
    }
}

void pshmem_fence(void) {
    begin_call("shmem_fence");
    quiet(initialized().context);
}

void pshmem_ctx_quiet(shmem_ctx_t ctx) {
    begin_call("shmem_ctx_quiet");
    if (ctx != SHMEM_CTX_INVALID) {
        quiet(context_of(ctx));
    }
}

void pshmem_quiet(void) {
    begin_call("shmem_quiet");
    quiet(initialized().context);
}

void pshmem_ctx_pe_quiet(shmem_ctx_t ctx, const int* target_pes, size_t npes) {
    begin_call("shmem_ctx_pe_quiet");
    if (ctx == SHMEM_CTX_INVALID) {
        return;
    }
    const Context& context = context_of(ctx);
    about_to_wait();
    if (npes == 0) {
        return;
    }
    must_be_given(target_pes, "target_pes");
    for (size_t i = 0; i < npes; i++) {
        (void)world_pe(context, target_pes[i]);
    }
    quiet(context);
}

void pshmem_pe_quiet(const int* target_pes, size_t npes) {
    pshmem_ctx_pe_quiet(SHMEM_CTX_DEFAULT, target_pes, npes);
}

DEFINE_NAMES(SHMEM_ORDER_)

}  // extern "C"
