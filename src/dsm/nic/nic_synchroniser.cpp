// SPDX-License-Identifier: BSD-3-Clause
#include "dsm/nic/nic_synchroniser.h"

#include <mutex>
#include <utility>

namespace syncline::dsm {
namespace {

using Guard = std::lock_guard<SpinLock>;

uint64_t bit_of(uint32_t process) {
    return uint64_t{1} << (process % 64);
}

}  // namespace

NicSynchroniser::NicSynchroniser(const Remote* remote, const Layout* layout, SpinLock* guard, Pages* pages,
                                 Notices* notices, Barrier* barrier)
    : remote_(remote),
      layout_(layout),
      guard_(guard),
      pages_(pages),
      notices_(notices),
      barrier_(barrier),
      at_barrier_(remote->processes(), 0) {}

NicSynchroniser::Held& NicSynchroniser::held(uint32_t lock) {
    const Guard guard(locks_guard_);
    std::unique_ptr<Held>& held = locks_[lock];
    if (held == nullptr) {
        held = std::make_unique<Held>(&remote_->endpoint(), remote_->address(layout_->lock(lock)),
                                      static_cast<int>(lock % remote_->processes()));
    }
    return *held;
}

void NicSynchroniser::acquire(uint32_t lock) {
    Held& own = held(lock);
    remote_->check(own.lock.acquire(no_deadline));
    take_over(lock, &own);
}

bool NicSynchroniser::try_acquire(uint32_t lock) {
    Held& own = held(lock);
    const int status = own.lock.try_acquire();
    if (status == SYNCLINE_ERR_BUSY) {
        return false;
    }
    remote_->check(status);
    take_over(lock, &own);
    return true;
}

void NicSynchroniser::take_over(uint32_t lock, Held* held) {
    held->knowledge.resize(remote_->processes());
    remote_->get(lock % remote_->processes(), layout_->knowledge_of(lock), held->knowledge.data(),
                 held->knowledge.size() * sizeof(uint64_t));
    const Guard guard(*guard_);
    for (uint32_t process = 0; process < remote_->processes(); process++) {
        heard_ |= held->knowledge[process] > at_barrier_[process] ? bit_of(process) : 0;
    }
    Notices::News news;
    notices_->read_to(held->knowledge, &news);
    pages_->invalidate(news, Pages::Moment::kLock);
}

// Diffs are at the homes before the notices can be read.
void NicSynchroniser::publish() {
    notices_->publish(pages_->flush());
}

void NicSynchroniser::release(uint32_t lock) {
    Held& own = held(lock);
    std::vector<uint64_t> knowledge;
    {
        const Guard guard(*guard_);
        publish();
        knowledge = notices_->known();
    }
    if (knowledge != own.knowledge) {
        remote_->put(lock % remote_->processes(), layout_->knowledge_of(lock), knowledge.data(),
                     knowledge.size() * sizeof(uint64_t));
    }
    remote_->check(own.lock.release());
}

// For the next barrier: the processes whose notices since the last one some process may lack.
uint64_t NicSynchroniser::own_mask() {
    const uint32_t me = remote_->me();
    const uint64_t own = notices_->published() != at_barrier_[me] ? bit_of(me) : 0;
    at_barrier_ = notices_->known();
    return own | std::exchange(heard_, 0);
}

void NicSynchroniser::barrier() {
    const uint32_t processes = remote_->processes();
    uint64_t mask = 0;
    {
        const Guard guard(*guard_);
        publish();
        mask = own_mask();
    }
    remote_->check(barrier_->start(Reduction::kOr, mask));
    remote_->check(barrier_->wait());
    mask = barrier_->result();
    std::vector<uint32_t> writers;
    for (uint32_t process = 0; process < processes; process++) {
        if ((mask & bit_of(process)) != 0 && process != remote_->me()) {
            writers.push_back(process);
        }
    }
    const Guard guard(*guard_);
    Notices::News news;
    notices_->read_all(writers, &news);
    pages_->invalidate(news, Pages::Moment::kBarrier);
}

}  // namespace syncline::dsm
