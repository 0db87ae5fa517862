// SPDX-License-Identifier: BSD-3-Clause
// Memory that processes share by its descriptor.
#pragma once

#include <sys/mman.h>
#include <sys/resource.h>
#include <unistd.h>

#include <cerrno>
#include <cstdint>

#include "base/unique_fd.h"

namespace syncline {

// Returns whether a file of this process may have that length; otherwise errno is EFBIG. The kernel ends a process that
// makes a file longer than its limit (ulimit -f) by SIGXFSZ, and signals are the program's. So check this before making
// a file.
inline bool may_have_file_of(uint64_t bytes) {
    rlimit limit = {};
    if (::getrlimit(RLIMIT_FSIZE, &limit) != 0 || limit.rlim_cur == RLIM_INFINITY || bytes <= limit.rlim_cur) {
        return true;
    }
    errno = EFBIG;
    return false;
}

// Makes a memory file of so many bytes, all 0. Returns none, with errno, if so many are impossible.
inline UniqueFd make_memory_file(const char* name, uint64_t bytes, unsigned flags = 0) {
    UniqueFd file(::memfd_create(name, MFD_CLOEXEC | flags));
    if (!file || !may_have_file_of(bytes) || ::ftruncate(file.get(), static_cast<off_t>(bytes)) != 0) {
        const int error = errno;
        file.reset();
        errno = error;
    }
    return file;
}

}  // namespace syncline
