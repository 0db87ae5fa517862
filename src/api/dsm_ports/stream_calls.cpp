// SPDX-License-Identifier: BSD-3-Clause
// fread() and fwrite() on shared memory: libc hands long pieces of it to the kernel. fgets(), getline(), fscanf() and
// their relatives copy from the stream's buffer, and fputs() and printf() read a string before they write it, so
// ordinary faults bring the pages for them.
#include <cstdio>

#include "kernel_access.h"
#include "next_call.h"

using syncline::ports::Access;
using syncline::ports::fetch;
using syncline::ports::NextCall;

namespace {

using Input = size_t(void*, size_t, size_t, FILE*);
using CheckedInput = size_t(void*, size_t, size_t, size_t, FILE*);
using Output = size_t(const void*, size_t, size_t, FILE*);

constinit NextCall<Input> next_fread("fread");
constinit NextCall<Input> next_fread_unlocked("fread_unlocked");
constinit NextCall<CheckedInput> next_fread_chk("__fread_chk");
constinit NextCall<CheckedInput> next_fread_unlocked_chk("__fread_unlocked_chk");
constinit NextCall<Output> next_fwrite("fwrite");
constinit NextCall<Output> next_fwrite_unlocked("fwrite_unlocked");

__attribute__((constructor)) void find_next_stream_calls() {
    next_fread.find();
    next_fread_unlocked.find();
    next_fread_chk.find();
    next_fread_unlocked_chk.find();
    next_fwrite.find();
    next_fwrite_unlocked.find();
}

void fetch_items(const void* memory, size_t size, size_t count, Access access, const void* caller) {
    size_t bytes = 0;
    if (!__builtin_mul_overflow(size, count, &bytes)) {
        (void)fetch(memory, bytes, access, caller);
    }
}

}  // namespace

#define CALL extern "C" __attribute__((visibility("default"))) size_t
#define CALLER __builtin_return_address(0)

CALL fread(void* memory, size_t size, size_t count, FILE* stream) {
    fetch_items(memory, size, count, Access::writes, CALLER);
    return next_fread(memory, size, count, stream);
}

CALL fread_unlocked(void* memory, size_t size, size_t count, FILE* stream) {
    fetch_items(memory, size, count, Access::writes, CALLER);
    return next_fread_unlocked(memory, size, count, stream);
}

CALL __fread_chk(void* memory, size_t room, size_t size, size_t count, FILE* stream) {
    fetch_items(memory, size, count, Access::writes, CALLER);
    return next_fread_chk(memory, room, size, count, stream);
}

CALL __fread_unlocked_chk(void* memory, size_t room, size_t size, size_t count, FILE* stream) {
    fetch_items(memory, size, count, Access::writes, CALLER);
    return next_fread_unlocked_chk(memory, room, size, count, stream);
}

CALL fwrite(const void* memory, size_t size, size_t count, FILE* stream) {
    fetch_items(memory, size, count, Access::reads, CALLER);
    return next_fwrite(memory, size, count, stream);
}

CALL fwrite_unlocked(const void* memory, size_t size, size_t count, FILE* stream) {
    fetch_items(memory, size, count, Access::reads, CALLER);
    return next_fwrite_unlocked(memory, size, count, stream);
}
