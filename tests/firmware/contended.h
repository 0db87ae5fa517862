/* SPDX-License-Identifier: BSD-3-Clause */
/* Another build of the native firmware, in which a test can act between each compare&swap and the load before it. */
#ifndef SYNCLINE_TESTS_FIRMWARE_CONTENDED_H
#define SYNCLINE_TESTS_FIRMWARE_CONTENDED_H

#include "firmware/native.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Called before each compare&swap, with its word. */
extern void (*contended_interfere)(void* word);

/* fw_execute_packet(), for requests and replies. */
enum fw_verdict contended_execute_packet(struct fw_target* target, uint8_t* buffer, uint32_t length,
                                         uint32_t* reply_length);

#ifdef __cplusplus
}
#endif

#endif
