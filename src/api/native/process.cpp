// SPDX-License-Identifier: BSD-3-Clause
#include "api/native/process.h"

#include "fabric/packet/factory.h"

namespace syncline {

Process::Process(const syncline_options_t& options) {
    std::unique_ptr<Attachment> attachment = Attachment::create();
    const Job& job = attachment->job();
    nic_config_ = std::make_unique<fw_config>(job.spec.config);
    nic_completions_.resize(job.spec.config.ports);
    nic_.config = nic_config_.get();
    nic_.ranks = job.map.ranks_of(job.spec.config.node).data();
    nic_.slots = attachment->slots();
    nic_.segments = attachment->segments();
    nic_.memory = attachment->bases();
    nic_.completions = nic_completions_.data();
    nic_.ports = attachment->ports();
    nic_.counters = &nic_counters_;
    Endpoint::Options chosen;
    chosen.wait_mode = options.wait_mode;
    chosen.peer_timeout_ms = options.peer_timeout_ms != 0 ? options.peer_timeout_ms : job.spec.peer_timeout_ms;
    chosen.direct = job.spec.transport != TransportKind::kShm || !job.spec.faults.any();
    heap_ = std::make_unique<Heap>(heap_reserved_bytes, job.spec.heap_bytes);
    std::unique_ptr<Transport> transport =
        attachment->alone() ? nullptr : make_transport(job, attachment->rank(), attachment->take_sockets(), &nic_);
    endpoint_ = std::make_unique<Endpoint>(std::move(attachment), std::move(transport), chosen);
    barrier_ = std::make_unique<Barrier>(endpoint_.get());
    fence_barrier_ = std::make_unique<FenceBarrier>(endpoint_.get());
    nic_.wake = [](void* endpoint, uint32_t port) { static_cast<Endpoint*>(endpoint)->signal(port); };
    nic_.wake_context = endpoint_.get();
}

}  // namespace syncline
