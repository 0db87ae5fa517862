// SPDX-License-Identifier: BSD-3-Clause
// Remote memory access (1.5, section 9.6) and signals (9.8).
#include "api/shmem/rma.h"

#include "api/shmem/define.h"

namespace syncline::shmem {
namespace {

AtomicCall signal_call(const Context& context, uint64_t* sig_addr, uint64_t signal, int sig_op, int pe,
                       Target* target) {
    if (sig_op != SHMEM_SIGNAL_SET && sig_op != SHMEM_SIGNAL_ADD) {
        die(fmt::format("{} is no signal operation; it may be SHMEM_SIGNAL_SET or SHMEM_SIGNAL_ADD", sig_op));
    }
    *target = resolve(context, sig_addr, sizeof(*sig_addr), pe);
    if (reinterpret_cast<uintptr_t>(sig_addr) % sizeof(*sig_addr) != 0) {
        die_of_alignment(sig_addr, sizeof(*sig_addr), target->pe);
    }
    AtomicCall call = {.operation = (sig_op == SHMEM_SIGNAL_SET ? SYNCLINE_SWAP : SYNCLINE_ADD) | SYNCLINE_64,
                       .rank = target->pe,
                       .target = target->address};
    call.operand[0] = signal;
    return call;
}

void signal_direct(const Target& target, uint64_t signal, int sig_op) {
    auto* const word = reinterpret_cast<uint64_t*>(target.direct);
    if (sig_op == SHMEM_SIGNAL_SET) {
        __atomic_store_n(word, signal, __ATOMIC_SEQ_CST);
    } else {
        __atomic_fetch_add(word, signal, __ATOMIC_SEQ_CST);
    }
    written(target.pe);
}

}  // namespace

void put_elsewhere(const Context& context, const Target& target, const void* source, size_t bytes) {
    check(library->endpoint.batches().put(context.batch, target.pe, target.address, source, bytes));
}

void put_nbi(const Context& context, void* dest, const void* source, size_t bytes, int pe) {
    put_by(context, dest, source, bytes, pe, [&](const Target& target) {
        check(library->world.put_later(context, target.pe, target.address, source, bytes));
    });
}

void get_elsewhere(const Target& target, void* dest, size_t bytes) {
    check(library->endpoint.bulk().get(target.pe, target.address, dest, bytes));
}

void get_nbi(const Context& context, void* dest, const void* source, size_t bytes, int pe) {
    get_by(context, dest, source, bytes, pe, [&](const Target& target) {
        check(library->endpoint.batches().get(context.batch, target.pe, target.address, dest, bytes));
    });
}

void update_signal(const Context& context, uint64_t* sig_addr, uint64_t signal, int sig_op, int pe) {
    Target target;
    const AtomicCall call = signal_call(context, sig_addr, signal, sig_op, pe, &target);
    if (target.direct != nullptr) {
        signal_direct(target, signal, sig_op);
    } else {
        check(library->endpoint.batches().atomic(context.batch, call));
    }
}

void put_signal(const Context& context, void* dest, const void* source, size_t bytes, uint64_t* sig_addr,
                uint64_t signal, int sig_op, int pe) {
    if (bytes == 0) {
        update_signal(context, sig_addr, signal, sig_op, pe);
        return;
    }
    must_be_given(source, "source");
    Target of_signal;
    const AtomicCall call = signal_call(context, sig_addr, signal, sig_op, pe, &of_signal);
    const Target target = resolve(context, dest, bytes, pe);
    if (target.direct != nullptr) {
        check_copy(target.pe, dest, source, bytes);
        copy_direct(target.direct, static_cast<const uint8_t*>(source), bytes);
        signal_direct(of_signal, signal, sig_op);
        return;
    }
    check(library->endpoint.batches().put_signal(context.batch, target.address, source, bytes, call));
}

}  // namespace syncline::shmem

using namespace syncline::shmem;

