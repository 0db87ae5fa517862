// SPDX-License-Identifier: BSD-3-Clause
// The one place that knows the transports by name.
#pragma once

#include <memory>

#include "base/unique_fd.h"
#include "fabric/packet/transport.h"
#include "firmware/native.h"
#include "job/job.h"

namespace syncline {

// The transport of a job, wrapped in faults where the job asks for them. `sockets` are the daemon's, one per node;
// `nic` is what shm's packet path executes on. NULL for shm without faults: then nothing travels in packets. Throws
// Failure.
std::unique_ptr<Transport> make_transport(const Job& job, uint32_t rank, std::vector<UniqueFd> sockets, fw_nic* nic);

// What a transport between nodes can do.
const TransportCapabilities& capabilities_of(TransportKind kind);

}  // namespace syncline
