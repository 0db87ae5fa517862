// SPDX-License-Identifier: BSD-3-Clause
#include "dsm/live/own_stack.h"

#include <pthread.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>

extern "C" void* __libc_stack_end;

// Runs call(argument) with the stack pointer at `top`. The frame pointer leads back, also for debuggers and exceptions.
extern "C" __attribute__((visibility("hidden"))) void syncline_dsm_switch_stack(void (*call)(void*), void* argument,
                                                                                void* top);
#if defined(__x86_64__)
asm(R"(
    .pushsection .text
    .p2align 4
    .globl syncline_dsm_switch_stack
    .hidden syncline_dsm_switch_stack
    .type syncline_dsm_switch_stack, @function
syncline_dsm_switch_stack:
    .cfi_startproc
    endbr64
    pushq %rbp
    .cfi_def_cfa_offset 16
    .cfi_offset %rbp, -16
    movq %rsp, %rbp
    .cfi_def_cfa_register %rbp
    movq %rdx, %rsp
    movq %rdi, %rax
    movq %rsi, %rdi
    callq *%rax
    movq %rbp, %rsp
    popq %rbp
    .cfi_def_cfa %rsp, 8
    retq
    .cfi_endproc
    .size syncline_dsm_switch_stack, . - syncline_dsm_switch_stack
    .popsection
)");
#elif defined(__aarch64__)
asm(R"(
    .pushsection .text
    .p2align 4
    .globl syncline_dsm_switch_stack
    .hidden syncline_dsm_switch_stack
    .type syncline_dsm_switch_stack, %function
syncline_dsm_switch_stack:
    .cfi_startproc
    hint #34
    stp x29, x30, [sp, #-16]!
    .cfi_def_cfa_offset 16
    .cfi_offset 29, -16
    .cfi_offset 30, -8
    mov x29, sp
    .cfi_def_cfa_register 29
    mov sp, x2
    mov x9, x0
    mov x0, x1
    blr x9
    mov sp, x29
    .cfi_def_cfa_register 31
    ldp x29, x30, [sp], #16
    .cfi_restore 29
    .cfi_restore 30
    .cfi_def_cfa_offset 0
    ret
    .cfi_endproc
    .size syncline_dsm_switch_stack, . - syncline_dsm_switch_stack
    .popsection
)");
#else
#error "how a call changes the stack is not known for this processor"
#endif

namespace syncline::dsm {
namespace {

constexpr size_t stack_bytes = 256 * 1024;
constexpr size_t guard_bytes = 4096;
constexpr uintptr_t much = 64 * 1024;

struct Bounds {
    uintptr_t low = 0;
    uintptr_t high = 0;  // 0: not determined yet
};
constinit thread_local Bounds bounds [[gnu::tls_model("initial-exec")]];

// The first thread's stack grows downwards from the program's beginning, as far as its limit.
Bounds bounds_of_first_thread() {
    constexpr uintptr_t most = uintptr_t{64} << 20;
    const auto high = reinterpret_cast<uintptr_t>(__libc_stack_end);
    rlimit limit = {};
    ::getrlimit(RLIMIT_STACK, &limit);
    return {high - std::min<uintptr_t>(limit.rlim_cur, most), high};
}

Bounds bounds_of_thread() {
    pthread_attr_t attributes;
    void* low = nullptr;
    size_t bytes = 0;
    if (::pthread_getattr_np(::pthread_self(), &attributes) != 0) {
        return {0, UINTPTR_MAX};
    }
    ::pthread_attr_getstack(&attributes, &low, &bytes);
    ::pthread_attr_destroy(&attributes);
    return {reinterpret_cast<uintptr_t>(low), reinterpret_cast<uintptr_t>(low) + bytes};
}

struct Stack {
    char* base = nullptr;
    bool is_used = false;
};
constinit thread_local Stack stack_of_thread [[gnu::tls_model("initial-exec")]];

// A key's destructor runs after those of thread-local objects, which may still access shared memory.
void unmap(void* base) {
    stack_of_thread.base = nullptr;
    ::munmap(base, stack_bytes);
}

pthread_key_t key_of_stacks() {
    static const pthread_key_t key = [] {
        pthread_key_t made = 0;
        ::pthread_key_create(&made, unmap);
        return made;
    }();
    return key;
}

bool make_stack() {
    void* const base = ::mmap(nullptr, stack_bytes, PROT_READ | PROT_WRITE,
                              MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_STACK, -1, 0);
    if (base == MAP_FAILED) {
        return false;
    }
    ::mprotect(base, guard_bytes, PROT_NONE);
    ::pthread_setspecific(key_of_stacks(), base);
    stack_of_thread.base = static_cast<char*>(base);
    return true;
}

}  // namespace

bool has_room_on_stack() {
    if (__builtin_expect(bounds.high == 0, 0)) {
        bounds = ::gettid() == ::getpid() ? bounds_of_first_thread() : bounds_of_thread();
    }
    const auto here = reinterpret_cast<uintptr_t>(__builtin_frame_address(0));
    return here < bounds.high && here > bounds.low + much;
}

void call_on_own_stack(void (*call)(void*), void* argument) {
    if (stack_of_thread.is_used || (stack_of_thread.base == nullptr && !make_stack())) {
        call(argument);
        return;
    }
    stack_of_thread.is_used = true;
    syncline_dsm_switch_stack(call, argument, stack_of_thread.base + stack_bytes);
    stack_of_thread.is_used = false;
}

}  // namespace syncline::dsm
