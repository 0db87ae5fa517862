// SPDX-License-Identifier: BSD-3-Clause
// Every operation passes these checks before it reaches a fabric; here are also the sentences about those that fail.
#pragma once

#include <string>

#include "fabric/choice/fabrics.h"
#include "job/attachment.h"

namespace syncline {

class Checks {
  public:
    Checks(const Attachment* attachment, const Fabrics* fabrics)
        : fabrics_(fabrics), ranks_(attachment->config().ranks), heap_bytes_(attachment->job().spec.heap_bytes) {}

    int rank(int rank) const {
        return __builtin_expect(static_cast<uint32_t>(rank) < ranks_, 1) ? static_cast<int>(SYNCLINE_OK)
                                                                         : refuse_rank(rank);
    }
    // Is [address, address + bytes) of a PE in a segment, and, unless the runtime asks, not among its own words?
    int range(int rank, syncline_address_t address, uint64_t bytes, bool runtime = false) const;
    int atomic(const AtomicCall& call) const;
    // An aligned word of `width` bytes in a PE's heap: this much an inline check can tell.
    bool is_heap_word(int rank, syncline_address_t address, uint64_t width) const {
        return static_cast<uint32_t>(rank) < ranks_ &&
               address - heap_reserved_bytes <= heap_bytes_ - heap_reserved_bytes - width &&
               (address & (width - 1)) == 0;
    }

    // Keeps the sentence of an operation that failed, and returns the status.
    int explain(int status, int rank, syncline_address_t address) const;
    // The status in words, with what the fabrics know about a PE's silence.
    std::string sentence_of(int status) const;

  private:
    [[gnu::noinline, gnu::cold]] int refuse_rank(int rank) const;

    const Fabrics* const fabrics_;
    const uint32_t ranks_;
    const uint64_t heap_bytes_;
};

}  // namespace syncline
