/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The native firmware once more, whose adds of floating-point numbers may find in front of each compare&swap that
 * another CPU has been quicker: within a packet no fibre gets ahead.
 */
#include "firmware/float.h"
#include "firmware/memory.h"

void deterministic_before_sum(void* word, uint32_t bytes);

static uint64_t raced_cas64(uint64_t* word, uint64_t expected, uint64_t desired) {
    deterministic_before_sum(word, sizeof(*word));
    return fw_cas64(word, expected, desired);
}

static uint32_t raced_cas32(uint32_t* word, uint32_t expected, uint32_t desired) {
    deterministic_before_sum(word, sizeof(*word));
    return fw_cas32(word, expected, desired);
}

#define fw_cas64 raced_cas64
#define fw_cas32 raced_cas32
#include "firmware/bulk.h"
#undef fw_cas64
#undef fw_cas32

#include "firmware/native.c"
