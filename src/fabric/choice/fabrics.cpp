// SPDX-License-Identifier: BSD-3-Clause
#include "fabric/choice/fabrics.h"

#include <algorithm>

#include "base/clock.h"
#include "fabric/choice/factory.h"
#include "fabric/memory/memory_fabric.h"
#include "fabric/packet/connection/packet_fabric.h"

namespace syncline {

Fabrics::Fabrics(Attachment* attachment, uint32_t peer_timeout_ms)
    : local_memory_(attachment), nic_(attachment, &local_memory_) {
    const JobSpec& spec = attachment->job().spec;
    std::unique_ptr<Transport> transport;
    if (!attachment->alone() && has_packets(spec)) {
        tables_ = std::make_unique<PacketTables>(PacketTables::map(attachment));
        transport = make_transport(attachment, *tables_, &local_memory_);
    }
    // Faults strike packets: if a job of one node asks for faults, its operations go by packets, too.
    choose(attachment, std::move(transport), {peer_timeout_ms, spec.properties().between_nodes || !spec.faults.any()});
}

Fabrics::Fabrics(Attachment* attachment, std::unique_ptr<PacketTables> tables, std::unique_ptr<Transport> transport,
                 const Options& options)
    : local_memory_(attachment), nic_(attachment, &local_memory_), tables_(std::move(tables)) {
    choose(attachment, std::move(transport), options);
}

Fabrics::~Fabrics() = default;

void Fabrics::choose(Attachment* attachment, std::unique_ptr<Transport> transport, const Options& options) {
    memory_ = std::make_unique<MemoryFabric>(attachment, &local_memory_);
    if (transport) {
        packets_ = std::make_unique<PacketFabric>(attachment, *tables_, &local_memory_, &nic_, std::move(transport),
                                                  uint64_t{options.peer_timeout_ms} * ns_per_ms);
        moving_.push_back(packets_.get());
    }
    const Job& job = attachment->job();
    for (uint32_t rank = 0; rank < job.spec.config.ranks; rank++) {
        const bool here = options.direct && job.map.node_of(rank) == job.spec.config.node;
        here_.push_back(here ? 1 : 0);
    }
}

uint64_t Fabrics::retry(uint64_t now) {
    uint64_t next = UINT64_MAX;
    for (Fabric* const fabric : moving_) {
        next = std::min(next, fabric->retry(now));
    }
    return next;
}

bool Fabrics::is_quiet() {
    return std::all_of(moving_.begin(), moving_.end(),
                       [](Fabric* fabric) { return fabric->is_quiet(Fabric::any_rank); });
}

void Fabrics::forget(Completion* completion) {
    for (Fabric* const fabric : moving_) {
        fabric->forget(completion);
    }
}

std::string Fabrics::trouble() const {
    for (const Fabric* const fabric : moving_) {
        if (std::string found = fabric->trouble(); !found.empty()) {
            return found;
        }
    }
    return {};
}

std::vector<int> Fabrics::wait_fds() const {
    std::vector<int> all;
    for (const Fabric* const fabric : moving_) {
        const std::vector<int> fds = fabric->wait_fds();
        all.insert(all.end(), fds.begin(), fds.end());
    }
    return all;
}

}  // namespace syncline
