// SPDX-License-Identifier: BSD-3-Clause
#include "runtime/collective/barrier_numbers.h"

#include "runtime/collective/barrier_words.h"
#include "runtime/ground/error_text.h"

namespace syncline {
namespace {

constexpr uint64_t taken_mark = 1ull << 32;  // above any count of claims

AtomicCall at_number(uint32_t number, int operation, uint64_t operand, uint64_t* before) {
    AtomicCall call = {.operation = operation | SYNCLINE_64 | SYNCLINE_FETCH,
                       .rank = 0,
                       .target = RuntimeWords::barrier(number) + BarrierWords::holders,
                       .operand = {operand, 0}};
    call.result = before;
    call.runtime = true;
    return call;
}

}  // namespace

int claim_barrier_number(Atomics* atomics, uint32_t number, bool first) {
    uint64_t before = 0;
    const int status = atomics->execute(at_number(number, SYNCLINE_ADD, first ? 1 : 0, &before));
    if (status != SYNCLINE_OK || before < taken_mark) {
        return status == SYNCLINE_ERR_NODE ? status : static_cast<int>(SYNCLINE_OK);
    }
    if (first) {
        drop_barrier_number(atomics, number);
    }
    return error(SYNCLINE_ERR_BUSY, "a team uses barrier number {}; use another number", number);
}

void drop_barrier_number(Atomics* atomics, uint32_t number) {
    uint64_t before = 0;
    (void)atomics->execute(at_number(number, SYNCLINE_ADD, ~uint64_t{0}, &before));
}

// Tries numbers from the highest downwards, because programs tend to name low ones.
int take_barrier_number(Atomics* atomics, int* number) {
    for (*number = SLW_BARRIERS_MAX - 1; *number >= 0; --*number) {
        uint64_t before = 0;
        const AtomicCall take = at_number(static_cast<uint32_t>(*number), SYNCLINE_CAS, taken_mark, &before);
        if (const int status = atomics->execute(take); status != SYNCLINE_OK || before == 0) {
            return status;
        }
    }
    return SYNCLINE_OK;
}

// Takes away only this holder's part, because a claim may be in the middle of being refused.
int give_back_barrier_number(Atomics* atomics, int number) {
    uint64_t before = 0;
    return atomics->execute(at_number(static_cast<uint32_t>(number), SYNCLINE_ADD, ~taken_mark + 1, &before));
}

}  // namespace syncline
