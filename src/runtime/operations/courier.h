// SPDX-License-Identifier: BSD-3-Clause
// Sends large non-blocking puts to other nodes while their PE computes.
//
// take() only notes a put; its source stays the caller's until the batch is complete, as the specification has it. A
// thread sends the notes piece by piece, in order. finish(), which every completion of a context begins with, sends
// what is left with the caller's own CPU, so a completion is never later than if the PE had sent all by itself. The
// thread starts with the first put that is taken, and sleeps while there is none.
//
// Threads: any. Pieces are short, for a piece holds the fabric's lock while it is sent.
#pragma once

#include <atomic>
#include <deque>
#include <map>
#include <memory>
#include <mutex>

#include "base/os.h"
#include "runtime/operations/batches.h"

namespace syncline {

class Courier {
  public:
    Courier(const Fabrics* fabrics, const Waiting* waiting, Batches* batches)
        : fabrics_(fabrics), waiting_(waiting), batches_(batches) {}
    // No put is left to send: all batches have been finished.
    ~Courier();

    // Returns false if the caller must send the put itself, because it is short, because the PEs leave no CPU for the
    // thread, or because the fabric sends it from where it is.
    bool take(Batch* batch, int pe, syncline_address_t target, const void* source, size_t bytes);

    // Returns when every put taken for the batch is sent, which does not complete it: OK, or the batch's first error.
    // It is one load if no put has been taken, because every completion of a context calls it.
    int finish(Batch* batch) { return used_.load(std::memory_order_relaxed) ? send_rest(batch) : SYNCLINE_OK; }

  private:
    struct Put {
        Batch* batch;
        int pe;
        syncline_address_t target;
        const uint8_t* source;
        size_t bytes;
    };
    using Lock = std::unique_lock<std::mutex>;

    void run();
    int send_rest(Batch* batch);
    void send_piece(Lock& lock, const std::deque<Put>::iterator& put);

    const Fabrics* const fabrics_;
    const Waiting* const waiting_;
    Batches* const batches_;
    const std::unique_ptr<Doorbell> bell_ = make_doorbell();  // rung for a put, and at the end
    std::mutex guard_;                                        // guards everything below
    std::deque<Put> puts_;
    std::map<Batch*, uint32_t> in_hand_;  // for each batch: the number of pieces that are being sent
    std::map<Batch*, int> errors_;        // for each batch: its first error
    bool ending_ = false;
    std::atomic<bool> used_{false};  // a put was taken and is not finished; stored under the guard
    std::unique_ptr<Background> thread_;
};

}  // namespace syncline
