/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Every function of OpenSHMEM 1.6, deprecated ones included, as SHMEM_FUNCTIONS_(F): F(RESULT, NAME, ARGUMENTS) is
 * expanded for each, NAME without its prefix. shmem.h and pshmem.h declare them by it, the library makes its aliases.
 *
 * The comments of the headers below say what each call guarantees, one comment for a family of calls; scripts/pages
 * makes the manual pages from them. The section numbers are those of the specification.
 */
#ifndef SHMEM_FUNCTIONS_H
#define SHMEM_FUNCTIONS_H

#include "shmem/atomics.h"
#include "shmem/collectives.h"
#include "shmem/memory.h"
#include "shmem/ordering.h"
#include "shmem/rma.h"
#include "shmem/setup.h"
#include "shmem/teams.h"

#define SHMEM_FUNCTIONS_(F) \
    SHMEM_SETUP_(F)         \
    SHMEM_MEMORY_(F)        \
    SHMEM_TEAMS_(F)         \
    SHMEM_RMA_(F)           \
    SHMEM_ATOMICS_(F)       \
    SHMEM_COLLECTIVES_(F)   \
    SHMEM_ORDER_(F)         \
    SHMEM_LOCKS_(F)         \
    SHMEM_DEPRECATED_(F)

#endif
