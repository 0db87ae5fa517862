// SPDX-License-Identifier: BSD-3-Clause
// The only file that knows the transports by name.
#pragma once

#include <memory>

#include "fabric/node/local_memory.h"
#include "fabric/packet/transport.h"

namespace syncline {

// Returns the transport of the attachment's job, wrapped in faults if the job asks for them. NULL for a job of one node
// without faults, in which no operation goes by packets. Throws Failure.
std::unique_ptr<Transport> make_transport(Attachment* attachment, LocalMemory* memory);

// Returns the capabilities of a transport between nodes.
const TransportCapabilities& capabilities_of(TransportKind kind);

}  // namespace syncline
