// SPDX-License-Identifier: BSD-3-Clause
// libbpf's own messages are for developers, and there are many; Syncline's message carries the cause. SYNCLINE_DEBUG=1
// shows both. The kernel's message about a request over netlink comes only through libbpf's.
#pragma once

#include <bpf/libbpf.h>

#include <cerrno>
#include <cstdarg>
#include <cstdio>
#include <cstdlib>
#include <string>

namespace syncline {

// Where this thread's call of libbpf stores the kernel's message; NULL: it wants none.
inline thread_local std::string* kernels_sentence = nullptr;

inline void take_kernels_sentence(const char* format, va_list arguments) {
    const std::string mark = "Kernel error message: ";
    char words[512];
    (void)std::vsnprintf(words, sizeof(words), format, arguments);
    std::string heard = words;
    if (const size_t at = heard.find(mark); at != std::string::npos) {
        heard.erase(0, at + mark.size());
        *kernels_sentence = heard.substr(0, heard.find_last_not_of(".\n") + 1);
    }
}

inline int print_libbpf(libbpf_print_level level, const char* format, va_list arguments) {
    if (kernels_sentence != nullptr) {
        va_list again;
        va_copy(again, arguments);
        take_kernels_sentence(format, again);
        va_end(again);
    }
    if (level == LIBBPF_DEBUG || std::getenv("SYNCLINE_DEBUG") == nullptr) {
        return 0;
    }
    return std::vfprintf(stderr, format, arguments);
}

// Returns why a load failed. If libbpf gets no descriptor for something optional, it may go on and report at the next
// step that the descriptor is bad.
inline int why_not_loaded() {
    errno = errno == EBADF ? EMFILE : errno;
    return errno;
}

// Call it before libbpf.
inline void silence_libbpf() {
    libbpf_set_print(print_libbpf);
}

}  // namespace syncline
