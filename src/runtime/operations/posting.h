// SPDX-License-Identifier: BSD-3-Clause
// Posted operations, which return before they are answered, and what orders and completes them: fence and quiet.
//
// Each node has a completion for what was posted to its PEs outside of batches; its first error comes back from the
// next fence or quiet. Both wait for all operations of the PE, not for posted ones only.
#pragma once

#include <memory>
#include <vector>

#include "runtime/operations/checks.h"
#include "runtime/process/waiting.h"

namespace syncline {

class Posting {
  public:
    Posting(const Attachment* attachment, Fabrics* fabrics, Waiting* waiting, const Checks* checks);

    int post(const AtomicCall& call) {
        const int status = checks_->atomic(call);
        return status == SYNCLINE_OK ? post_checked(call, completion_of(call.rank)) : status;
    }
    // In a batch.
    int post_to(Completion* completion, const AtomicCall& call) {
        const int status = checks_->atomic(call);
        return status == SYNCLINE_OK ? post_checked(call, completion) : status;
    }
    // post() of a word on 32 or 64 bits that is no compare&swap: the path of high message rates.
    int post_word(int operation, int rank, syncline_address_t target, uint64_t value) {
        const uint64_t width = (operation & SLW_WIDTH_64) == SLW_WIDTH_64 ? 8 : 4;
        if (__builtin_expect(checks_->is_heap_word(rank, target, width), 1)) {
            Completion* const posted = completion_of(rank);
            const int status = fabrics_->of(rank).post_word(operation, rank, target, value, posted);
            if (__builtin_expect(status == SYNCLINE_OK, 1)) {
                return SYNCLINE_OK;
            }
        }
        return post_one(operation, rank, target, value);  // was not started
    }

    // Sends what posted operations have gathered, of all batches and to all nodes. Where nothing has gathered it is a
    // load for each fabric, so that calls which may not have to wait can begin with it.
    void send_gathered() { fabrics_->flush(); }
    int fence(int rank);
    int quiet();

    // Counts the posts to a PE outside of batches.
    Completion* completion_of(int rank) { return &posted_[map_.node_of(static_cast<uint32_t>(rank))]; }

  private:
    [[gnu::noinline]] int post_one(int operation, int rank, syncline_address_t target, uint64_t value);
    int post_checked(const AtomicCall& call, Completion* completion);

    Fabrics* const fabrics_;
    Waiting* const waiting_;
    const Checks* const checks_;
    const RankMap& map_;
    std::unique_ptr<Completion[]> posted_;  // per node
};

}  // namespace syncline
