// SPDX-License-Identifier: BSD-3-Clause
// Descriptors 0 to 2: of a process that was started without some of them (`program <&-`), and the last look at what it
// has printed.
#pragma once

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstring>

namespace syncline {

// Opens those that are closed on /dev/null, as a daemon has them. Otherwise the next socket would become descriptor 0
// or 1, and the program would read its input from the socket and write its output to it. Call it before the process
// opens any file; if all three are open it costs three look-ups in the table of descriptors.
inline void fill_standard_descriptors() {
    for (int fd = STDIN_FILENO; fd <= STDERR_FILENO; fd++) {
        if (::fcntl(fd, F_GETFD) < 0) {
            const int null = ::open("/dev/null", O_RDWR);  // the lowest number that is free
            if (null > STDERR_FILENO) {
                ::close(null);
            }
        }
    }
}

// Writes what is left of the standard output. Returns the exit code, or in place of 0 another one, with a sentence, if
// not all could be written.
inline int flush_standard_output(int exit_code) {
    errno = 0;
    if (std::fflush(stdout) == 0 && std::ferror(stdout) == 0) {
        return exit_code;
    }
    std::fprintf(stderr, "syncline: cannot write to standard output%s%s\n", errno != 0 ? ": " : "",
                 errno != 0 ? std::strerror(errno) : "");
    return exit_code != 0 ? exit_code : 1;
}

}  // namespace syncline
