// SPDX-License-Identifier: BSD-3-Clause
#include "tests/linearizability/flight.h"

#include "tests/linearizability/pe.h"

namespace linearizability {
namespace {

constexpr uint64_t never_written = UINT64_MAX;

int call(Flight* f) {
    switch (f->operation) {
        case Operation::kAdd:
            return syncline_fetch_add64(f->rank, f->target, f->argument, &f->value);
        case Operation::kAddBlindly:
            return syncline_add64(f->rank, f->target, f->argument);
        case Operation::kSwap:
            return syncline_swap64(f->rank, f->target, f->argument, &f->value);
        case Operation::kCas:
            return syncline_cas64(f->rank, f->target, f->comparand, f->argument, &f->value);
        case Operation::kMin:
            return syncline_fetch_umin64(f->rank, f->target, f->argument, &f->value);
        case Operation::kMax:
            return syncline_fetch_umax64(f->rank, f->target, f->argument, &f->value);
        case Operation::kRead:
            return syncline_get(f->rank, f->target, &f->value, sizeof(f->value));
        default:
            return syncline_put(f->rank, f->target, &f->argument, sizeof(f->argument));
    }
}

int call_nb(Flight* f) {
    switch (f->operation) {
        case Operation::kAdd:
            return syncline_fetch_add64_nb(f->rank, f->target, f->argument, &f->value, 0, &f->request);
        case Operation::kAddBlindly:
            return syncline_add64(f->rank, f->target, f->argument);
        case Operation::kSwap:
            return syncline_swap64_nb(f->rank, f->target, f->argument, &f->value, 0, &f->request);
        case Operation::kCas:
            return syncline_cas64_nb(f->rank, f->target, f->comparand, f->argument, &f->value, 0, &f->request);
        case Operation::kMin:
            return syncline_fetch_umin64_nb(f->rank, f->target, f->argument, &f->value, 0, &f->request);
        case Operation::kMax:
            return syncline_fetch_umax64_nb(f->rank, f->target, f->argument, &f->value, 0, &f->request);
        case Operation::kRead:
            return syncline_get_nb(f->rank, f->target, &f->value, sizeof(f->value), 0, &f->request);
        default:
            return syncline_put_nb(f->rank, f->target, &f->argument, sizeof(f->argument), 0, &f->request);
    }
}

int call_on_pair(Flight* f, bool blocking) {
    const bool swaps = f->operation == Operation::kSwap;
    f->wide[0] = pair_of(f->argument);
    f->wide[1] = pair_of(f->operation == Operation::kRead ? never_written : f->comparand);
    const int operation = (swaps ? SYNCLINE_SWAP : SYNCLINE_CAS) | SYNCLINE_128 | SYNCLINE_FETCH;
    const syncline_pair_t* const comparand = swaps ? nullptr : &f->wide[1];
    return blocking
               ? syncline_atomic(operation, f->rank, f->target, &f->wide[0], comparand, &f->wide[2])
               : syncline_atomic_nb(operation, f->rank, f->target, &f->wide[0], comparand, &f->wide[2], 0, &f->request);
}

}  // namespace

void start(Flight* flight, bool blocking) {
    flight->status = flight->pair ? call_on_pair(flight, blocking) : blocking ? call(flight) : call_nb(flight);
}

void finish(Flight* flight) {
    if (flight->status == SYNCLINE_OK && flight->operation == Operation::kAddBlindly) {
        flight->status = syncline_fence(flight->rank);
    } else if (flight->status == SYNCLINE_OK && flight->request != 0) {
        flight->status = syncline_wait(flight->request);
    }
    if (flight->status == SYNCLINE_OK && flight->pair) {
        flight->value = flight->wide[2].low;
        if (flight->wide[2].high != ~flight->value) {
            fail("a pair is torn");
        }
    }
}

}  // namespace linearizability