extern "C" {

#define DEFINE_BULK(PUT, GET, T, BYTES)                                                                         \
    DEFINE(void, PUT, (T * dest, const T* source, size_t nelems, int pe),                                       \
           put(context, dest, source, bytes_of(nelems, BYTES), pe);)                                            \
    DEFINE(void, PUT##_nbi, (T * dest, const T* source, size_t nelems, int pe),                                 \
           put_nbi(context, dest, source, bytes_of(nelems, BYTES), pe);)                                        \
    DEFINE(void, PUT##_signal,                                                                                  \
           (T * dest, const T* source, size_t nelems, uint64_t* sig_addr, uint64_t signal, int sig_op, int pe), \
           put_signal(context, dest, source, bytes_of(nelems, BYTES), sig_addr, signal, sig_op, pe);)           \
    DEFINE(void, PUT##_signal_nbi,                                                                              \
           (T * dest, const T* source, size_t nelems, uint64_t* sig_addr, uint64_t signal, int sig_op, int pe), \
           put_signal(context, dest, source, bytes_of(nelems, BYTES), sig_addr, signal, sig_op, pe);)           \
    DEFINE(void, GET, (T * dest, const T* source, size_t nelems, int pe),                                       \
           get(context, dest, source, bytes_of(nelems, BYTES), pe);)                                            \
    DEFINE(void, GET##_nbi, (T * dest, const T* source, size_t nelems, int pe),                                 \
           get_nbi(context, dest, source, bytes_of(nelems, BYTES), pe);)

#define DEFINE_STRIDED_BLOCKS(NAME, T, BYTES, MOVE)                                                         \
    DEFINE(void, NAME,                                                                                      \
           (T * dest, const T* source, ptrdiff_t dst, ptrdiff_t sst, size_t bsize, size_t nblocks, int pe), \
           MOVE(context, dest, source, {BYTES, dst, sst, bsize, nblocks}, pe);)
#define DEFINE_STRIDED_ELEMENTS(NAME, T, BYTES, MOVE)                                                    \
    DEFINE(void, NAME, (T * dest, const T* source, ptrdiff_t dst, ptrdiff_t sst, size_t nelems, int pe), \
           MOVE(context, dest, source, {BYTES, dst, sst, 1, nelems}, pe);)

// DEFINE_TYPED defines shmem_{,ctx_}TYPENAME_put and so on. For int and without a context, these are:
//   shmem_int_put shmem_int_put_nbi shmem_int_put_signal shmem_int_put_signal_nbi shmem_int_get shmem_int_get_nbi
//   shmem_int_iput shmem_int_iget shmem_int_ibput shmem_int_ibget shmem_int_p shmem_int_g
#define DEFINE_TYPED(F, NAME, TYPE)                                                                 \
    DEFINE_BULK(NAME##_put, NAME##_get, TYPE, sizeof(TYPE))                                         \
    DEFINE_STRIDED_ELEMENTS(NAME##_iput, TYPE, sizeof(TYPE), put_strided)                           \
    DEFINE_STRIDED_ELEMENTS(NAME##_iget, TYPE, sizeof(TYPE), get_strided)                           \
    DEFINE_STRIDED_BLOCKS(NAME##_ibput, TYPE, sizeof(TYPE), put_strided)                            \
    DEFINE_STRIDED_BLOCKS(NAME##_ibget, TYPE, sizeof(TYPE), get_strided)                            \
    DEFINE(void, NAME##_p, (TYPE * dest, TYPE value, int pe), put_value(context, dest, value, pe);) \
    DEFINE(TYPE, NAME##_g, (const TYPE* source, int pe), return get_value(context, source, pe);)
SHMEM_TYPES_(DEFINE_TYPED, )

// DEFINE_SIZED defines:
//   shmem_put8 shmem_put8_nbi shmem_put8_signal shmem_put8_signal_nbi shmem_get8 shmem_get8_nbi shmem_iput8 shmem_iget8
//   shmem_ibput8 shmem_ibget8 shmem_ctx_put8 shmem_ctx_put8_nbi shmem_ctx_put8_signal shmem_ctx_put8_signal_nbi
//   shmem_ctx_get8 shmem_ctx_get8_nbi shmem_ctx_iput8 shmem_ctx_iget8 shmem_ctx_ibput8 shmem_ctx_ibget8 shmem_put16
//   shmem_put16_nbi shmem_put16_signal shmem_put16_signal_nbi shmem_get16 shmem_get16_nbi shmem_iput16 shmem_iget16
//   shmem_ibput16 shmem_ibget16 shmem_ctx_put16 shmem_ctx_put16_nbi shmem_ctx_put16_signal shmem_ctx_put16_signal_nbi
//   shmem_ctx_get16 shmem_ctx_get16_nbi shmem_ctx_iput16 shmem_ctx_iget16 shmem_ctx_ibput16 shmem_ctx_ibget16
//   shmem_put32 shmem_put32_nbi shmem_put32_signal shmem_put32_signal_nbi shmem_get32 shmem_get32_nbi shmem_iput32
//   shmem_iget32 shmem_ibput32 shmem_ibget32 shmem_ctx_put32 shmem_ctx_put32_nbi shmem_ctx_put32_signal
//   shmem_ctx_put32_signal_nbi shmem_ctx_get32 shmem_ctx_get32_nbi shmem_ctx_iput32 shmem_ctx_iget32 shmem_ctx_ibput32
//   shmem_ctx_ibget32 shmem_put64 shmem_put64_nbi shmem_put64_signal shmem_put64_signal_nbi shmem_get64 shmem_get64_nbi
//   shmem_iput64 shmem_iget64 shmem_ibput64 shmem_ibget64 shmem_ctx_put64 shmem_ctx_put64_nbi shmem_ctx_put64_signal
//   shmem_ctx_put64_signal_nbi shmem_ctx_get64 shmem_ctx_get64_nbi shmem_ctx_iput64 shmem_ctx_iget64 shmem_ctx_ibput64
//   shmem_ctx_ibget64 shmem_put128 shmem_put128_nbi shmem_put128_signal shmem_put128_signal_nbi shmem_get128
//   shmem_get128_nbi shmem_iput128 shmem_iget128 shmem_ibput128 shmem_ibget128 shmem_ctx_put128 shmem_ctx_put128_nbi
//   shmem_ctx_put128_signal shmem_ctx_put128_signal_nbi shmem_ctx_get128 shmem_ctx_get128_nbi shmem_ctx_iput128
//   shmem_ctx_iget128 shmem_ctx_ibput128 shmem_ctx_ibget128
#define DEFINE_SIZED(F, BITS, BYTES)                              \
    DEFINE_BULK(put##BITS, get##BITS, void, BYTES)                \
    DEFINE_STRIDED_ELEMENTS(iput##BITS, void, BYTES, put_strided) \
    DEFINE_STRIDED_ELEMENTS(iget##BITS, void, BYTES, get_strided) \
    DEFINE_STRIDED_BLOCKS(ibput##BITS, void, BYTES, put_strided)  \
    DEFINE_STRIDED_BLOCKS(ibget##BITS, void, BYTES, get_strided)
SHMEM_SIZES_(DEFINE_SIZED, )

// DEFINE_BULK defines here:
//   shmem_putmem shmem_putmem_nbi shmem_putmem_signal shmem_putmem_signal_nbi shmem_getmem shmem_getmem_nbi
//   shmem_ctx_putmem shmem_ctx_putmem_nbi shmem_ctx_putmem_signal shmem_ctx_putmem_signal_nbi shmem_ctx_getmem
//   shmem_ctx_getmem_nbi
DEFINE_BULK(putmem, getmem, void, 1)

DEFINE(void, signal_set, (uint64_t* sig_addr, uint64_t signal, int pe),
       update_signal(context, sig_addr, signal, SHMEM_SIGNAL_SET, pe);)
DEFINE(void, signal_add, (uint64_t* sig_addr, uint64_t signal, int pe),
       update_signal(context, sig_addr, signal, SHMEM_SIGNAL_ADD, pe);)

uint64_t pshmem_signal_fetch(const uint64_t* sig_addr) {
    begin_call("shmem_signal_fetch");
    about_to_wait();  // a loop of this call is a wait
    must_be_given(sig_addr, "sig_addr");
    return __atomic_load_n(sig_addr, __ATOMIC_ACQUIRE);
}

DEFINE_NAMES(SHMEM_RMA_)

}  // extern "C"
