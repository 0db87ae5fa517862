// SPDX-License-Identifier: BSD-3-Clause
// Memory as a program sees it: the pointer for an address of this PE, the address for a pointer, other PEs' mapped
// memory, and registration.
#pragma once

#include "fabric/choice/fabrics.h"

namespace syncline {

class Memory {
  public:
    Memory(Attachment* attachment, Fabrics* fabrics) : attachment_(attachment), fabrics_(fabrics) {}

    // For this PE's own memory. local() returns NULL, and address_of() SYNCLINE_ADDRESS_NONE, if there is none.
    void* local(syncline_address_t address) const;
    syncline_address_t address_of(const void* pointer) const;
    // As local(), for the program: returns a variable where the program has it; local() finds its second mapping.
    void* in_program(syncline_address_t address) const;
    // Returns [address, address + bytes) of any PE if it is mapped here and operations on it, also atomics, need no
    // fabric's help, else NULL.
    void* pointer(int rank, syncline_address_t address, uint64_t bytes) const {
        return fabrics_->pointer(rank, address, bytes);
    }
    // Returns whether the memory of all PEs of this node is mapped in this way.
    bool maps_node() const;

    // See syncline_register(). Throw Failure. If `file` is not NULL, it becomes the memory's file, for further
    // mappings; it stays invalid if the PE is alone.
    uint32_t register_memory(void* base, uint64_t bytes, Attachment::Contents contents = Attachment::Contents::kKept,
                             UniqueFd* file = nullptr);
    // See Attachment::move_memory(). Throw Failure.
    uint32_t move_memory(const std::vector<MemoryRun>& runs);
    void deregister_memory(uint32_t segment);

    // Called after a write to mapped memory of a port of this node: wakes the port's PE if it sleeps.
    void written(uint32_t port) { fabrics_->local_memory().written(port); }
    void wake(uint32_t port) { fabrics_->local_memory().wake(port); }

  private:
    Attachment* const attachment_;
    Fabrics* const fabrics_;
};

}  // namespace syncline
