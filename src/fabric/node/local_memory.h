// SPDX-License-Identifier: BSD-3-Clause
// The memory of the PEs of this node, as this process maps it, and the waking of PEs that sleep.
//
// Threads: any. `lock_` guards the tables of mapped memory and the exchange with the daemon about it. The heaps, and
// this PE's own segments, are found without the lock: heaps never move, and a program may not deregister memory that it
// still uses.
//
// Shared words: the daemon writes a segment's `length`, with release, as 0 when the segment closes; find() reads it
// with acquire. The port's sleeper writes the port's `waiting`: see runtime/ground/waiter.h.
#pragma once

#include <cstdint>
#include <vector>

#include "base/spin_lock.h"
#include "job/attachment/attachment.h"
#include "syncline.h"

namespace syncline {

class LocalMemory {
  public:
    static constexpr syncline_address_t offset_mask = (1ull << 40) - 1;

    explicit LocalMemory(Attachment* attachment);

    // Returns [address, address + bytes) of a port of this node, or NULL if it is out of bounds or closed. Maps memory
    // that another PE has registered meanwhile.
    uint8_t* find(uint32_t port, syncline_address_t address, uint64_t bytes) {
        const uint64_t segment = address >> 40;
        if (segment >= SLW_SEGMENTS_MAX) {
            return nullptr;
        }
        const uint32_t index = port * SLW_SEGMENTS_MAX + static_cast<uint32_t>(segment);
        const uint64_t length = __atomic_load_n(&attachment_->tables().segments[index].length, __ATOMIC_ACQUIRE);
        const uint64_t offset = address & offset_mask;
        if (bytes > length || offset > length - bytes) {
            return nullptr;
        }
        if (segment != 0 && port != attachment_->port() && !map(port, static_cast<uint32_t>(segment))) {
            return nullptr;
        }
        return attachment_->bases()[index] + offset;
    }
    // Returns why find() found no memory: SYNCLINE_ERR_PEER or _ADDRESS.
    int refusal(uint32_t port, syncline_address_t address) const;

    // See syncline_register(). Throw Failure.
    uint32_t add(void* base, uint64_t bytes, Attachment::Contents contents, UniqueFd* file);
    void remove(uint32_t segment);
    // See Attachment::move_memory(). Throw Failure.
    uint32_t move(const std::vector<MemoryRun>& runs);

    // For this PE's own memory: address_of() returns the address of a pointer, or SYNCLINE_ADDRESS_NONE; at() returns
    // the place of an address, or NULL. Memory that was moved is where the program has it, not at its segment's base.
    syncline_address_t address_of(const void* pointer);
    void* at(syncline_address_t address);

    // Called after a write to a port's memory: wakes its PE if it sleeps. The fence pairs with the sleeper's (see
    // waiter.h).
    void written(uint32_t port) {
        __atomic_thread_fence(__ATOMIC_SEQ_CST);
        if (__atomic_load_n(&attachment_->tables().ports[port].waiting, __ATOMIC_RELAXED) != 0) {
            wake(port);
        }
    }
    void wake(uint32_t port);
    // Makes the port's descriptor readable; the caller has taken `waiting` back to 0.
    void signal(uint32_t port);

  private:
    struct Moved {
        uint8_t* start;
        uint64_t bytes;
        syncline_address_t address;
    };

    bool map(uint32_t port, uint32_t segment);

    Attachment* const attachment_;
    SpinLock lock_;
    std::vector<uint32_t> mapped_generation_;
    std::vector<Moved> moved_;
};

}  // namespace syncline
