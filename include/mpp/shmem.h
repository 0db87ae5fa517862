/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The old name of shmem.h, which the specification deprecates and keeps.
 */
#include "../shmem.h"
