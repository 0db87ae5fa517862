// SPDX-License-Identifier: BSD-3-Clause
// Handles of non-blocking calls. The program owns the handles; the library numbers them as they are used.
#pragma once

#include "api/armci/transfer.h"

namespace syncline::armci {

// Returns the handle that stands for a blocking call.
armci_hdl_t* blocking();

// Returns how a call with this handle (NULL: implicit) returns. Refuses a handle that has an operation already.
Returning returning_of(armci_hdl_t* handle, int process);

}  // namespace syncline::armci
