// SPDX-License-Identifier: BSD-3-Clause
// How the families of calls are written: one body for the call with a context and the call on the default one.
#pragma once

#include "api/shmem/library.h"

#define SHMEM_PARAMETERS_(...) __VA_ARGS__

// DEFINE(RESULT, NAME, (PARAMETERS), body): in the body, `context` is the call's context.
#define DEFINE(RESULT, NAME, PARAMETERS, ...) DEFINE_AS(pshmem, shmem, RESULT, NAME, PARAMETERS, __VA_ARGS__)
// Calls of shmemx.h have no name for profiling tools.
#define DEFINE_EXTENSION(RESULT, NAME, PARAMETERS, ...) DEFINE_AS(shmemx, shmemx, RESULT, NAME, PARAMETERS, __VA_ARGS__)
#define DEFINE_AS(PREFIX, CALLED, RESULT, NAME, PARAMETERS, ...)                \
    RESULT PREFIX##_ctx_##NAME(shmem_ctx_t ctx, SHMEM_PARAMETERS_ PARAMETERS) { \
        begin_call(#CALLED "_ctx_" #NAME);                                      \
        const Context& context = context_of(ctx);                               \
        __VA_ARGS__                                                             \
    }                                                                           \
    RESULT PREFIX##_##NAME PARAMETERS {                                         \
        begin_call(#CALLED "_" #NAME);                                          \
        const Context& context = initialized().context;                         \
        __VA_ARGS__                                                             \
    }

// Defines the names that programs call, for a list of functions that this file defines. They are weak, so that a
// profiling tool may define its own functions by these names, which call the others.
#define DEFINE_NAME_(RESULT, NAME, ARGUMENTS) \
    __attribute__((weak, alias("pshmem_" #NAME), visibility("default"))) RESULT shmem_##NAME ARGUMENTS;
#define DEFINE_NAMES(LIST) LIST(DEFINE_NAME_)
