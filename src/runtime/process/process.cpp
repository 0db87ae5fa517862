// SPDX-License-Identifier: BSD-3-Clause
#include "runtime/process/process.h"

#include "runtime/ground/error_text.h"

namespace syncline {

Process::Process(const Options& options) : Process(attach(options), options.wait_mode) {}

Process::Parts Process::attach(const Options& options) {
    Parts parts;
    parts.attachment = Attachment::create(options.members);
    const uint32_t jobs = parts.attachment->job().spec.peer_timeout_ms;
    parts.fabrics = std::make_unique<Fabrics>(parts.attachment.get(),
                                              options.peer_timeout_ms != 0 ? options.peer_timeout_ms : jobs);
    return parts;
}

Process::Process(Parts parts, int wait_mode)
    : blocks_(wait_mode == SYNCLINE_WAIT_BLOCK),
      heap_(std::make_unique<Heap>(heap_reserved_bytes, parts.attachment->job().spec.heap_bytes)),
      endpoint_(std::make_unique<Endpoint>(std::move(parts.attachment), std::move(parts.fabrics), wait_mode)),
      barrier_history_(endpoint_.get()) {
    job_barrier_ = std::make_unique<JobBarrier>(endpoint_.get());
    fence_barrier_ = std::make_unique<FenceBarrier>(endpoint_.get());
}

Process::~Process() = default;

int Process::barrier() {
    const std::lock_guard<std::mutex> guard(collective_);
    return job_barrier_->run();
}

void Process::part() {
    const std::lock_guard<std::mutex> guard(collective_);
    job_barrier_->part();
}

int Process::fence_barrier(Barrier* barrier, std::span<const uint32_t> members, int algorithm) {
    const std::lock_guard<std::mutex> guard(collective_);
    return fence_barrier_->run(barrier, members, algorithm);
}

int Process::allocate(size_t bytes, size_t alignment, syncline_address_t* address) {
    if (bytes == 0 || address == nullptr || (alignment & (alignment - 1)) != 0 || alignment > (1u << 30)) {
        return error(SYNCLINE_ERR_INVALID,
                     "{} bytes aligned to {}: needs at least 1 byte, a power of two up to 1 GiB and a place for the "
                     "address",
                     bytes, alignment);
    }
    uint64_t offset;
    {
        const std::lock_guard<std::mutex> guard(collective_);
        offset = heap_->allocate(bytes, alignment != 0 ? alignment : 64);
        if (offset == Heap::none) {
            return error(SYNCLINE_ERR_NO_MEMORY,
                         "{} bytes do not fit into the symmetric heap, whose largest free range is {}; start with a "
                         "larger `syncline run --heap` or SYNCLINE_HEAP_SIZE",
                         bytes, heap_->largest_free());
        }
    }
    const int status = barrier();
    if (status == SYNCLINE_OK) {
        *address = offset;
    }
    return status;
}

int Process::free(syncline_address_t address) {
    if (const int status = barrier(); status != SYNCLINE_OK) {
        return status;
    }
    const std::lock_guard<std::mutex> guard(collective_);
    if (!heap_->free(address)) {
        return error(SYNCLINE_ERR_ADDRESS, "nothing was allocated at address {:#x}", address);
    }
    return SYNCLINE_OK;
}

void Process::keep(std::shared_ptr<void> object) {
    const std::lock_guard<std::mutex> guard(kept_guard_);
    const void* const key = object.get();
    kept_.emplace(key, std::move(object));
}

void Process::forget(const void* object) {
    const std::lock_guard<std::mutex> guard(kept_guard_);
    kept_.erase(object);
}

void Process::forget_all() {
    const std::lock_guard<std::mutex> guard(kept_guard_);
    kept_.clear();
}

}  // namespace syncline
