// SPDX-License-Identifier: BSD-3-Clause
// Batches: puts, gets and atomics that are completed together, apart from those of other batches. The library has
// read the memory that an operation reads when the call returns, unless it lasts; it has written the memory that an
// operation writes once the batch is complete.
#pragma once

#include <memory>
#include <mutex>
#include <unordered_map>

#include "runtime/operations/posting.h"

namespace syncline {

struct Batch : Completion {};

class Batches {
  public:
    Batches(Fabrics* fabrics, Waiting* waiting, Posting* posting, const Checks* checks)
        : fabrics_(fabrics), waiting_(waiting), posting_(posting), checks_(checks) {}

    Batch* open();
    void close(Batch* batch);  // the batch must be complete
    // `lasts`: the caller leaves the source as it is until the batch is complete, so that no fabric need copy it.
    int put(Batch* batch, int rank, syncline_address_t target, const void* source, size_t bytes, bool lasts = false);
    int get(Batch* batch, int rank, syncline_address_t source, void* target, size_t bytes);
    int move_pieces(Batch* batch, Direction direction, Pieces pieces);
    int atomic(Batch* batch, const AtomicCall& call);
    int post(Batch* batch, const AtomicCall& call) { return posting_->post_to(batch, call); }
    // Puts data and, when the data is there, executes the atomic, of one unit, on a word of the same PE. Uses one
    // request if the fabric can.
    int put_signal(Batch* batch, syncline_address_t target, const void* source, size_t bytes, const AtomicCall& signal);
    // Waits for all operations of the batch; returns the first error since the last call.
    int complete(Batch* batch);
    bool is_complete(Batch* batch);  // makes progress

  private:
    int move(Batch* batch, Direction direction, Transfer transfer);

    Fabrics* const fabrics_;
    Waiting* const waiting_;
    Posting* const posting_;
    const Checks* const checks_;
    std::mutex guard_;  // guards `open_`
    std::unordered_map<Batch*, std::unique_ptr<Batch>> open_;
};

}  // namespace syncline
