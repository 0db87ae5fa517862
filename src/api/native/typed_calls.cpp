// SPDX-License-Identifier: BSD-3-Clause
// The typed atomics of syncline.h, which are inline in a C program, as functions of the library.
#define SYNCLINE_TYPED_CALL_ SYNCLINE_API
#include "syncline.h"
