// SPDX-License-Identifier: BSD-3-Clause
#include "fabric/node/local_memory.h"

#include <mutex>

#include "base/failure.h"
#include "base/os.h"
#include "base/sizes.h"

namespace syncline {

using Guard = std::lock_guard<SpinLock>;

LocalMemory::LocalMemory(Attachment* attachment)
    : attachment_(attachment), mapped_generation_(SLW_PORTS_MAX * SLW_SEGMENTS_MAX) {}

// A registration that was taken back and made anew has another generation, and other memory.
bool LocalMemory::map(uint32_t port, uint32_t segment) {
    const Guard guard(lock_);
    const uint32_t index = port * SLW_SEGMENTS_MAX + segment;
    const uint32_t generation = __atomic_load_n(&attachment_->tables().segments[index].generation, __ATOMIC_ACQUIRE);
    if (mapped_generation_[index] != generation) {
        attachment_->bases()[index] = nullptr;
    }
    if (!attachment_->map_segment(port, segment)) {
        return false;
    }
    mapped_generation_[index] = generation;
    return true;
}

int LocalMemory::refusal(uint32_t port, syncline_address_t address) const {
    const fw_segment& entry = attachment_->tables().segments[port * SLW_SEGMENTS_MAX + (address >> 40)];
    return __atomic_load_n(&entry.state, __ATOMIC_ACQUIRE) == FW_SEGMENT_CLOSED ? SYNCLINE_ERR_PEER
                                                                                : SYNCLINE_ERR_ADDRESS;
}

uint32_t LocalMemory::add(void* base, uint64_t bytes, Attachment::Contents contents, UniqueFd* file) {
    const Guard guard(lock_);
    const auto start = reinterpret_cast<uintptr_t>(base);
    for (uint32_t segment = 0; segment < SLW_SEGMENTS_MAX; segment++) {
        const uint32_t index = attachment_->port() * SLW_SEGMENTS_MAX + segment;
        const auto other = reinterpret_cast<uintptr_t>(attachment_->bases()[index]);
        if (other != 0 && start < other + attachment_->tables().segments[index].length && other < plus(start, bytes)) {
            fail(SYNCLINE_ERR_INVALID, "{} bytes at {} overlap segment {}, which is registered", bytes, base, segment);
        }
    }
    return attachment_->register_memory(base, bytes, contents, file);
}

void LocalMemory::remove(uint32_t segment) {
    const Guard guard(lock_);
    attachment_->deregister_memory(segment);
}

void LocalMemory::wake(uint32_t port) {
    if (__atomic_exchange_n(&attachment_->tables().ports[port].waiting, 0, __ATOMIC_SEQ_CST) != 0) {
        signal(port);
    }
}

void LocalMemory::signal(uint32_t port) {
    signal_event(attachment_->event(port));
}

}  // namespace syncline
