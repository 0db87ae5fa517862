// SPDX-License-Identifier: BSD-3-Clause
// Atomic memory operations (1.5, section 9.7). On memory that is mapped here they are the CPU's instructions. On other
// memory they go by packets; those without a result gather in packets until the context is quiet or the PE waits.
#include <bit>
#include <cstring>
#include <type_traits>

#include "api/shmem/define.h"
#include "base/apply.h"
#include "base/direct_copy.h"
#include "shmemx.h"

namespace syncline::shmem {
namespace {

template <typename T>
constexpr int width_of = sizeof(T) == 8 ? SYNCLINE_64 : SYNCLINE_32;

template <typename T>
WordFor<T> to_word(T value) {
    return std::bit_cast<WordFor<T>>(value);
}

template <typename T>
[[gnu::always_inline]] inline Target atomic_target(const Context& context, const T* object, int pe) {
    const Target target = resolve(context, object, sizeof(T), pe);
    if (__builtin_expect(reinterpret_cast<uintptr_t>(object) % sizeof(T) != 0, 0)) {
        die_of_alignment(object, sizeof(T), target.pe);
    }
    return target;
}

enum class How { kBlocking, kNonBlocking, kPosted };

// On memory that is not mapped here.
template <int Operation, How Way, typename T>
[[gnu::noinline]] void atomic_elsewhere(const Context& context, const Target& target, T value, T comparand, T* result) {
    AtomicCall call = {.operation = Operation | width_of<T> | (Way != How::kPosted ? +SYNCLINE_FETCH : 0),
                       .rank = target.pe,
                       .target = target.address};
    call.operand[0] = to_word(value);
    call.comparand[0] = to_word(comparand);
    call.result = result;
    if constexpr (Way == How::kBlocking) {
        check(library->endpoint.atomics().execute(call));
    } else if constexpr (Way == How::kNonBlocking) {
        check(library->endpoint.batches().atomic(context.batch, call));
    } else {
        post(context, call);
    }
}

// `result` is NULL for a posted atomic.
template <int Operation, How Way, typename T>
[[gnu::always_inline]] inline void atomic(const Context& context, T* dest, T value, T comparand, int pe, T* result) {
    using Word = WordFor<T>;
    if constexpr (Way == How::kNonBlocking) {
        must_be_given(result, "fetch");
    }
    const Target target = atomic_target(context, dest, pe);
    if (__builtin_expect(target.direct == nullptr, 0)) {
        return atomic_elsewhere<Operation, Way, T>(context, target, value, comparand, result);
    }
    const Word old = apply(Operation, reinterpret_cast<Word*>(target.direct), to_word(value), to_word(comparand));
    if constexpr (Way != How::kPosted) {
        *result = std::bit_cast<T>(old);
    }
    written(target.pe);
}

// A get of an aligned word is atomic, and leaves no record at the target.
template <How Way, typename T>
void fetch(const Context& context, const T* source, int pe, T* result) {
    using Word = WordFor<T>;
    must_be_given(result, "fetch");
    const Target target = atomic_target(context, source, pe);
    if (target.direct != nullptr) {
        *result = std::bit_cast<T>(__atomic_load_n(reinterpret_cast<Word*>(target.direct), __ATOMIC_SEQ_CST));
    } else if constexpr (Way == How::kBlocking) {
        check(library->endpoint.bulk().get(target.pe, target.address, result, sizeof(T)));
    } else {
        check(library->endpoint.batches().get(context.batch, target.pe, target.address, result, sizeof(T)));
    }
}

}  // namespace
}  // namespace syncline::shmem

using namespace syncline::shmem;

extern "C" {

// The deprecated names call the present ones.
#define DEPRECATED(RESULT, OLD, PARAMETERS, CALL) \
    RESULT pshmem_##OLD PARAMETERS {              \
        return CALL;                              \
    }

#define FETCHING(TYPE, OPERATION, VALUE, COMPARAND)                                     \
    TYPE old;                                                                           \
    atomic<OPERATION, How::kBlocking, TYPE>(context, dest, VALUE, COMPARAND, pe, &old); \
    return old;

