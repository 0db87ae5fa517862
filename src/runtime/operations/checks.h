// SPDX-License-Identifier: BSD-3-Clause
// What every operation is asked before it reaches a fabric, and the sentences about those that fail.
#pragma once

#include <string>

#include "fabric/fabric.h"
#include "job/attachment.h"

namespace syncline {

class Checks {
  public:
    explicit Checks(const Attachment* attachment) : attachment_(attachment) {}

    int rank(int rank) const;
    // Is [address, address + bytes) of a PE in a segment, and, unless the runtime asks, not among its own words?
    int range(int rank, syncline_address_t address, uint64_t bytes, bool runtime = false) const;
    int atomic(const AtomicCall& call) const;
    // An aligned word of `width` bytes in a PE's heap: what can be told without a call.
    bool is_heap_word(int rank, syncline_address_t address, uint64_t width) const {
        const JobSpec& spec = attachment_->job().spec;
        return static_cast<uint32_t>(rank) < spec.config.ranks &&
               address - heap_reserved_bytes <= spec.heap_bytes - heap_reserved_bytes - width && address % width == 0;
    }

    // Keeps the sentence of an operation that failed, and returns the status.
    int explain(int status, int rank, syncline_address_t address) const;
    // What went wrong, for a sentence; with this node's link as a possible cause of a PE's silence.
    std::string sentence_of(int status) const;

  private:
    const Attachment* const attachment_;
};

}  // namespace syncline
