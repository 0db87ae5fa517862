// SPDX-License-Identifier: BSD-3-Clause
// Posted operations, whose calls return before the answer comes, and the calls that order and complete them: fence and
// quiet.
//
// Each node has a completion for the operations that were posted to its PEs outside of batches; the next fence or quiet
// returns its first error. Both wait for all operations of the PE, not only for posted ones.
#pragma once

#include <memory>
#include <vector>

#include "runtime/ground/waiting.h"
#include "runtime/operations/checks.h"

namespace syncline {

class Posting {
  public:
    Posting(const Attachment* attachment, Fabrics* fabrics, Waiting* waiting, const Checks* checks);

    int post(const AtomicCall& call) {
        const int status = checks_->atomic(call);
        return status == SYNCLINE_OK ? post_checked(call, completion_of(call.rank)) : status;
    }
    // Posts an atomic whose end `completion` counts: that of a batch.
    int post_to(Completion* completion, const AtomicCall& call) {
        const int status = checks_->atomic(call);
        return status == SYNCLINE_OK ? post_checked(call, completion) : status;
    }
    // As post(), for a word of 32 or 64 bits and no compare&swap: the path of high message rates.
    int post_word(int operation, int rank, syncline_address_t target, uint64_t value) {
        const uint64_t width = (operation & SLW_WIDTH_64) == SLW_WIDTH_64 ? 8 : 4;
        if (__builtin_expect(checks_->is_heap_word(rank, target, width), 1)) {
            Completion* const posted = completion_of(rank);
            const int status = fabrics_->of(rank, operation).post_word(operation, rank, target, value, posted);
            if (__builtin_expect(status == SYNCLINE_OK, 1)) {
                return SYNCLINE_OK;
            }
        }
        return post_one(operation, rank, target, value);  // the fabric did not start it
    }

    // Sends the posted operations that have gathered, of all batches and to all nodes. It costs one load for each
    // fabric if none has gathered, so that calls which may not have to wait can begin with it.
    void send_gathered() { fabrics_->flush(); }
    int fence(int rank);
    int quiet();

    // Returns the completion that counts the posts to a PE outside of batches.
    Completion* completion_of(int rank) { return &posted_[map_.node_of(static_cast<uint32_t>(rank))]; }

  private:
    [[gnu::noinline]] int post_one(int operation, int rank, syncline_address_t target, uint64_t value);
    int post_checked(const AtomicCall& call, Completion* completion);

    Fabrics* const fabrics_;
    Waiting* const waiting_;
    const Checks* const checks_;
    const RankMap& map_;
    std::unique_ptr<Completion[]> posted_;  // one for each node
};

}  // namespace syncline