// DEFINE_EXTENDED defines shmem_{,ctx_}TYPENAME_atomic_fetch and so on. For int and without a context, these are:
//   shmem_int_atomic_fetch shmem_int_atomic_fetch_nbi shmem_int_atomic_set shmem_int_atomic_swap
//   shmem_int_atomic_swap_nbi shmem_int_fetch shmem_int_set shmem_int_swap
#define DEFINE_EXTENDED(F, NAME, TYPE)                                                                              \
    DEFINE(TYPE, NAME##_atomic_fetch, (const TYPE* source, int pe), TYPE old;                                       \
           fetch<How::kBlocking>(context, source, pe, &old); return old;)                                           \
    DEFINE(void, NAME##_atomic_fetch_nbi, (TYPE * result, const TYPE* source, int pe),                              \
           fetch<How::kNonBlocking>(context, source, pe, result);)                                                  \
    DEFINE(void, NAME##_atomic_set, (TYPE * dest, TYPE value, int pe),                                              \
           atomic<SYNCLINE_SWAP, How::kPosted, TYPE>(context, dest, value, static_cast<TYPE>(0), pe, nullptr);)     \
    DEFINE(TYPE, NAME##_atomic_swap, (TYPE * dest, TYPE value, int pe),                                             \
           FETCHING(TYPE, SYNCLINE_SWAP, value, static_cast<TYPE>(0)))                                              \
    DEFINE(void, NAME##_atomic_swap_nbi, (TYPE * result, TYPE * dest, TYPE value, int pe),                          \
           atomic<SYNCLINE_SWAP, How::kNonBlocking, TYPE>(context, dest, value, static_cast<TYPE>(0), pe, result);) \
    DEPRECATED(TYPE, NAME##_fetch, (const TYPE* source, int pe), pshmem_##NAME##_atomic_fetch(source, pe))          \
    DEPRECATED(void, NAME##_set, (TYPE * dest, TYPE value, int pe), pshmem_##NAME##_atomic_set(dest, value, pe))    \
    DEPRECATED(TYPE, NAME##_swap, (TYPE * dest, TYPE value, int pe), pshmem_##NAME##_atomic_swap(dest, value, pe))
SHMEM_EXTENDED_ATOMIC_TYPES_(DEFINE_EXTENDED, )

#define DEFINE_UPDATE_BY(DEFINER, NAME, TYPE, VERB, OPERATION)                                               \
    DEFINER(void, NAME##_atomic_##VERB, (TYPE * dest, TYPE value, int pe),                                   \
            atomic<OPERATION, How::kPosted, TYPE>(context, dest, value, static_cast<TYPE>(0), pe, nullptr);) \
    DEFINER(TYPE, NAME##_atomic_fetch_##VERB, (TYPE * dest, TYPE value, int pe),                             \
            FETCHING(TYPE, OPERATION, value, static_cast<TYPE>(0)))                                          \
    DEFINER(void, NAME##_atomic_fetch_##VERB##_nbi, (TYPE * result, TYPE * dest, TYPE value, int pe),        \
            atomic<OPERATION, How::kNonBlocking, TYPE>(context, dest, value, static_cast<TYPE>(0), pe, result);)
#define DEFINE_UPDATE(NAME, TYPE, VERB, OPERATION) DEFINE_UPDATE_BY(DEFINE, NAME, TYPE, VERB, OPERATION)

// DEFINE_STANDARD defines shmem_{,ctx_}TYPENAME_atomic_add and so on. For int and without a context, these are:
//   shmem_int_atomic_compare_swap shmem_int_atomic_compare_swap_nbi shmem_int_atomic_inc shmem_int_atomic_fetch_inc
//   shmem_int_atomic_fetch_inc_nbi shmem_int_atomic_add shmem_int_atomic_fetch_add shmem_int_atomic_fetch_add_nbi
//   shmem_int_atomic_and shmem_int_atomic_fetch_and shmem_int_atomic_fetch_and_nbi shmem_int_atomic_or
//   shmem_int_atomic_fetch_or shmem_int_atomic_fetch_or_nbi shmem_int_atomic_xor shmem_int_atomic_fetch_xor
//   shmem_int_atomic_fetch_xor_nbi shmem_int_cswap shmem_int_finc shmem_int_inc shmem_int_fadd shmem_int_add
#define DEFINE_STANDARD(F, NAME, TYPE)                                                                              \
    DEFINE(TYPE, NAME##_atomic_compare_swap, (TYPE * dest, TYPE cond, TYPE value, int pe),                          \
           FETCHING(TYPE, SYNCLINE_CAS, value, cond))                                                               \
    DEFINE(void, NAME##_atomic_compare_swap_nbi, (TYPE * result, TYPE * dest, TYPE cond, TYPE value, int pe),       \
           atomic<SYNCLINE_CAS, How::kNonBlocking, TYPE>(context, dest, value, cond, pe, result);)                  \
    DEFINE(void, NAME##_atomic_inc, (TYPE * dest, int pe),                                                          \
           atomic<SYNCLINE_ADD, How::kPosted, TYPE>(context, dest, static_cast<TYPE>(1), static_cast<TYPE>(0), pe,  \
                                                    nullptr);)                                                      \
    DEFINE(TYPE, NAME##_atomic_fetch_inc, (TYPE * dest, int pe),                                                    \
           FETCHING(TYPE, SYNCLINE_ADD, static_cast<TYPE>(1), static_cast<TYPE>(0)))                                \
    DEFINE(void, NAME##_atomic_fetch_inc_nbi, (TYPE * result, TYPE * dest, int pe),                                 \
           atomic<SYNCLINE_ADD, How::kNonBlocking, TYPE>(context, dest, static_cast<TYPE>(1), static_cast<TYPE>(0), \
                                                         pe, result);)                                              \
    DEFINE_UPDATE(NAME, TYPE, add, SYNCLINE_ADD)                                                                    \
    DEFINE_UPDATE(NAME, TYPE, and, SYNCLINE_AND)                                                                    \
    DEFINE_UPDATE(NAME, TYPE, or, SYNCLINE_OR)                                                                      \
    DEFINE_UPDATE(NAME, TYPE, xor, SYNCLINE_XOR)                                                                    \
    DEPRECATED(TYPE, NAME##_cswap, (TYPE * dest, TYPE cond, TYPE value, int pe),                                    \
               pshmem_##NAME##_atomic_compare_swap(dest, cond, value, pe))                                          \
    DEPRECATED(TYPE, NAME##_finc, (TYPE * dest, int pe), pshmem_##NAME##_atomic_fetch_inc(dest, pe))                \
    DEPRECATED(void, NAME##_inc, (TYPE * dest, int pe), pshmem_##NAME##_atomic_inc(dest, pe))                       \
    DEPRECATED(TYPE, NAME##_fadd, (TYPE * dest, TYPE value, int pe),                                                \
               pshmem_##NAME##_atomic_fetch_add(dest, value, pe))                                                   \
    DEPRECATED(void, NAME##_add, (TYPE * dest, TYPE value, int pe), pshmem_##NAME##_atomic_add(dest, value, pe))
SHMEM_ATOMIC_TYPES_(DEFINE_STANDARD, )

#define BY_SIGN(TYPE, OPERATION) (std::is_signed_v<TYPE> ? +SYNCLINE_S##OPERATION : +SYNCLINE_U##OPERATION)
// DEFINE_EXTENSIONS defines shmemx_{,ctx_}TYPENAME_atomic_min and so on. For int and without a context, these are:
//   shmemx_int_atomic_min shmemx_int_atomic_fetch_min shmemx_int_atomic_fetch_min_nbi shmemx_int_atomic_max
//   shmemx_int_atomic_fetch_max shmemx_int_atomic_fetch_max_nbi
#define DEFINE_EXTENSIONS(F, NAME, TYPE)                                      \
    DEFINE_UPDATE_BY(DEFINE_EXTENSION, NAME, TYPE, min, (BY_SIGN(TYPE, MIN))) \
    DEFINE_UPDATE_BY(DEFINE_EXTENSION, NAME, TYPE, max, (BY_SIGN(TYPE, MAX)))
SHMEM_ATOMIC_TYPES_(DEFINE_EXTENSIONS, )

DEFINE_NAMES(SHMEM_ATOMICS_)

}  // extern "C"
