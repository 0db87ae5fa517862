// SPDX-License-Identifier: BSD-3-Clause
// Every operation passes these checks before it reaches a fabric. The messages of failed operations are made here, too.
#pragma once

#include <string>

#include "fabric/choice/fabrics.h"
#include "job/attachment/attachment.h"

namespace syncline {

class Checks {
  public:
    Checks(const Attachment* attachment, const Fabrics* fabrics)
        : fabrics_(fabrics), ranks_(attachment->config().ranks), heap_bytes_(attachment->job().spec.heap_bytes) {}

    int rank(int rank) const {
        return __builtin_expect(static_cast<uint32_t>(rank) < ranks_, 1) ? static_cast<int>(SYNCLINE_OK)
                                                                         : refuse_rank(rank);
    }
    // Checks that [address, address + bytes) of a PE is in a segment and, unless the runtime asks, not among its own
    // words.
    int range(int rank, syncline_address_t address, uint64_t bytes, bool runtime = false) const;
    int atomic(const AtomicCall& call) const;
    // Checks that the elements of an accumulate are in a segment, and aligned.
    int accumulate(const Accumulate& request) const;
    // Checks that each piece with bytes is in the segment of the base, and that this PE's memory can hold them all. The
    // address of a piece of elements must be a multiple of `alignment`, its length a multiple of `whole`.
    int pieces(const Pieces& pieces, uint32_t alignment = 1, uint32_t whole = 1) const;
    // Returns whether it is an aligned word of `width` bytes in a PE's heap, as far as an inline check can tell.
    bool is_heap_word(int rank, syncline_address_t address, uint64_t width) const {
        return static_cast<uint32_t>(rank) < ranks_ &&
               address - heap_reserved_bytes <= heap_bytes_ - heap_reserved_bytes - width &&
               (address & (width - 1)) == 0;
    }

    // Keeps the message for an operation that failed, and returns the status.
    int explain(int status, int rank, syncline_address_t address) const;
    // Returns the status in words, with what the fabrics know about a PE's silence.
    std::string sentence_of(int status) const;

  private:
    [[gnu::noinline, gnu::cold]] int refuse_rank(int rank) const;
    bool is_in_segment(syncline_address_t address, uint64_t bytes) const;
    int piece(const Pieces& pieces, size_t index, uint32_t alignment, uint32_t whole) const;

    const Fabrics* const fabrics_;
    const uint32_t ranks_;
    const uint64_t heap_bytes_;
};

}  // namespace syncline
