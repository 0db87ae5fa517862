// SPDX-License-Identifier: BSD-3-Clause
// The one place that knows the transports by name.
#pragma once

#include <memory>

#include "fabric/node/local_memory.h"
#include "fabric/packet/transport.h"

namespace syncline {

// The transport of the attachment's job, wrapped in faults where the job asks for them. NULL for a job of one node
// without faults: then nothing travels in packets. Throws Failure.
std::unique_ptr<Transport> make_transport(Attachment* attachment, LocalMemory* memory);

// The capabilities of a transport between nodes.
const TransportCapabilities& capabilities_of(TransportKind kind);

}  // namespace syncline
