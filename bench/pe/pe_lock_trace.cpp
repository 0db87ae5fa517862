// SPDX-License-Identifier: BSD-3-Clause
// The queueing lock of Buntinas 2002, section IV, over the public calls, so that each operation on another PE's word
// can be noted with the time at which it is issued. These are the operations of SYNCLINE_LOCK_MCS without deadlines: a
// swap of the tail at the home; behind another PE a store of the own link at that one; a compare&swap of the tail or a
// store of the grant at the successor. The tail holds rank + 1 of the last in the queue, 0: free.
#include <cstring>

#include "base/clock.h"
#include "bench/pe/pe.h"

namespace syncline::bench {
namespace {

constexpr uint64_t tail_offset = 256;  // of Pe::word, used at the home
constexpr uint64_t link_offset = 320;  // at every PE: rank + 1 of its successor
constexpr uint64_t grant_offset = 328;

class TracedLock {
  public:
    TracedLock(const Pe& pe, int home) : base_(pe.word), home_(home) {}

    void acquire() {
        store_own(link_offset, 0);
        store_own(grant_offset, 0);
        const uint64_t before = atomic(SYNCLINE_SWAP, home_, tail_offset, me(), 0);
        if (before != 0) {
            atomic(SYNCLINE_SWAP, static_cast<int>(before) - 1, link_offset, me(), 0);
            await(grant_offset);
        }
    }

    void release() {
        if (load_own(link_offset) == 0 && atomic(SYNCLINE_CAS, home_, tail_offset, 0, me()) == me()) {
            return;
        }
        await(link_offset);
        atomic(SYNCLINE_SWAP, static_cast<int>(load_own(link_offset)) - 1, grant_offset, 1, 0);
    }

    const std::vector<TracedOperation>& operations() const { return operations_; }

  private:
    static uint64_t me() { return static_cast<uint64_t>(syncline_rank()) + 1; }
    uint64_t* own(uint64_t offset) const { return static_cast<uint64_t*>(syncline_local(base_ + offset)); }
    uint64_t load_own(uint64_t offset) const { return __atomic_load_n(own(offset), __ATOMIC_ACQUIRE); }
    void store_own(uint64_t offset, uint64_t value) { __atomic_store_n(own(offset), value, __ATOMIC_RELEASE); }
    void await(uint64_t offset) const { must(syncline_wait_until64(own(offset), SYNCLINE_NE, 0, -1)); }

    uint64_t atomic(int operation, int rank, uint64_t offset, uint64_t operand, uint64_t comparand) {
        const bool compare = operation == SYNCLINE_CAS;
        operations_.push_back({now_ns(), operand, comparand, static_cast<uint32_t>(rank), static_cast<uint32_t>(offset),
                               compare ? 1u : 0u, 0});
        uint64_t before = 0;
        must(syncline_atomic(operation | SYNCLINE_64 | SYNCLINE_FETCH, rank, base_ + offset, &operand,
                             compare ? &comparand : nullptr, &before));
        return before;
    }

    const syncline_address_t base_;
    const int home_;
    std::vector<TracedOperation> operations_;
};

}  // namespace

Outcome trace_lock(const Pe& pe, const Command& command) {
    const auto home = static_cast<int>(command.target);
    TracedLock lock(pe, home);
    pass_gate(pe, home, command.gate);
    for (uint64_t i = 0; i < command.count; i++) {
        lock.acquire();
        lock.release();
    }
    Outcome outcome;
    outcome.operations = lock.operations().size();
    outcome.samples.resize(outcome.operations * sizeof(TracedOperation) / sizeof(uint32_t));
    std::memcpy(outcome.samples.data(), lock.operations().data(), outcome.samples.size() * sizeof(uint32_t));
    return outcome;
}

}  // namespace syncline::bench
