/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The types of OpenSHMEM's typed calls, one line for each. X(F, NAME, TYPE) is expanded for each type of a list.
 *
 * A new type needs one line here: declarations, the profiling interface, the library's functions and its aliases all
 * come from these lists.
 */
#ifndef SHMEM_TYPES_H
#define SHMEM_TYPES_H

#include <stddef.h>
#include <stdint.h>

/* C's complex numbers, declared for C++, too, because the caller's arrays hold them. */
__extension__ typedef float _Complex shmem_complexf_;
__extension__ typedef double _Complex shmem_complexd_;

/* Types that C tells apart: a generic call chooses between them. */
#define SHMEM_CHAR_(X, F) X(F, char, char)
#define SHMEM_SMALL_INTEGERS_(X, F) \
    X(F, schar, signed char)        \
    X(F, uchar, unsigned char)
#define SHMEM_SHORT_INTEGERS_(X, F) \
    X(F, short, short)              \
    X(F, ushort, unsigned short)
#define SHMEM_WORD_INTEGERS_(X, F) \
    X(F, int, int)                 \
    X(F, long, long)               \
    X(F, longlong, long long)      \
    X(F, uint, unsigned int)       \
    X(F, ulong, unsigned long)     \
    X(F, ulonglong, unsigned long long)
#define SHMEM_WORD_FLOATS_(X, F) \
    X(F, float, float)           \
    X(F, double, double)
#define SHMEM_LONG_DOUBLE_(X, F) X(F, longdouble, long double)
#define SHMEM_COMPLEX_(X, F)        \
    X(F, complexf, shmem_complexf_) \
    X(F, complexd, shmem_complexd_)

/* Other names of some of these types. */
#define SHMEM_SMALL_ALIASES_(X, F) \
    X(F, int8, int8_t)             \
    X(F, int16, int16_t)           \
    X(F, uint8, uint8_t)           \
    X(F, uint16, uint16_t)
#define SHMEM_WORD_ALIASES_(X, F) \
    X(F, int32, int32_t)          \
    X(F, int64, int64_t)          \
    X(F, uint32, uint32_t)        \
    X(F, uint64, uint64_t)        \
    X(F, size, size_t)            \
    X(F, ptrdiff, ptrdiff_t)

/* The types that generic calls choose between. */
#define SHMEM_GENERIC_ATOMIC_TYPES_(X, F) SHMEM_WORD_INTEGERS_(X, F)
#define SHMEM_GENERIC_EXTENDED_ATOMIC_TYPES_(X, F) SHMEM_WORD_INTEGERS_(X, F) SHMEM_WORD_FLOATS_(X, F)
#define SHMEM_GENERIC_WAIT_TYPES_(X, F) SHMEM_SHORT_INTEGERS_(X, F) SHMEM_WORD_INTEGERS_(X, F)
#define SHMEM_GENERIC_INTEGER_TYPES_(X, F) \
    SHMEM_SMALL_INTEGERS_(X, F) SHMEM_SHORT_INTEGERS_(X, F) SHMEM_WORD_INTEGERS_(X, F)
#define SHMEM_GENERIC_TYPES_(X, F) \
    SHMEM_CHAR_(X, F) SHMEM_GENERIC_INTEGER_TYPES_(X, F) SHMEM_WORD_FLOATS_(X, F) SHMEM_LONG_DOUBLE_(X, F)
#define SHMEM_GENERIC_SUM_TYPES_(X, F) SHMEM_GENERIC_TYPES_(X, F) SHMEM_COMPLEX_(X, F)

/*
 * The tables of the specification: standard RMA types (1.5, table 5), and so on. Where a table leaves out integers that
 * would do as well (bitwise reductions and atomics of signed ones), these lists have them, too.
 */
#define SHMEM_ATOMIC_TYPES_(X, F) SHMEM_GENERIC_ATOMIC_TYPES_(X, F) SHMEM_WORD_ALIASES_(X, F)
#define SHMEM_EXTENDED_ATOMIC_TYPES_(X, F) SHMEM_GENERIC_EXTENDED_ATOMIC_TYPES_(X, F) SHMEM_WORD_ALIASES_(X, F)
#define SHMEM_WAIT_TYPES_(X, F) SHMEM_GENERIC_WAIT_TYPES_(X, F) SHMEM_WORD_ALIASES_(X, F)
#define SHMEM_INTEGER_TYPES_(X, F) \
    SHMEM_GENERIC_INTEGER_TYPES_(X, F) SHMEM_SMALL_ALIASES_(X, F) SHMEM_WORD_ALIASES_(X, F)
#define SHMEM_TYPES_(X, F) SHMEM_GENERIC_TYPES_(X, F) SHMEM_SMALL_ALIASES_(X, F) SHMEM_WORD_ALIASES_(X, F)
#define SHMEM_SUM_TYPES_(X, F) SHMEM_TYPES_(X, F) SHMEM_COMPLEX_(X, F)

/* The deprecated reductions over active sets. */
#define SHMEM_TO_ALL_INTEGER_TYPES_(X, F) \
    X(F, short, short)                    \
    X(F, int, int)                        \
    X(F, long, long)                      \
    X(F, longlong, long long)
#define SHMEM_TO_ALL_TYPES_(X, F) SHMEM_TO_ALL_INTEGER_TYPES_(X, F) SHMEM_WORD_FLOATS_(X, F) SHMEM_LONG_DOUBLE_(X, F)
#define SHMEM_TO_ALL_SUM_TYPES_(X, F) SHMEM_TO_ALL_TYPES_(X, F) SHMEM_COMPLEX_(X, F)

/* Sizes of the calls that name a number of bits instead of a type: the bits, and the bytes of one element. */
#define SHMEM_SIZES_(X, F) X(F, 8, 1) X(F, 16, 2) X(F, 32, 4) X(F, 64, 8) X(F, 128, 16)

#endif
