// SPDX-License-Identifier: BSD-3-Clause
// read(), write() and their relatives on shared memory. On 64-bit machines each name with 64 is another name of the
// plain call. Names with _chk are the calls that -D_FORTIFY_SOURCE makes of the plain ones.
#include <sys/types.h>

#include "kernel_access.h"
#include "next_call.h"

using syncline::ports::Access;
using syncline::ports::fetch;
using syncline::ports::fetch_parts;
using syncline::ports::NextCall;
using syncline::ports::with_memory;

namespace {

using Input = ssize_t(int, void*, size_t);
using InputAt = ssize_t(int, void*, size_t, off_t);
using Output = ssize_t(int, const void*, size_t);
using OutputAt = ssize_t(int, const void*, size_t, off_t);
using Parts = ssize_t(int, const iovec*, int);
using PartsAt = ssize_t(int, const iovec*, int, off_t);
using PartsAtHow = ssize_t(int, const iovec*, int, off_t, int);

constinit NextCall<Input> next_read("read");
constinit NextCall<InputAt> next_pread("pread64");
constinit NextCall<Output> next_write("write");
constinit NextCall<OutputAt> next_pwrite("pwrite64");
constinit NextCall<Parts> next_readv("readv");
constinit NextCall<Parts> next_writev("writev");
constinit NextCall<PartsAt> next_preadv("preadv64");
constinit NextCall<PartsAt> next_pwritev("pwritev64");
constinit NextCall<PartsAtHow> next_preadv2("preadv64v2");
constinit NextCall<PartsAtHow> next_pwritev2("pwritev64v2");
constinit NextCall<ssize_t(int, void*, size_t, size_t)> next_read_chk("__read_chk");
constinit NextCall<ssize_t(int, void*, size_t, off_t, size_t)> next_pread_chk("__pread64_chk");

__attribute__((constructor)) void find_next_calls() {
    next_read.find();
    next_pread.find();
    next_write.find();
    next_pwrite.find();
    next_readv.find();
    next_writev.find();
    next_preadv.find();
    next_pwritev.find();
    next_preadv2.find();
    next_pwritev2.find();
    next_read_chk.find();
    next_pread_chk.find();
}

// The kernel itself refuses negative counts.
size_t count_of(int parts) {
    return parts < 0 ? 0 : static_cast<size_t>(parts);
}

}  // namespace

#define CALL extern "C" __attribute__((visibility("default"))) ssize_t
#define CALLER __builtin_return_address(0)
#define WITH(fetch_all, call) with_memory([=] { return fetch_all; }, [=] { return call; })
#define WITH_INPUT(call)               \
    const void* const caller = CALLER; \
    return WITH(fetch(memory, bytes, Access::writes, caller), call)
#define WITH_OUTPUT(call)              \
    const void* const caller = CALLER; \
    return WITH(fetch(memory, bytes, Access::reads, caller), call)
#define WITH_PARTS(access, call)       \
    const void* const caller = CALLER; \
    return WITH(fetch_parts(parts, count_of(count), access, caller), call)

CALL read(int file, void* memory, size_t bytes) {
    WITH_INPUT(next_read(file, memory, bytes));
}
CALL pread(int file, void* memory, size_t bytes, off_t at) {
    WITH_INPUT(next_pread(file, memory, bytes, at));
}
CALL pread64(int file, void* memory, size_t bytes, off64_t at) {
    WITH_INPUT(next_pread(file, memory, bytes, at));
}
CALL __read_chk(int file, void* memory, size_t bytes, size_t room) {
    WITH_INPUT(next_read_chk(file, memory, bytes, room));
}
CALL __pread_chk(int file, void* memory, size_t bytes, off_t at, size_t room) {
    WITH_INPUT(next_pread_chk(file, memory, bytes, at, room));
}
CALL __pread64_chk(int file, void* memory, size_t bytes, off64_t at, size_t room) {
    WITH_INPUT(next_pread_chk(file, memory, bytes, at, room));
}

CALL write(int file, const void* memory, size_t bytes) {
    WITH_OUTPUT(next_write(file, memory, bytes));
}
CALL pwrite(int file, const void* memory, size_t bytes, off_t at) {
    WITH_OUTPUT(next_pwrite(file, memory, bytes, at));
}
CALL pwrite64(int file, const void* memory, size_t bytes, off64_t at) {
    WITH_OUTPUT(next_pwrite(file, memory, bytes, at));
}

CALL readv(int file, const iovec* parts, int count) {
    WITH_PARTS(Access::writes, next_readv(file, parts, count));
}
CALL preadv(int file, const iovec* parts, int count, off_t at) {
    WITH_PARTS(Access::writes, next_preadv(file, parts, count, at));
}
CALL preadv64(int file, const iovec* parts, int count, off64_t at) {
    WITH_PARTS(Access::writes, next_preadv(file, parts, count, at));
}
CALL preadv2(int file, const iovec* parts, int count, off_t at, int how) {
    WITH_PARTS(Access::writes, next_preadv2(file, parts, count, at, how));
}
CALL preadv64v2(int file, const iovec* parts, int count, off64_t at, int how) {
    WITH_PARTS(Access::writes, next_preadv2(file, parts, count, at, how));
}

CALL writev(int file, const iovec* parts, int count) {
    WITH_PARTS(Access::reads, next_writev(file, parts, count));
}
CALL pwritev(int file, const iovec* parts, int count, off_t at) {
    WITH_PARTS(Access::reads, next_pwritev(file, parts, count, at));
}
CALL pwritev64(int file, const iovec* parts, int count, off64_t at) {
    WITH_PARTS(Access::reads, next_pwritev(file, parts, count, at));
}
CALL pwritev2(int file, const iovec* parts, int count, off_t at, int how) {
    WITH_PARTS(Access::reads, next_pwritev2(file, parts, count, at, how));
}
CALL pwritev64v2(int file, const iovec* parts, int count, off64_t at, int how) {
    WITH_PARTS(Access::reads, next_pwritev2(file, parts, count, at, how));
}
