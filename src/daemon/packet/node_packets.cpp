// SPDX-License-Identifier: BSD-3-Clause
#include "daemon/packet/node_packets.h"

#include <spdlog/spdlog.h>

#include <algorithm>

#include "base/failure.h"
#include "daemon/addresses.h"
#include "firmware/native.h"

namespace syncline {

NodePackets::NodePackets(const Job& job, NodeTarget* target, NodeMemory::Share* memory, const Trace* trace)
    : job_(job),
      target_(target),
      memory_(memory),
      socket_(make_udp_socket(job.addresses[job.spec.config.node], static_cast<uint16_t>(job.spec.config.udp_port))),
      retransmitter_(&job, socket_.get(), trace),
      barrier_timer_(job, target->barriers(), emit, this, trace),
      neighbours_(job, target, emit, this) {
    for (uint32_t port = 0; port < job.spec.config.ports; port++) {
        retransmitter_.add_port(port, target->images_fd(port));
    }
    if (fw_target* const native = target->native(); native != nullptr) {
        native->emit = emit;
        native->emit_context = this;
        agent_ = std::make_unique<UdpAgent>(socket_.get(), native, job.spec.agent_mode, job.spec.agent_cpu);
    }
}

void NodePackets::emit(void* packets, uint32_t node, const uint8_t* packet, uint32_t length) {
    const auto* const self = static_cast<NodePackets*>(packets);
    // A message that cannot be sent counts as lost, and is asked for.
    (void)send_to_node(self->socket_.get(), self->job_, node, packet, length);
}

// Adds rows before they are needed, because requests that find none have to come again.
void NodePackets::add_rows() {
    fw_rows* const rows = target_->rows();
    const uint32_t taken = __atomic_load_n(&rows->taken, __ATOMIC_RELAXED);
    const uint32_t more = std::min<uint32_t>(job_.spec.config.ranks - rows->room, FW_CHUNK_ROWS);
    if (more == 0 || taken + rows_ahead <= rows->room || rows_refused_) {
        return;
    }
    try {
        memory_->grow_tables(rows_bytes(job_.spec.config, more));
        target_->add_rows(more);
    } catch (const Failure& failure) {
        rows_refused_ = true;
        spdlog::error("job {:08x}: PEs that send here for the first time get no answer: {}", job_.spec.config.job,
                      failure.what());
    }
}

int NodePackets::do_work(uint64_t now) {
    add_rows();
    return retransmitter_.do_work(now) + barrier_timer_.do_work(now);
}

}  // namespace syncline
