// SPDX-License-Identifier: BSD-3-Clause
#include "fabric/node/nic.h"

namespace syncline {

Nic::Nic(Attachment* attachment, LocalMemory* memory) : completions_of_port_(attachment->config().ports) {
    completions_of_port_[attachment->port()] = attachment->tables().completions;
    state_.config = &attachment->config();
    state_.ranks = attachment->job().map.ranks_of(attachment->config().node).data();
    state_.directory = attachment->tables().directory;
    state_.completions = completions_of_port_.data();
    state_.ports = attachment->tables().ports;
    state_.counters = attachment->alone() ? &own_counters_ : &attachment->tables().requests->counters;
    state_.barriers = attachment->tables().barriers;
    state_.wake = [](void* self, uint32_t port) { static_cast<LocalMemory*>(self)->signal(port); };
    state_.wake_context = memory;
}

void Nic::connect(void* fabric, void (*emit)(void*, uint32_t, const uint8_t*, uint32_t), void (*take)(void*)) {
    state_.emit = emit;
    state_.emit_context = fabric;
    receive_ = take;
    receiver_ = fabric;
}

}  // namespace syncline
