// SPDX-License-Identifier: BSD-3-Clause
// Puts, gets and signals of bytes, for the typed calls in rma.cpp and for collectives.
#pragma once

#include <cstring>

#include "api/shmem/runtime.h"

namespace syncline::shmem {

// Returns when the source may be written again: a packet has its own copy.
inline void put(const char* what, const Context& context, void* dest, const void* source, size_t bytes, int pe) {
    if (bytes == 0) {
        return;
    }
    const Target target = resolve(what, context, dest, bytes, pe);
    if (target.direct != nullptr) {
        copy_direct(target.direct, static_cast<const uint8_t*>(source), bytes);
        written(target.pe);
        return;
    }
    check(what, runtime->endpoint.put_in(context.batch, target.pe, target.address, source, bytes));
}

// `remote` gets what is not to be had directly.
template <typename Remote>
void get_by(const char* what, const Context& context, void* dest, const void* source, size_t bytes, int pe,
            Remote&& remote) {
    if (bytes == 0) {
        return;
    }
    const Target target = resolve(what, context, source, bytes, pe);
    if (target.direct != nullptr) {
        copy_direct(static_cast<uint8_t*>(dest), target.direct, bytes);
        return;
    }
    check(what, remote(target));
}

// The data is there once the context is quiet.
inline void get_nbi(const char* what, const Context& context, void* dest, const void* source, size_t bytes, int pe) {
    get_by(what, context, dest, source, bytes, pe, [&](const Target& target) {
        return runtime->endpoint.get_in(context.batch, target.pe, target.address, dest, bytes);
    });
}

inline void get(const char* what, const Context& context, void* dest, const void* source, size_t bytes, int pe) {
    get_by(what, context, dest, source, bytes, pe,
           [&](const Target& target) { return runtime->endpoint.get(target.pe, target.address, dest, bytes); });
}

// `nblocks` blocks of `bsize` elements; blocks of the dest begin every `dst` elements, those of the source every `sst`.
struct Strides {
    size_t element;
    ptrdiff_t dst;
    ptrdiff_t sst;
    size_t bsize;
    size_t nblocks;
};
void put_strided(const char* what, const Context& context, void* dest, const void* source, const Strides& strides,
                 int pe);
void get_strided(const char* what, const Context& context, void* dest, const void* source, const Strides& strides,
                 int pe);

// The signal is updated when the data is there.
void put_signal(const char* what, const Context& context, void* dest, const void* source, size_t bytes,
                uint64_t* sig_addr, uint64_t signal, int sig_op, int pe);
void update_signal(const char* what, const Context& context, uint64_t* sig_addr, uint64_t signal, int sig_op, int pe);

}  // namespace syncline::shmem
