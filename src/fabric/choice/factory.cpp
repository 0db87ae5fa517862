// SPDX-License-Identifier: BSD-3-Clause
#include "fabric/choice/factory.h"

#include "fabric/packet/fault/fault_transport.h"
#include "fabric/packet/shm/shm_transport.h"
#include "fabric/packet/udp/udp_transport.h"
#include "fabric/packet/xdp/xdp_transport.h"

namespace syncline {

std::unique_ptr<Transport> make_transport(Attachment* attachment, const PacketTables& tables, LocalMemory* memory) {
    const JobSpec& spec = attachment->job().spec;
    std::unique_ptr<Transport> transport;
    switch (spec.transport) {
        case TransportKind::kXdp:
            transport = std::make_unique<XdpTransport>(attachment->take_sockets(), attachment->job(), spec.interface);
            break;
        case TransportKind::kUdp:
            transport = std::make_unique<UdpTransport>(attachment->take_sockets(), attachment->job());
            break;
        case TransportKind::kShm:
            transport = std::make_unique<ShmTransport>(attachment, tables, memory);
            break;
    }
    if (spec.faults.any()) {
        transport = std::make_unique<FaultTransport>(std::move(transport), spec.faults, attachment->rank());
    }
    return transport;
}

const TransportCapabilities& capabilities_of(TransportKind kind) {
    switch (kind) {
        case TransportKind::kXdp:
            return XdpTransport::own;
        case TransportKind::kUdp:
            return UdpTransport::own;
        case TransportKind::kShm:
            break;
    }
    return ShmTransport::own;
}

}  // namespace syncline
