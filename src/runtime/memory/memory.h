// SPDX-License-Identifier: BSD-3-Clause
// Memory that a program sees: where an address of this PE is, which address a pointer has, other PEs' memory that is
// mapped here, and registration.
#pragma once

#include "fabric/choice/fabrics.h"

namespace syncline {

class Memory {
  public:
    Memory(Attachment* attachment, Fabrics* fabrics) : attachment_(attachment), fabrics_(fabrics) {}

    // This PE's own; NULL or SYNCLINE_ADDRESS_NONE if there is none.
    void* local(syncline_address_t address) const;
    syncline_address_t address_of(const void* pointer) const;
    // local(), for the program: a variable is where the program has it, and mapped a second time where local() finds
    // it.
    void* in_program(syncline_address_t address) const;
    // [address, address + bytes) of any PE, if it is mapped here and operations on it need no fabric's help; or NULL.
    void* pointer(int rank, syncline_address_t address, uint64_t bytes) const {
        return fabrics_->of(rank).pointer(rank, address, bytes);
    }
    // The memory of all PEs of this node is mapped so.
    bool maps_node() const;

    // See syncline_register(). Throw Failure.
    // `file`, if not NULL, becomes the memory's file, for further mappings; it stays invalid where the PE is alone.
    uint32_t register_memory(void* base, uint64_t bytes, Attachment::Contents contents = Attachment::Contents::kKept,
                             UniqueFd* file = nullptr);
    // See Attachment::move_memory(). Throw Failure.
    uint32_t move_memory(const std::vector<MemoryRun>& runs);
    void deregister_memory(uint32_t segment);

    // After a write to mapped memory of a port of this node: wakes its PE if it sleeps.
    void written(uint32_t port) { fabrics_->local_memory().written(port); }
    void wake(uint32_t port) { fabrics_->local_memory().wake(port); }

  private:
    Attachment* const attachment_;
    Fabrics* const fabrics_;
};

}  // namespace syncline
