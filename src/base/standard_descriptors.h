// SPDX-License-Identifier: BSD-3-Clause
// Descriptors 0 to 2 of a process that was started without some of them (`program <&-`).
#pragma once

#include <fcntl.h>
#include <unistd.h>

namespace syncline {

// Makes those that are closed /dev/null, as they are for a daemon. Otherwise the next socket becomes descriptor 0 or 1,
// and the program reads its input from there and writes its output into it. To be called before the process opens
// anything; where all three are open it costs three looks at the table of descriptors.
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

}  // namespace syncline
