/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The old name of shmemx.h, which the specification deprecates and keeps.
 */
#include "../shmemx.h"
