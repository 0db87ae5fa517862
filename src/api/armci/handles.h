// SPDX-License-Identifier: BSD-3-Clause
// Handles of non-blocking calls. The program owns them; the library numbers them as they are used.
#pragma once

#include "api/armci/transfer.h"

namespace syncline::armci {

// The handle of a blocking call.
armci_hdl_t* blocking();

// A call with this handle (NULL: implicit) returns so. Refuses one that has an operation already.
Returning returning_of(armci_hdl_t* handle, int process);

}  // namespace syncline::armci
