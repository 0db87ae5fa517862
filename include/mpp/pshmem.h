/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * pshmem.h, under the folder that the old names of the other headers have.
 */
#include "../pshmem.h"
