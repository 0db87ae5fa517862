// SPDX-License-Identifier: BSD-3-Clause
#include "api/armci/local_sums.h"

#include <algorithm>

#include "api/armci/error.h"

namespace syncline::armci {

LocalSums::LocalSums() {
    if (syncline_nodes() > 1) {
        return;
    }
    check(syncline_alloc(parts * sizeof(Lock), sizeof(Lock), &address_));
    for (int process = 0; process < syncline_size(); process++) {
        locks_.push_back(static_cast<Lock*>(syncline_pointer(process, address_)));
    }
    if (std::find(locks_.begin(), locks_.end(), nullptr) != locks_.end()) {
        locks_.clear();  // all processes find the same: memory is mapped on the whole node, or nowhere
    }
}

void LocalSums::acquire(int process, Lock* lock) {
    constexpr int tries = 1000;
    constexpr int64_t pause_us = 20;
    const auto own = static_cast<uint64_t>(syncline_rank()) + 1;
    for (int tried = 1;; tried++) {
        uint64_t holder = __atomic_load_n(&lock->holder, __ATOMIC_RELAXED);
        if (holder == 0 &&
            __atomic_compare_exchange_n(&lock->holder, &holder, own, false, __ATOMIC_ACQUIRE, __ATOMIC_RELAXED)) {
            return;
        }
        if (tried % tries == 0) {
            uint64_t word = 0;
            check(syncline_get(process, address_, &word, sizeof(word)));
            check(holder == 0 ? 0 : syncline_get(static_cast<int>(holder) - 1, address_, &word, sizeof(word)));
            const int status = syncline_wait_until64(static_cast<const uint64_t*>(syncline_local(address_)),
                                                     SYNCLINE_EQ, UINT64_MAX, pause_us);
            check(status == SYNCLINE_ERR_TIMEOUT ? 0 : status);
        }
    }
}

// All processes count a complex number that lies in two parts to the first part.
void LocalSums::add(int process, syncline_address_t address, const Row& row, const NumberType& type,
                    const void* scale) {
    Lock* const locks = locks_[static_cast<size_t>(process)];
    uint8_t* to = row.remote;
    const uint8_t* from = row.local;
    for (uint64_t left = row.bytes; left > 0;) {
        const uint64_t to_end = part_bytes - address % part_bytes;
        const uint64_t some = std::min(left, (to_end + type.bytes - 1) / type.bytes * type.bytes);
        Lock* const lock = &locks[address / part_bytes % parts];
        acquire(process, lock);
        type.add(to, from, some, scale);
        __atomic_store_n(&lock->holder, 0, __ATOMIC_RELEASE);
        to += some;
        from += some;
        address += some;
        left -= some;
    }
}

}  // namespace syncline::armci
