// SPDX-License-Identifier: BSD-3-Clause
#include "dsm/live/resumption.h"

#include <sys/mman.h>

#include <csignal>
#include <cstdlib>
#include <cstring>

namespace syncline::dsm {
namespace {

constexpr size_t page_length = 4096;
constexpr int loaded = 1234;

void* hidden_page = nullptr;

void show_page(int) {
    ::mprotect(hidden_page, page_length, PROT_READ);
}

// A register is written before the instruction that faults, read after it, and written again, so that valgrind
// considers the first write one that it may omit.
int read_behind_fault(const void* address) {
    int found = 0;
#if defined(__x86_64__)
    asm volatile("movl $1234, %%ecx\n\tmovzbl (%1), %%eax\n\tmovl %%ecx, %0\n\txorl %%ecx, %%ecx"
                 : "=r"(found)
                 : "r"(address)
                 : "rax", "rcx", "memory");
#elif defined(__aarch64__)
    asm volatile("mov w9, #1234\n\tldrb w10, [%1]\n\tmov %w0, w9\n\tmov w9, wzr"
                 : "=r"(found)
                 : "r"(address)
                 : "x9", "x10", "memory");
#endif
    return found;
}

bool is_in_valgrind() {
    const char* const preloaded = std::getenv("LD_PRELOAD");
    return preloaded != nullptr && std::strstr(preloaded, "/vgpreload_") != nullptr;
}

}  // namespace

bool resumes_with_registers() {
    if (!is_in_valgrind()) {
        return true;
    }
    hidden_page = ::mmap(nullptr, page_length, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    struct sigaction shows = {};
    struct sigaction before = {};
    shows.sa_handler = show_page;
    if (hidden_page == MAP_FAILED || ::sigaction(SIGSEGV, &shows, &before) != 0) {
        return true;
    }
    const int found = read_behind_fault(hidden_page);
    ::sigaction(SIGSEGV, &before, nullptr);
    ::munmap(hidden_page, page_length);
    return found == loaded;
}

}  // namespace syncline::dsm
