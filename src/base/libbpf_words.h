// SPDX-License-Identifier: BSD-3-Clause
// libbpf's own words are for developers, and many; our sentence carries the cause. SYNCLINE_DEBUG=1 shows both.
#pragma once

#include <bpf/libbpf.h>

#include <cstdarg>
#include <cstdio>
#include <cstdlib>

namespace syncline {

inline int print_libbpf(libbpf_print_level level, const char* format, va_list arguments) {
    if (level == LIBBPF_DEBUG || std::getenv("SYNCLINE_DEBUG") == nullptr) {
        return 0;
    }
    return std::vfprintf(stderr, format, arguments);
}

// To be called before libbpf is.
inline void silence_libbpf() {
    libbpf_set_print(print_libbpf);
}

}  // namespace syncline
