// SPDX-License-Identifier: BSD-3-Clause
// Requests that the target has executed in part, and answered by SLW_RETRY: operations that lost their word to others
// in every round (see syncline/operations.h), a pair whose lock was held, adds of floating-point numbers.
#pragma once

#include <cstdint>

#include "firmware/wire.h"

namespace syncline {

// Returns whether the answer to the request may be SLW_RETRY.
bool may_be_partial(const slw_header* packet);

// Takes what the target has executed off the packet: the first `executed` elements of an add, or units of any other
// request. Returns false if the packet has not more than that, or `executed` ends within an operation, or the part that
// is executed fetched: a target that reports so violates the protocol, because only a request by itself fetches.
bool skip_executed(slw_header* packet, uint32_t executed);

}  // namespace syncline
