// SPDX-License-Identifier: BSD-3-Clause
#include "fabric/node/process_target.h"

namespace syncline {

ProcessTarget::ProcessTarget(Attachment* attachment, LocalMemory* memory)
    : completions_of_port_(attachment->config().ports), port_(attachment->port()) {
    state_.config = &attachment->config();
    state_.ranks = attachment->job().map.ranks_of(attachment->config().node).data();
    state_.completions = completions_of_port_.data();
    state_.ports = attachment->tables().ports;
    state_.counters = &own_counters_;
    state_.barriers = attachment->tables().barriers;
    state_.wake = [](void* self, uint32_t port) { static_cast<LocalMemory*>(self)->signal(port); };
    state_.wake_context = memory;
}

void ProcessTarget::connect(const Packets& packets) {
    completions_of_port_[port_] = packets.completions;
    state_.directory = packets.directory;
    state_.counters = packets.counters;
    state_.emit = packets.emit;
    state_.emit_context = packets.fabric;
    receive_ = packets.take;
    receiver_ = packets.fabric;
}

}  // namespace syncline
