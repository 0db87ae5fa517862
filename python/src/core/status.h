// SPDX-License-Identifier: BSD-3-Clause
// Statuses of the C API become exceptions: syncline.Error and its kinds, src/syncline/_errors.py.
#pragma once

#include <syncline.h>

#include <string>

namespace syncline_python {

// Raises the exception of a status with that message. The caller has the GIL.
[[noreturn]] void fail(int status, const std::string& message);

// Raises unless the status is SYNCLINE_OK. The message is that of this thread's last call.
inline void check(int status) {
    if (__builtin_expect(status != SYNCLINE_OK, 0)) {
        fail(status, syncline_last_error());
    }
}

// A count or a status, as syncline_rank() returns it.
inline int check_count(int count) {
    return count >= 0 ? count : (check(count), count);
}

}  // namespace syncline_python
