// SPDX-License-Identifier: BSD-3-Clause
// Collective calls over teams and, deprecated, over active sets (1.5, section 9.9).
#include "api/shmem/checks.h"
#include "api/shmem/collectives.h"
#include "api/shmem/define.h"
#include "api/shmem/team.h"

namespace syncline::shmem {
namespace {

// x, combined with y. Integers are combined in their unsigned form, so that sums and products are modulo 2^n.
struct Sum {
    template <typename T>
    static T of(T x, T y) {
        return static_cast<T>(x + y);
    }
};
struct Product {
    template <typename T>
    static T of(T x, T y) {
        return static_cast<T>(x * y);
    }
};
struct Minimum {
    template <typename T>
    static T of(T x, T y) {
        return y < x ? y : x;
    }
};
struct Maximum {
    template <typename T>
    static T of(T x, T y) {
        return y > x ? y : x;
    }
};
struct And {
    template <typename T>
    static T of(T x, T y) {
        return static_cast<T>(x & y);
    }
};
struct Or {
    template <typename T>
    static T of(T x, T y) {
        return static_cast<T>(x | y);
    }
};
struct Xor {
    template <typename T>
    static T of(T x, T y) {
        return static_cast<T>(x ^ y);
    }
};

template <typename T>
auto modular() {
    if constexpr (std::is_integral_v<T>) {
        // A product of two shorts would overflow the int in which it is computed.
        return std::conditional_t<sizeof(T) <= 4, uint32_t, uint64_t>{};
    } else {
        return T{};
    }
}

template <typename T, typename Operation>
void combine(void* into, const void* from, size_t count) {
    auto* const x = static_cast<T*>(into);
    const auto* const y = static_cast<const T*>(from);
    for (size_t i = 0; i < count; i++) {
        if constexpr (std::is_same_v<Operation, Sum> || std::is_same_v<Operation, Product>) {
            using M = decltype(modular<T>());
            x[i] = static_cast<T>(Operation::of(static_cast<M>(x[i]), static_cast<M>(y[i])));
        } else {
            x[i] = Operation::of(x[i], y[i]);
        }
    }
}

template <typename T, typename Operation>
constexpr Reduction nic_operation() {
    if (!std::is_arithmetic_v<T> || sizeof(T) > sizeof(uint64_t)) {
        return Reduction::kNone;
    }
    const Reduction sum = std::is_integral_v<T>        ? Reduction::kSum
                          : sizeof(T) == sizeof(float) ? Reduction::kSumFloat
                                                       : Reduction::kSumDouble;
    return std::is_same_v<Operation, Sum>       ? sum
           : std::is_same_v<Operation, Minimum> ? Reduction::kMin
           : std::is_same_v<Operation, Maximum> ? Reduction::kMax
           : std::is_same_v<Operation, And>     ? Reduction::kAnd
           : std::is_same_v<Operation, Or>      ? Reduction::kOr
           : std::is_same_v<Operation, Xor>     ? Reduction::kXor
                                                : Reduction::kNone;
}

// Reduces one number, which travels with the NICs' barrier.
template <typename T, typename Operation>
bool reduce_one(Group& group, T* dest, const T* source) {
    constexpr Reduction how = nic_operation<T, Operation>();
    if constexpr (how != Reduction::kNone) {
        uint64_t result = 0;
        if (reduce_in_barrier(group, how, value_of(how, *source), &result)) {
            *dest = number_of<T>(how, result);
            return true;
        }
    }
    return false;
}

// Called at the beginning of a team's collective. `count` and `other` are the same at all members.
Group& called(shmem_team_t handle, const void* dest, size_t count, int other = 0) {
    about_to_wait();
    Group& group = valid_team(handle).group();
    if (__builtin_expect(library->debug, 0)) {
        agree(group, {symmetric_place(dest), count, static_cast<uint64_t>(other)});
    }
    return group;
}

// Returns the length of `count` elements of each member. All members' elements together are no longer than an object
// can be, so that no offset into them wraps, and no share of the work does.
size_t bytes_each(const Group& group, const void* dest, const void* source, size_t count, size_t element) {
    if (__builtin_expect(!is_object(times(count, element), static_cast<uint64_t>(group.size())), 0)) {
        die_of_count(count, element);
    }
    if (count != 0) {
        must_be_given(dest, "dest");
        must_be_given(source, "source");
    }
    return count * element;
}

// As bytes_each(), for a broadcast, which reads the root's source only.
size_t bytes_from(const Group& group, const void* dest, const void* source, size_t count, size_t element, int root) {
    return bytes_each(group, dest, group.me() == root ? source : dest, count, element);
}

// An exchange of elements whose distances are given.
void exchange(Group& group, void* dest, const void* source, ptrdiff_t dst, ptrdiff_t sst, size_t nelems,
              size_t element) {
    for (const ptrdiff_t stride : {dst, sst}) {
        if (nelems != 0 && stride < 1) {
            die(fmt::format("elements that are {} apart overlap: dst and sst must be 1 or more", stride));
        }
        (void)bytes_each(group, dest, source, times(nelems, static_cast<uint64_t>(stride)), element);
    }
    alltoalls(group, dest, source, dst, sst, nelems, element);
}

// A barrier of a team, without a quiet.
void sync(shmem_team_t handle) {
    check(called(handle, nullptr, 0).sync());
}

template <typename T, typename Operation>
int team_reduce(shmem_team_t handle, T* dest, const T* source, size_t count) {
    Group& group = called(handle, dest, count);
    (void)bytes_each(group, dest, source, count, sizeof(T));
    if (count != 1 || !group.has_numbered_barrier() || !reduce_one<T, Operation>(group, dest, source)) {
        reduce(group, dest, source, count, sizeof(T), combine<T, Operation>);
    }
    return 0;
}

template <typename T>
int team_scan(shmem_team_t handle, T* dest, const T* source, size_t count, bool inclusive) {
    Group& group = called(handle, dest, count);
    const size_t bytes = bytes_each(group, dest, source, count, sizeof(T));
    if (bytes != 0 && library->world.memory().find(source, bytes) == nullptr) {
        die_of_address(source, bytes, library->me);  // before memory for a copy of it is allocated
    }
    scan(group, dest, source, count, sizeof(T), combine<T, Sum>, inclusive);
    return 0;
}

}  // namespace
}  // namespace syncline::shmem

