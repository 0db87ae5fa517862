// SPDX-License-Identifier: BSD-3-Clause
#include "dsm/onesided/onesided_synchroniser.h"

#include <mutex>
#include <utility>

#include "base/check.h"

namespace syncline::dsm {
namespace {

using SpinGuard = std::lock_guard<SpinLock>;

uint64_t bit_of(uint32_t process) {
    return uint64_t{1} << (process % 64);
}

}  // namespace

OneSidedSynchroniser::OneSidedSynchroniser(const Remote* remote, const Layout* layout, SpinLock* guard, Pages* pages,
                                           Notices* notices, Barrier* barrier)
    : remote_(remote),
      layout_(layout),
      guard_(guard),
      pages_(pages),
      notices_(notices),
      barrier_(barrier),
      at_barrier_(remote->processes(), 0) {}

LocalReleaseLock& OneSidedSynchroniser::own(uint32_t lock) {
    const SpinGuard guard(locks_guard_);
    std::unique_ptr<LocalReleaseLock>& own = locks_[lock];
    if (own == nullptr) {
        own = std::make_unique<LocalReleaseLock>(&remote_->endpoint(), remote_->address(layout_->lock(lock)),
                                                 static_cast<int>(lock % remote_->processes()));
    }
    return *own;
}

void OneSidedSynchroniser::acquire(uint32_t lock) {
    LocalReleaseLock& own_lock = own(lock);
    remote_->check(own_lock.acquire(no_deadline));
    take_over(lock, own_lock);
}

bool OneSidedSynchroniser::try_acquire(uint32_t lock) {
    LocalReleaseLock& own_lock = own(lock);
    const int status = own_lock.try_acquire();
    if (status == SYNCLINE_ERR_BUSY) {
        return false;
    }
    remote_->check(status);
    take_over(lock, own_lock);
    return true;
}

void OneSidedSynchroniser::take_over(uint32_t lock, const LocalReleaseLock& own_lock) {
    const int holder = own_lock.last_holder();
    SYNCLINE_ASSERT(own_lock.held(), "lock %u", lock);
    SYNCLINE_CHECK_SHARED(holder < static_cast<int>(remote_->processes()), "PE %d of %u held lock %u", holder,
                          remote_->processes(), lock);
    if (holder < 0 || holder == static_cast<int>(remote_->me())) {
        return;
    }
    const SpinGuard guard(*guard_);
    Notices::News news;
    const std::vector<uint64_t> knowledge =
        notices_->read_to_that_of(static_cast<uint32_t>(holder), layout_->knowledge_of(lock), &news);
    for (uint32_t process = 0; process < remote_->processes(); process++) {
        heard_ |= knowledge[process] > at_barrier_[process] ? bit_of(process) : 0;
    }
    pages_->invalidate(news, Pages::Moment::kLock);
}

// Diffs are at the homes before another process can read the notices.
void OneSidedSynchroniser::publish() {
    notices_->publish(pages_->flush());
}

// The release of the lock after it is the word that orders these stores.
void OneSidedSynchroniser::store_knowledge(uint32_t lock) {
    SYNCLINE_CHECK(pages_->is_flushed(), "lock %u hands on knowledge before the writes", lock);
    uint64_t* const words = remote_->own_word(layout_->knowledge_of(lock));
    for (uint32_t process = 0; process < remote_->processes(); process++) {
        __atomic_store_n(words + process, notices_->known()[process], __ATOMIC_RELAXED);
    }
}

void OneSidedSynchroniser::release(uint32_t lock) {
    {
        const SpinGuard guard(*guard_);
        publish();
        store_knowledge(lock);
    }
    remote_->check(own(lock).release());
}

// Returns the news for the next barrier: the records that some process may lack.
Notices::Row OneSidedSynchroniser::news_since_last_barrier() {
    const uint64_t from = at_barrier_[remote_->me()];
    for ([[maybe_unused]] uint32_t process = 0; process < remote_->processes(); process++) {
        SYNCLINE_CHECK(notices_->known()[process] >= at_barrier_[process], "%lu records of PE %u, and %lu before",
                       notices_->known()[process], process, at_barrier_[process]);
    }
    at_barrier_ = notices_->known();
    const uint64_t heard = std::exchange(heard_, 0);
    return layout_->has_board() ? notices_->row(from, heard)
                                : Notices::Row{.from = from, .head = notices_->published(), .heard = heard};
}

std::vector<uint32_t> OneSidedSynchroniser::others_of(uint64_t bits) const {
    std::vector<uint32_t> others;
    for (uint32_t process = 0; process < remote_->processes(); process++) {
        if ((bits & bit_of(process)) != 0 && process != remote_->me()) {
            others.push_back(process);
        }
    }
    return others;
}

void OneSidedSynchroniser::barrier() {
    const bool has_board = layout_->has_board();
    const uint64_t number = barriers_++;
    const uint64_t own_bit = bit_of(remote_->me());
    Notices::Row row;
    {
        const SpinGuard guard(*guard_);
        publish();
        row = news_since_last_barrier();
    }
    uint64_t mask = row.heard | (row.head != row.from ? own_bit : 0);
    if (has_board && mask != 0) {
        notices_->post(number, row);
        mask = own_bit;
    }
    remote_->check(barrier_->start(Reduction::kOr, mask));
    remote_->check(barrier_->wait());
    mask = barrier_->result();
    const SpinGuard guard(*guard_);
    Notices::News news;
    if (has_board) {
        mask = notices_->read_boards(number, others_of(mask), &news);
    }
    notices_->read_all(others_of(mask), &news);
    pages_->invalidate(news, Pages::Moment::kBarrier);
}

}  // namespace syncline::dsm
