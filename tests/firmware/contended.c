/* SPDX-License-Identifier: BSD-3-Clause */
#include "contended.h"

#define __atomic_compare_exchange_n(pointer, ...) \
    (contended_interfere(pointer), __atomic_compare_exchange_n((pointer), __VA_ARGS__))

#include "firmware/frame.h"

void (*contended_interfere)(void* word);

enum fw_verdict contended_execute_packet(struct fw_target* target, uint8_t* buffer, uint32_t length,
                                         uint32_t* reply_length) {
    struct fw_scratch scratch;
    struct fw_env env = {
        .target = target,
        .data = buffer,
        .end = buffer + length,
        .length = length,
        .capacity = target->config->packet_max,
        .scratch = &scratch,
    };
    const enum fw_verdict verdict = fw_input(&env);
    *reply_length = verdict == FW_REPLY ? env.length : 0;
    return verdict;
}
