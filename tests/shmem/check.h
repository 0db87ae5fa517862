// SPDX-License-Identifier: BSD-3-Clause
// The check of all programs of this folder says where it failed and ends the job.
#pragma once

#include <shmem.h>
#include <stdio.h>
#include <stdlib.h>

#include "cases.h"

#define CHECK(condition)                                                                          \
    do {                                                                                          \
        if (!(condition)) {                                                                       \
            fprintf(stderr, "PE %d: %s:%d: %s\n", shmem_my_pe(), __FILE__, __LINE__, #condition); \
            shmem_global_exit(1);                                                                 \
        }                                                                                         \
    } while (0)
