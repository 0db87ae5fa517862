// SPDX-License-Identifier: BSD-3-Clause
// Locks (1.5, section 9.12): a queue (Buntinas 2002, section IV) in the `long` itself, which is all the memory that a
// lock has.
//
// The 8 bytes are, at the home, `tail`: 4 bytes, rank + 1 of the last PE in the queue; and at each PE, `next`: 2 bytes,
// the PE behind it, and `waits`: 2 bytes. All are 0 if no PE has the lock or wants it. The home is a PE that follows
// from the address. First come, first served. A waiter polls its own memory only, or sleeps. Costs: uncontended, an
// acquire and a release are one atomic each; queued, an acquire is one atomic and a put, a release one put.
#include <cstring>

#include "api/shmem/define.h"
#include "api/shmem/rma.h"

namespace syncline::shmem {
namespace {

constexpr size_t next_offset = 4;
constexpr size_t waits_offset = 6;

struct Lock {
    uint8_t* word;
    int home;

    uint32_t own_id() const { return static_cast<uint32_t>(library->me) + 1; }
    uint16_t* own(size_t offset) const { return reinterpret_cast<uint16_t*>(word + offset); }

    void put_half(int pe, size_t offset, uint16_t value) const {
        put(library->context, word + offset, &value, sizeof(value), pe);
    }
    // Executes an atomic on the home's tail. Returns the old value.
    uint32_t tail_atomic(int operation, uint32_t operand, uint32_t comparand) const {
        const Target target = resolve(library->context, word, sizeof(uint32_t), home);
        uint32_t old = 0;
        AtomicCall call = {
            .operation = operation | SYNCLINE_32 | SYNCLINE_FETCH, .rank = target.pe, .target = target.address};
        call.operand[0] = operand;
        call.comparand[0] = comparand;
        call.result = &old;
        check(library->endpoint.atomics().execute(call));
        return old;
    }
    // Waits for an act of PE `from`.
    template <typename Done>
    void wait(int from, Done&& done) const {
        wait_for(first_looks, from, {WaitFor::kPe, from}, done);
    }
};

Lock lock_at(long* lock) {
    Library& state = about_to_wait();
    const Region* const region = state.world.memory().find(lock, sizeof(*lock));
    if (region == nullptr) {
        die_of_address(lock, sizeof(*lock), state.me);
    }
    if (reinterpret_cast<uintptr_t>(lock) % sizeof(*lock) != 0) {
        die_of_alignment(lock, sizeof(*lock), state.me);
    }
    if (state.size > UINT16_MAX - 1) {
        die(fmt::format("locks are for at most {} PEs", UINT16_MAX - 1));
    }
    const uint64_t place = (region->address + reinterpret_cast<uintptr_t>(lock) - region->start) / sizeof(*lock);
    return {reinterpret_cast<uint8_t*>(lock), static_cast<int>(place % static_cast<uint64_t>(state.size))};
}

}  // namespace
}  // namespace syncline::shmem

using namespace syncline::shmem;

extern "C" {

void pshmem_set_lock(long* word) {
    begin_call("shmem_set_lock");
    const Lock lock = lock_at(word);
    __atomic_store_n(lock.own(waits_offset), uint16_t{1}, __ATOMIC_RELEASE);
    const uint32_t before = lock.tail_atomic(SYNCLINE_SWAP, lock.own_id(), 0);
    if (before == 0) {
        __atomic_store_n(lock.own(waits_offset), uint16_t{0}, __ATOMIC_RELEASE);
        return;
    }
    const int predecessor = static_cast<int>(before) - 1;
    lock.put_half(predecessor, next_offset, static_cast<uint16_t>(lock.own_id()));
    lock.wait(predecessor, [&] { return __atomic_load_n(lock.own(waits_offset), __ATOMIC_ACQUIRE) == 0; });
}

// All operations of the critical section are complete before the lock is passed on.
void pshmem_clear_lock(long* word) {
    begin_call("shmem_clear_lock");
    const Lock lock = lock_at(word);
    quiet(library->context);
    const auto next = [&] { return __atomic_load_n(lock.own(next_offset), __ATOMIC_ACQUIRE); };
    if (next() == 0) {
        if (lock.tail_atomic(SYNCLINE_CAS, 0, lock.own_id()) == lock.own_id()) {
            return;
        }
        lock.wait(-1, [&] { return next() != 0; });
    }
    const int successor = next() - 1;
    __atomic_store_n(lock.own(next_offset), uint16_t{0}, __ATOMIC_RELEASE);
    lock.put_half(successor, waits_offset, 0);
}

int pshmem_test_lock(long* word) {
    begin_call("shmem_test_lock");
    const Lock lock = lock_at(word);
    if (lock.tail_atomic(SYNCLINE_CAS, lock.own_id(), 0) == 0) {
        return 0;
    }
    looked_in_vain();
    return 1;
}

DEFINE_NAMES(SHMEM_LOCKS_)

}  // extern "C"
