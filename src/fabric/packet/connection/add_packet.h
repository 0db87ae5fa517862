// SPDX-License-Identifier: BSD-3-Clause
// Requests of adds that the target has executed in part.
#pragma once

#include <cstdint>

#include "firmware/wire.h"

namespace syncline {

// Takes the first `elements` elements off the add in the packet, which has more of them. A packet that is no add stays
// as it is; then `elements` must be 0. Returns false if the packet has fewer elements: a target that reports so many
// violates the protocol.
bool skip_elements(slw_header* packet, uint32_t elements);

}  // namespace syncline
