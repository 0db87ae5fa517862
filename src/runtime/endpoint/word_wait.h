// SPDX-License-Identifier: BSD-3-Clause
// Waiting for a word of this PE's memory that other PEs write.
#pragma once

#include "runtime/endpoint/endpoint.h"

namespace syncline {

// See syncline_wait_until64().
int wait_until64(Endpoint* endpoint, const uint64_t* word, int comparison, uint64_t value, int64_t timeout_us);

}  // namespace syncline
