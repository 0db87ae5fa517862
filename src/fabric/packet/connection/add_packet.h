// SPDX-License-Identifier: BSD-3-Clause
// Requests of adds that were stopped on their way.
#pragma once

#include <cstdint>

#include "firmware/wire.h"

namespace syncline {

// Takes the first `elements` elements off the add that the packet is, which has more of them. Another packet stays as
// it is: then `elements` must be 0. False: the packet has no such elements, and a target that says so does not keep to
// the protocol.
bool skip_elements(slw_header* packet, uint32_t elements);

}  // namespace syncline