using namespace syncline::shmem;

extern "C" {

void pshmem_barrier_all(void) {
    begin_call("shmem_barrier_all");
    quiet(initialized().context);
    sync(SHMEM_TEAM_WORLD);
}

void pshmem_sync_all(void) {
    begin_call("shmem_sync_all");
    sync(SHMEM_TEAM_WORLD);
}

int pshmem_team_sync(shmem_team_t handle) {
    begin_call("shmem_team_sync");
    sync(handle);
    return 0;
}

void pshmem_barrier(int PE_start, int logPE_stride, int PE_size, long*) {
    begin_call("shmem_barrier");
    in_active_set(PE_start, logPE_stride, PE_size, [&](Group& group) {
        quiet(library->context);
        check(group.sync());
    });
}

void pshmem_sync(int PE_start, int logPE_stride, int PE_size, long*) {
    begin_call("shmem_sync");
    in_active_set(PE_start, logPE_stride, PE_size, [&](Group& group) { check(group.sync()); });
}

// T is `void` or the type; elements have BYTES each.
#define DEFINE_TEAM(ALLTOALL, ALLTOALLS, BROADCAST, COLLECT, FCOLLECT, T, BYTES)                                       \
    int pshmem_##ALLTOALL(shmem_team_t team, T* dest, const T* source, size_t nelems) {                                \
        begin_call("shmem_" #ALLTOALL);                                                                                \
        exchange(called(team, dest, nelems), dest, source, 1, 1, nelems, BYTES);                                       \
        return 0;                                                                                                      \
    }                                                                                                                  \
    int pshmem_##ALLTOALLS(shmem_team_t team, T* dest, const T* source, ptrdiff_t dst, ptrdiff_t sst, size_t nelems) { \
        begin_call("shmem_" #ALLTOALLS);                                                                               \
        exchange(called(team, dest, nelems), dest, source, dst, sst, nelems, BYTES);                                   \
        return 0;                                                                                                      \
    }                                                                                                                  \
    int pshmem_##BROADCAST(shmem_team_t team, T* dest, const T* source, size_t nelems, int root) {                     \
        begin_call("shmem_" #BROADCAST);                                                                               \
        Group& group = called(team, dest, nelems, root);                                                               \
        broadcast(group, dest, source, bytes_from(group, dest, source, nelems, BYTES, root), root, true);              \
        return 0;                                                                                                      \
    }                                                                                                                  \
    int pshmem_##COLLECT(shmem_team_t team, T* dest, const T* source, size_t nelems) {                                 \
        begin_call("shmem_" #COLLECT);                                                                                 \
        Group& group = called(team, dest, 0);                                                                          \
        collect(group, dest, source, bytes_each(group, dest, source, nelems, BYTES));                                  \
        return 0;                                                                                                      \
    }                                                                                                                  \
    int pshmem_##FCOLLECT(shmem_team_t team, T* dest, const T* source, size_t nelems) {                                \
        begin_call("shmem_" #FCOLLECT);                                                                                \
        Group& group = called(team, dest, nelems);                                                                     \
        fcollect(group, dest, source, bytes_each(group, dest, source, nelems, BYTES));                                 \
        return 0;                                                                                                      \
    }

// DEFINE_TYPED defines shmem_TYPENAME_alltoall and so on. For int, these are:
//   shmem_int_alltoall shmem_int_alltoalls shmem_int_broadcast shmem_int_collect shmem_int_fcollect
#define DEFINE_TYPED(F, NAME, TYPE)                                                                         \
    DEFINE_TEAM(NAME##_alltoall, NAME##_alltoalls, NAME##_broadcast, NAME##_collect, NAME##_fcollect, TYPE, \
                sizeof(TYPE))
SHMEM_TYPES_(DEFINE_TYPED, )

// DEFINE_TEAM defines here:
//   shmem_alltoallmem shmem_alltoallsmem shmem_broadcastmem shmem_collectmem shmem_fcollectmem
DEFINE_TEAM(alltoallmem, alltoallsmem, broadcastmem, collectmem, fcollectmem, void, 1)

// DEFINE_BITS, DEFINE_ORDER and DEFINE_SUM define shmem_TYPENAME_and_reduce and so on. For int, these are:
//   shmem_int_and_reduce shmem_int_or_reduce shmem_int_xor_reduce shmem_int_max_reduce shmem_int_min_reduce
//   shmem_int_sum_reduce shmem_int_prod_reduce shmem_int_sum_inscan shmem_int_sum_exscan
#define DEFINE_REDUCE(NAME, TYPE, VERB, OPERATION)                                                           \
    int pshmem_##NAME##_##VERB##_reduce(shmem_team_t team, TYPE* dest, const TYPE* source, size_t nreduce) { \
        begin_call("shmem_" #NAME "_" #VERB "_reduce");                                                      \
        return team_reduce<TYPE, OPERATION>(team, dest, source, nreduce);                                    \
    }
#define DEFINE_BITS(F, NAME, TYPE)      \
    DEFINE_REDUCE(NAME, TYPE, and, And) \
    DEFINE_REDUCE(NAME, TYPE, or, Or)   \
    DEFINE_REDUCE(NAME, TYPE, xor, Xor)
#define DEFINE_ORDER(F, NAME, TYPE)         \
    DEFINE_REDUCE(NAME, TYPE, max, Maximum) \
    DEFINE_REDUCE(NAME, TYPE, min, Minimum)
#define DEFINE_SUM(F, NAME, TYPE)                                                                      \
    DEFINE_REDUCE(NAME, TYPE, sum, Sum)                                                                \
    DEFINE_REDUCE(NAME, TYPE, prod, Product)                                                           \
    int pshmem_##NAME##_sum_inscan(shmem_team_t team, TYPE* dest, const TYPE* source, size_t nelems) { \
        begin_call("shmem_" #NAME "_sum_inscan");                                                      \
        return team_scan(team, dest, source, nelems, true);                                            \
    }                                                                                                  \
    int pshmem_##NAME##_sum_exscan(shmem_team_t team, TYPE* dest, const TYPE* source, size_t nelems) { \
        begin_call("shmem_" #NAME "_sum_exscan");                                                      \
        return team_scan(team, dest, source, nelems, false);                                           \
    }
SHMEM_INTEGER_TYPES_(DEFINE_BITS, )
SHMEM_TYPES_(DEFINE_ORDER, )
SHMEM_SUM_TYPES_(DEFINE_SUM, )

// DEFINE_TO_ALL defines shmem_TYPENAME_and_to_all and so on. For int, these are:
//   shmem_int_and_to_all shmem_int_or_to_all shmem_int_xor_to_all shmem_int_max_to_all shmem_int_min_to_all
//   shmem_int_sum_to_all shmem_int_prod_to_all
#define DEFINE_TO_ALL(NAME, TYPE, VERB, OPERATION)                                                                    \
    void pshmem_##NAME##_##VERB##_to_all(TYPE* dest, const TYPE* source, int nreduce, int PE_start, int logPE_stride, \
                                         int PE_size, TYPE*, long*) {                                                 \
        begin_call("shmem_" #NAME "_" #VERB "_to_all");                                                               \
        in_active_set(PE_start, logPE_stride, PE_size, [&](Group& group) {                                            \
            const auto count = static_cast<size_t>(nreduce); /* a negative one is more than memory holds */           \
            (void)bytes_each(group, dest, source, count, sizeof(TYPE));                                               \
            reduce(group, dest, source, count, sizeof(TYPE), combine<TYPE, OPERATION>);                               \
        });                                                                                                           \
    }
#define DEFINE_TO_ALL_BITS(F, NAME, TYPE) \
    DEFINE_TO_ALL(NAME, TYPE, and, And)   \
    DEFINE_TO_ALL(NAME, TYPE, or, Or)     \
    DEFINE_TO_ALL(NAME, TYPE, xor, Xor)
#define DEFINE_TO_ALL_ORDER(F, NAME, TYPE)  \
    DEFINE_TO_ALL(NAME, TYPE, max, Maximum) \
    DEFINE_TO_ALL(NAME, TYPE, min, Minimum)
#define DEFINE_TO_ALL_SUM(F, NAME, TYPE) \
    DEFINE_TO_ALL(NAME, TYPE, sum, Sum)  \
    DEFINE_TO_ALL(NAME, TYPE, prod, Product)
SHMEM_TO_ALL_INTEGER_TYPES_(DEFINE_TO_ALL_BITS, )
SHMEM_TO_ALL_TYPES_(DEFINE_TO_ALL_ORDER, )
SHMEM_TO_ALL_SUM_TYPES_(DEFINE_TO_ALL_SUM, )

// DEFINE_ACTIVE_SET defines:
//   shmem_broadcast32 shmem_collect32 shmem_fcollect32 shmem_alltoalls32 shmem_alltoall32 shmem_broadcast64
//   shmem_collect64 shmem_fcollect64 shmem_alltoalls64 shmem_alltoall64
#define DEFINE_ACTIVE_SET(BITS)                                                                                 \
    void pshmem_broadcast##BITS(void* dest, const void* source, size_t nelems, int PE_root, int PE_start,       \
                                int logPE_stride, int PE_size, long*) {                                         \
        begin_call("shmem_broadcast" #BITS);                                                                    \
        in_active_set(PE_start, logPE_stride, PE_size, [&](Group& group) {                                      \
            broadcast(group, dest, source, bytes_from(group, dest, source, nelems, BITS / 8, PE_root), PE_root, \
                      false);                                                                                   \
        });                                                                                                     \
    }                                                                                                           \
    void pshmem_collect##BITS(void* dest, const void* source, size_t nelems, int PE_start, int logPE_stride,    \
                              int PE_size, long*) {                                                             \
        begin_call("shmem_collect" #BITS);                                                                      \
        in_active_set(PE_start, logPE_stride, PE_size, [&](Group& group) {                                      \
            collect(group, dest, source, bytes_each(group, dest, source, nelems, BITS / 8));                    \
        });                                                                                                     \
    }                                                                                                           \
    void pshmem_fcollect##BITS(void* dest, const void* source, size_t nelems, int PE_start, int logPE_stride,   \
                               int PE_size, long*) {                                                            \
        begin_call("shmem_fcollect" #BITS);                                                                     \
        in_active_set(PE_start, logPE_stride, PE_size, [&](Group& group) {                                      \
            fcollect(group, dest, source, bytes_each(group, dest, source, nelems, BITS / 8));                   \
        });                                                                                                     \
    }                                                                                                           \
    void pshmem_alltoalls##BITS(void* dest, const void* source, ptrdiff_t dst, ptrdiff_t sst, size_t nelems,    \
                                int PE_start, int logPE_stride, int PE_size, long*) {                           \
        begin_call("shmem_alltoalls" #BITS);                                                                    \
        in_active_set(PE_start, logPE_stride, PE_size,                                                          \
                      [&](Group& group) { exchange(group, dest, source, dst, sst, nelems, BITS / 8); });        \
    }                                                                                                           \
    void pshmem_alltoall##BITS(void* dest, const void* source, size_t nelems, int PE_start, int logPE_stride,   \
                               int PE_size, long*) {                                                            \
        begin_call("shmem_alltoall" #BITS);                                                                     \
        in_active_set(PE_start, logPE_stride, PE_size,                                                          \
                      [&](Group& group) { exchange(group, dest, source, 1, 1, nelems, BITS / 8); });            \
    }
DEFINE_ACTIVE_SET(32)
DEFINE_ACTIVE_SET(64)

DEFINE_NAMES(SHMEM_COLLECTIVES_)

}  // extern "C"

#undef DEFINE_TYPED
