// SPDX-License-Identifier: BSD-3-Clause
#include "dsm/shared_memory.h"

#include <mutex>

#include "dsm/onesided/onesided_pages.h"
#include "dsm/onesided/onesided_synchroniser.h"

namespace syncline::dsm {

SharedMemory::SharedMemory(const Parts& parts, const Shape& shape, Protocol protocol)
    : parts_(parts),
      shape_(shape),
      layout_(shape),
      remote_(parts.endpoint, parts.base, parts.lost),
      directory_(&remote_, &layout_, shape.pages),
      notices_(&remote_, &layout_, &statistics_),
      conditions_(&remote_, &layout_, shape.locks) {
    if (protocol == Protocol::kNic) {
        start_nic();
    } else {
        start_handled(protocol == Protocol::kAsync);
    }
}

void SharedMemory::start_nic() {
    service_ = std::make_unique<OneSidedPages>(&remote_, &layout_, &directory_, &statistics_);
    pages_ = std::make_unique<Pages>(&remote_, &layout_, parts_.view, service_.get(), &statistics_, shape_.pages);
    synchroniser_ =
        std::make_unique<OneSidedSynchroniser>(&remote_, &layout_, &guard_, pages_.get(), &notices_, parts_.barrier);
}

void SharedMemory::start_handled(bool by_message) {
    handled_ = std::make_unique<HandledProtocol>(&remote_, &layout_, &directory_, &statistics_, shape_, by_message);
    pages_ = std::make_unique<Pages>(&remote_, &layout_, parts_.view, handled_->service(), &statistics_, shape_.pages);
    synchroniser_ = handled_->make_synchroniser(&guard_, pages_.get());
    handled_->start();
}

SharedMemory::~SharedMemory() {
    if (handled_ != nullptr) {
        handled_->stop(parts_.barrier);
    }
}

// Another thread may have brought the page meanwhile.
void SharedMemory::fault(uint32_t page, bool write) {
    const Timed time(&statistics_.fault_ns);
    const std::lock_guard<SpinLock> guard(guard_);
    if (pages_->right(page) == Right::kNone) {
        statistics_.read_faults += write ? 0 : 1;
    }
    statistics_.write_faults += write && pages_->right(page) != Right::kWrite ? 1 : 0;
    pages_->fault(page, write);
}

void SharedMemory::prefetch(uint32_t first, uint32_t count, bool write) {
    const std::lock_guard<SpinLock> guard(guard_);
    pages_->prefetch(first, count, write);
}

void SharedMemory::lock(uint32_t lock) {
    const Timed time(&statistics_.lock_ns);
    local_locks_.acquire(lock);
    synchroniser_->acquire(lock);
    local_locks_.set_held(lock);
    statistics_.lock_acquires++;
}

bool SharedMemory::try_lock(uint32_t lock) {
    const Timed time(&statistics_.lock_ns);
    if (!local_locks_.try_acquire(lock)) {
        return false;
    }
    if (!synchroniser_->try_acquire(lock)) {
        local_locks_.release(lock);
        return false;
    }
    local_locks_.set_held(lock);
    statistics_.lock_acquires++;
    return true;
}

bool SharedMemory::unlock(uint32_t lock) {
    if (!local_locks_.is_held(lock)) {
        return false;
    }
    const Timed time(&statistics_.lock_ns);
    synchroniser_->release(lock);
    local_locks_.release(lock);
    return true;
}

void SharedMemory::barrier() {
    const Timed time(&statistics_.barrier_ns);
    synchroniser_->barrier();
    statistics_.barriers++;
}

void SharedMemory::wait_for(uint32_t condition, uint32_t lock) {
    const uint64_t prepared = conditions_.prepare(condition);
    unlock(lock);
    if (handled_ != nullptr) {  // serves other processes meanwhile
        handled_->await([&] { return conditions_.is_woken(condition, prepared); });
    }
    conditions_.wait(condition, prepared);
    this->lock(lock);
}

void SharedMemory::set_flag(uint32_t flag, uint64_t value) {
    lock(shape_.locks + flag);
    conditions_.set_flag(flag, value);
    unlock(shape_.locks + flag);
    conditions_.wake_all(shape_.locks + flag);
}

uint64_t SharedMemory::wait_for_flag(uint32_t flag, uint64_t value) {
    const uint32_t number = shape_.locks + flag;
    for (;;) {
        lock(number);
        const uint64_t seen = conditions_.flag(flag);
        if (seen >= value) {
            unlock(number);
            return seen;
        }
        wait_for(number, number);
        unlock(number);
    }
}

// A call for more numbers than are left takes none.
uint32_t SharedMemory::take_numbers(uint32_t count) {
    for (uint64_t taken = 0; taken + count <= shape_.locks;) {
        const uint64_t old = remote_.compare_swap(0, layout_.take, taken, taken + count);
        if (old == taken) {
            return static_cast<uint32_t>(shape_.locks - taken - count);
        }
        taken = old;
    }
    return UINT32_MAX;
}

}  // namespace syncline::dsm
