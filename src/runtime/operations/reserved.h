// SPDX-License-Identifier: BSD-3-Clause
// The runtime's own words, at the start of every heap, which programs may not touch (job.h, heap_reserved_bytes).
#pragma once

#include "base/check.h"
#include "runtime/operations/atomics.h"
#include "runtime/operations/posting.h"

namespace syncline {

class Reserved {
  public:
    Reserved(Attachment* attachment, Fabrics* fabrics, Waiting* waiting, Atomics* atomics, Posting* posting)
        : attachment_(attachment), fabrics_(fabrics), waiting_(waiting), atomics_(atomics), posting_(posting) {}

    // Returns the place of a word of this PE.
    uint64_t* own(syncline_address_t address) const {
        SYNCLINE_ASSERT(address < heap_reserved_bytes && address % 8 == 0, "a word at %#lx", address);
        return reinterpret_cast<uint64_t*>(attachment_->bases()[attachment_->port() * SLW_SEGMENTS_MAX] + address);
    }
    // Reads a word of any PE, atomically.
    int read(uint32_t rank, syncline_address_t address, uint64_t* value);
    // Asks a PE's NIC for a word of the PE; the NIC answers while the PE is there. Returns OK, _PEER or _NODE.
    int probe(uint32_t rank);
    // Stores consecutive words, each by itself, in no particular order; lost packets are sent again. An error that
    // comes later counts as a posted operation's.
    int store(uint32_t rank, syncline_address_t address, const uint64_t* values, uint32_t count) {
        return store_to(posting_->completion_of(static_cast<int>(rank)), rank, address, values, count);
    }
    // As store(), with a completion that counts the end of the stores.
    int store_to(Completion* completion, uint32_t rank, syncline_address_t address, const uint64_t* values,
                 uint32_t count);

  private:
    Attachment* const attachment_;
    Fabrics* const fabrics_;
    Waiting* const waiting_;
    Atomics* const atomics_;
    Posting* const posting_;
};

}  // namespace syncline
