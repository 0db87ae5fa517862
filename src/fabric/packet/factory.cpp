// SPDX-License-Identifier: BSD-3-Clause
#include "fabric/packet/factory.h"

#include "fabric/packet/fault/fault_transport.h"
#include "fabric/packet/shm/shm_transport.h"
#include "fabric/packet/udp/udp_transport.h"
#include "fabric/packet/xdp/xdp_transport.h"

namespace syncline {

std::unique_ptr<Transport> make_transport(const Job& job, uint32_t rank, std::vector<UniqueFd> sockets, fw_nic* nic) {
    std::unique_ptr<Transport> transport;
    switch (job.spec.transport) {
        case TransportKind::kXdp:
            transport = std::make_unique<XdpTransport>(std::move(sockets));
            break;
        case TransportKind::kUdp:
            transport = std::make_unique<UdpTransport>(std::move(sockets));
            break;
        case TransportKind::kShm:
            if (!job.spec.faults.any()) {
                return nullptr;
            }
            transport = std::make_unique<ShmTransport>(nic);
            break;
    }
    if (job.spec.faults.any()) {
        transport = std::make_unique<FaultTransport>(std::move(transport), job.spec.faults, rank);
    }
    return transport;
}

const TransportCapabilities& capabilities_of(TransportKind kind) {
    switch (kind) {
        case TransportKind::kXdp:
            return XdpTransport::own;
        case TransportKind::kUdp:
            return UdpTransport::own;
        default:
            return ShmTransport::own;
    }
}

}  // namespace syncline
