// SPDX-License-Identifier: BSD-3-Clause
// Puts, gets and signals of bytes, for the typed calls in rma.cpp and for collectives.
#pragma once

#include <bit>

#include "api/shmem/checks.h"
#include "api/shmem/library.h"
#include "base/direct_copy.h"

namespace syncline::shmem {

// Checks a copy of this PE to itself, with SHMEM_DEBUG.
inline void check_copy(int pe, const void* dest, const void* source, size_t bytes) {
    if (__builtin_expect(library->debug, 0) && pe == library->me) {
        must_not_overlap(dest, bytes, source, bytes, Same::kRefused);
    }
}

// Copy to and from memory that is not mapped here.
void put_elsewhere(const Context& context, const Target& target, const void* source, size_t bytes);
void get_elsewhere(const Target& target, void* dest, size_t bytes);

// `elsewhere` puts to memory that is not mapped here.
template <typename Elsewhere>
[[gnu::always_inline]] inline void put_by(const Context& context, void* dest, const void* source, size_t bytes, int pe,
                                          Elsewhere&& elsewhere) {
    if (__builtin_expect(bytes == 0, 0)) {
        return;
    }
    must_be_given(source, "source");
    const Target target = resolve(context, dest, bytes, pe);
    if (__builtin_expect(target.direct == nullptr, 0)) {
        return elsewhere(target);
    }
    check_copy(target.pe, dest, source, bytes);
    copy_direct(target.direct, static_cast<const uint8_t*>(source), bytes);
    written(target.pe);
}

// Returns when the source may be written again, because a packet has a copy of it.
[[gnu::always_inline]] inline void put(const Context& context, void* dest, const void* source, size_t bytes, int pe) {
    put_by(context, dest, source, bytes, pe,
           [&](const Target& target) { put_elsewhere(context, target, source, bytes); });
}

// `elsewhere` gets from memory that is not mapped here.
template <typename Elsewhere>
[[gnu::always_inline]] inline void get_by(const Context& context, void* dest, const void* source, size_t bytes, int pe,
                                          Elsewhere&& elsewhere) {
    if (__builtin_expect(bytes == 0, 0)) {
        return;
    }
    must_be_given(dest, "dest");
    const Target target = resolve(context, source, bytes, pe);
    if (__builtin_expect(target.direct == nullptr, 0)) {
        return elsewhere(target);
    }
    check_copy(target.pe, dest, source, bytes);
    copy_direct(static_cast<uint8_t*>(dest), target.direct, bytes);
}

[[gnu::always_inline]] inline void get(const Context& context, void* dest, const void* source, size_t bytes, int pe) {
    get_by(context, dest, source, bytes, pe, [&](const Target& target) { get_elsewhere(target, dest, bytes); });
}

// The source may be written, and the data is at the PE, once the context is quiet.
void put_nbi(const Context& context, void* dest, const void* source, size_t bytes, int pe);
// The data is here once the context is quiet.
void get_nbi(const Context& context, void* dest, const void* source, size_t bytes, int pe);

template <typename T>
[[gnu::noinline]] void put_value_elsewhere(const Context& context, const Target& target, T value) {
    put_elsewhere(context, target, &value, sizeof(T));
}

template <typename T>
[[gnu::noinline]] T get_value_elsewhere(const Target& target) {
    T value;
    get_elsewhere(target, &value, sizeof(T));
    return value;
}

// Copies one element. On mapped memory it makes no call.
template <typename T>
[[gnu::always_inline]] inline void put_value(const Context& context, T* dest, T value, int pe) {
    const Target target = resolve(context, dest, sizeof(T), pe);
    if (__builtin_expect(target.direct == nullptr, 0)) {
        return put_value_elsewhere(context, target, value);
    }
    if constexpr (std::is_void_v<WordFor<T>>) {
        copy_direct(target.direct, reinterpret_cast<const uint8_t*>(&value), sizeof(T));
    } else {
        store_direct(target.direct, std::bit_cast<WordFor<T>>(value));
    }
    written(target.pe);
}

template <typename T>
[[gnu::always_inline]] inline T get_value(const Context& context, const T* source, int pe) {
    const Target target = resolve(context, source, sizeof(T), pe);
    if (__builtin_expect(target.direct == nullptr, 0)) {
        return get_value_elsewhere<T>(target);
    }
    if constexpr (std::is_void_v<WordFor<T>>) {
        T value;
        copy_direct(reinterpret_cast<uint8_t*>(&value), target.direct, sizeof(T));
        return value;
    } else {
        return std::bit_cast<T>(load_direct<WordFor<T>>(target.direct));
    }
}

// `nblocks` blocks of `bsize` elements; blocks of the dest begin every `dst` elements, those of the source every `sst`.
struct Strides {
    size_t element;
    ptrdiff_t dst;
    ptrdiff_t sst;
    size_t bsize;
    size_t nblocks;
};
void put_strided(const Context& context, void* dest, const void* source, const Strides& strides, int pe);
void get_strided(const Context& context, void* dest, const void* source, const Strides& strides, int pe);

// Updates the signal when the data is there.
void put_signal(const Context& context, void* dest, const void* source, size_t bytes, uint64_t* sig_addr,
                uint64_t signal, int sig_op, int pe);
void update_signal(const Context& context, uint64_t* sig_addr, uint64_t signal, int sig_op, int pe);

}  // namespace syncline::shmem
