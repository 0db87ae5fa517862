// SPDX-License-Identifier: BSD-3-Clause
// The typed atomics of syncline.h, which are inline in a C program, as functions of the library:
//   syncline_fetch_add32 syncline_fetch_add64 syncline_fetch_add32_nb syncline_fetch_add64_nb syncline_add32
//   syncline_add64 syncline_fetch_and32 syncline_fetch_and64 syncline_fetch_and32_nb syncline_fetch_and64_nb
//   syncline_and32 syncline_and64 syncline_fetch_or32 syncline_fetch_or64 syncline_fetch_or32_nb syncline_fetch_or64_nb
//   syncline_or32 syncline_or64 syncline_fetch_xor32 syncline_fetch_xor64 syncline_fetch_xor32_nb
//   syncline_fetch_xor64_nb syncline_xor32 syncline_xor64 syncline_fetch_smin32 syncline_fetch_smin64
//   syncline_fetch_smin32_nb syncline_fetch_smin64_nb syncline_smin32 syncline_smin64 syncline_fetch_smax32
//   syncline_fetch_smax64 syncline_fetch_smax32_nb syncline_fetch_smax64_nb syncline_smax32 syncline_smax64
//   syncline_fetch_umin32 syncline_fetch_umin64 syncline_fetch_umin32_nb syncline_fetch_umin64_nb syncline_umin32
//   syncline_umin64 syncline_fetch_umax32 syncline_fetch_umax64 syncline_fetch_umax32_nb syncline_fetch_umax64_nb
//   syncline_umax32 syncline_umax64 syncline_swap32 syncline_swap64 syncline_swap32_nb syncline_swap64_nb
//   syncline_store32 syncline_store64 syncline_cas32 syncline_cas64 syncline_cas32_nb syncline_cas64_nb
#define SYNCLINE_TYPED_CALL_ SYNCLINE_API
#include "syncline.h"
