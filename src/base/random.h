// SPDX-License-Identifier: BSD-3-Clause
// Random values that cannot be predicted: keys, tokens, job numbers.
#pragma once

#include <sys/random.h>

#include "base/failure.h"

namespace syncline {

// Throws Failure.
template <typename Value>
void fill_random(Value* value) {
    if (::getrandom(value, sizeof(*value), 0) != static_cast<ssize_t>(sizeof(*value))) {
        fail_errno(SYNCLINE_ERR_SYSTEM, "cannot read random bytes for the job's key");
    }
}

}  // namespace syncline
