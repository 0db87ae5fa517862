// SPDX-License-Identifier: BSD-3-Clause
// The only file that knows the transports by name.
#pragma once

#include <memory>

#include "fabric/node/local_memory.h"
#include "fabric/packet/tables.h"
#include "fabric/packet/transport.h"

namespace syncline {

// Returns the transport of the attachment's job, which has_packets(), wrapped in faults if the job asks for them.
// Throws Failure.
std::unique_ptr<Transport> make_transport(Attachment* attachment, const PacketTables& tables, LocalMemory* memory);

// Returns the capabilities of a transport between nodes.
const TransportCapabilities& capabilities_of(TransportKind kind);

}  // namespace syncline
