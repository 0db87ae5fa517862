/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * pshmem.h, where the old names of the others are.
 */
#include "../pshmem.h"
