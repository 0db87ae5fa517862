// SPDX-License-Identifier: BSD-3-Clause
#include "api/armci/misaligned_sums.h"

#include <algorithm>
#include <numeric>

#include "api/armci/error.h"

namespace syncline::armci {

MisalignedSums::MisalignedSums(int processes) {
    std::vector<int> homes(static_cast<size_t>(std::min(processes, locks_max)));
    std::iota(homes.begin(), homes.end(), 0);
    locks_.resize(homes.size());
    check(syncline_locks_create(SYNCLINE_LOCK_MCS, homes.data(), static_cast<int>(homes.size()), locks_.data()));
}

void MisalignedSums::add(int process, const Batch& batch, const NumberType& type, const void* scale) {
    syncline_lock_t* const lock = locks_[static_cast<size_t>(process) % locks_.size()];
    numbers_.resize(std::max(numbers_.size(), batch.total));
    check(syncline_lock_acquire(lock));
    check(syncline_get_pieces(process, batch.base, batch.pieces.data(), batch.pieces.size(), numbers_.data()));
    uint8_t* at = numbers_.data();
    for (const Row& row : batch.rows) {
        type.add(at, row.local, row.bytes, scale);
        at += row.bytes;
    }
    check(syncline_put_pieces(process, batch.base, batch.pieces.data(), batch.pieces.size(), numbers_.data()));
    check(syncline_lock_release(lock));
}

}  // namespace syncline::armci
