// SPDX-License-Identifier: BSD-3-Clause
#include "api/native/process.h"

namespace syncline {

Process::Process(const syncline_options_t& options) {
    std::unique_ptr<Attachment> attachment = Attachment::create();
    const JobSpec& spec = attachment->job().spec;
    heap_ = std::make_unique<Heap>(heap_reserved_bytes, spec.heap_bytes);
    auto fabrics = std::make_unique<Fabrics>(
        attachment.get(), options.peer_timeout_ms != 0 ? options.peer_timeout_ms : spec.peer_timeout_ms);
    endpoint_ = std::make_unique<Endpoint>(std::move(attachment), std::move(fabrics), options.wait_mode);
    barrier_ = std::make_unique<Barrier>(endpoint_.get());
    fence_barrier_ = std::make_unique<FenceBarrier>(endpoint_.get());
}

}  // namespace syncline
