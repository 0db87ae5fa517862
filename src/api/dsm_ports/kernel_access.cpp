// SPDX-License-Identifier: BSD-3-Clause
#include "kernel_access.h"

#include <link.h>

#include <algorithm>
#include <atomic>
#include <cstdint>

#include "syncline/dsm.h"

namespace syncline::ports {
namespace {

// True while this thread fetches, because a fetch may itself make system calls.
__attribute__((tls_model("initial-exec"))) thread_local bool fetching = false;

// The code of the library that serves shared memory, which contains syncline_dsm_prefetch(). 0: not looked up yet.
std::atomic<uintptr_t> library_begin{0};
std::atomic<uintptr_t> library_end{0};

int look_for_library(dl_phdr_info* object, size_t, void*) {
    const auto function = reinterpret_cast<uintptr_t>(&syncline_dsm_prefetch);
    for (int i = 0; i < object->dlpi_phnum; i++) {
        const ElfW(Phdr)& segment = object->dlpi_phdr[i];
        const uintptr_t begin = object->dlpi_addr + segment.p_vaddr;
        if (segment.p_type == PT_LOAD && function >= begin && function < begin + segment.p_memsz) {
            library_end.store(begin + segment.p_memsz, std::memory_order_relaxed);
            library_begin.store(begin, std::memory_order_release);
            return 1;
        }
    }
    return 0;
}

__attribute__((constructor)) void find_library() {
    ::dl_iterate_phdr(look_for_library, nullptr);
}

bool is_library(const void* caller) {
    const auto instruction = reinterpret_cast<uintptr_t>(caller);
    return instruction >= library_begin.load(std::memory_order_acquire) &&
           instruction < library_end.load(std::memory_order_relaxed);
}

// Finds the part of [memory, memory + bytes) that is shared.
bool find_shared(const void* memory, size_t bytes, char** begin, size_t* shared_bytes) {
    void* base = nullptr;
    size_t size = 0;
    if (syncline_dsm_range(&base, &size) != SYNCLINE_OK) {
        return false;
    }
    const auto range = reinterpret_cast<uintptr_t>(base);
    const auto first = reinterpret_cast<uintptr_t>(memory);
    if (first >= range + size || (first < range && bytes <= range - first)) {
        return false;
    }
    const uintptr_t from = std::max(first, range);
    const size_t skipped = from - first;
    *begin = reinterpret_cast<char*>(from);
    *shared_bytes = std::min(bytes - skipped, range + size - from);
    return true;
}

}  // namespace

bool fetch(const void* memory, size_t bytes, Access access, const void* caller) {
    char* begin = nullptr;
    size_t shared_bytes = 0;
    if (bytes == 0 || !find_shared(memory, bytes, &begin, &shared_bytes) || fetching || is_library(caller)) {
        return false;
    }
    const int before = errno;
    fetching = true;
    (void)syncline_dsm_prefetch(begin, shared_bytes, access == Access::writes);
    fetching = false;
    errno = before;
    return true;
}

bool fetch_parts(const iovec* parts, size_t count, Access access, const void* caller) {
    bool shared = fetch(parts, count * sizeof(iovec), Access::reads, caller);
    for (size_t i = 0; i < count && parts != nullptr; i++) {
        shared = fetch(parts[i].iov_base, parts[i].iov_len, access, caller) || shared;
    }
    return shared;
}

bool fetch_message(const msghdr* message, Access access, const void* caller) {
    if (message == nullptr) {
        return false;
    }
    bool shared = fetch_parts(message->msg_iov, message->msg_iovlen, access, caller);
    shared = fetch(message->msg_name, message->msg_namelen, access, caller) || shared;
    shared = fetch(message->msg_control, message->msg_controllen, access, caller) || shared;
    return fetch(message, sizeof(*message), access, caller) || shared;
}

}  // namespace syncline::ports
