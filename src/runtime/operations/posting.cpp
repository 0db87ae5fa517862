// SPDX-License-Identifier: BSD-3-Clause
#include "runtime/operations/posting.h"

#include "runtime/ground/error_text.h"

namespace syncline {

Posting::Posting(const Attachment* attachment, Fabrics* fabrics, Waiting* waiting, const Checks* checks)
    : fabrics_(fabrics),
      waiting_(waiting),
      checks_(checks),
      map_(attachment->job().map),
      posted_(std::make_unique<Completion[]>(map_.nodes())) {}

int Posting::post_checked(const AtomicCall& call, Completion* completion) {
    if (call.fetches()) {
        return error(SYNCLINE_ERR_INVALID, "a posted operation has no result; leave FETCH out");
    }
    Fabric& fabric = fabrics_->of(call.rank, call.operation);
    const int status = waiting_->start([&] { return fabric.post(call, completion); });
    return status == SYNCLINE_OK ? status : checks_->explain(status, call.rank, call.target);
}

int Posting::post_one(int operation, int rank, syncline_address_t target, uint64_t value) {
    AtomicCall call = {.operation = operation, .rank = rank, .target = target};
    call.operand[0] = value;
    return post(call);
}

int Posting::fence(int rank) {
    if (const int status = checks_->rank(rank); status != SYNCLINE_OK) {
        return status;
    }
    __atomic_thread_fence(__ATOMIC_SEQ_CST);
    if (fabrics_->completes_at_once(rank)) {
        return SYNCLINE_OK;
    }
    const int waited =
        waiting_->wait_for([&] { return fabrics_->is_quiet(rank); }, UINT64_MAX, {WaitFor::kQuiet, rank});
    const int posted = waited != SYNCLINE_ERR_INTERRUPTED ? completion_of(rank)->take_status() : waited;
    const int status = waited != SYNCLINE_OK ? waited : posted;
    return status == SYNCLINE_OK ? status : checks_->explain(status, rank, 0);
}

int Posting::quiet() {
    __atomic_thread_fence(__ATOMIC_SEQ_CST);
    int status = waiting_->wait_for([&] { return fabrics_->is_quiet(); }, UINT64_MAX, {WaitFor::kQuiet});
    if (status == SYNCLINE_ERR_INTERRUPTED) {
        return error(status, "{}", checks_->sentence_of(status));  // the errors are the next call's
    }
    for (uint32_t node = 0; node < map_.nodes(); node++) {
        const int posted = posted_[node].take_status();
        status = status == SYNCLINE_OK ? posted : status;
    }
    return status == SYNCLINE_OK ? status
                                 : error(status, "a posted operation failed: {}", checks_->sentence_of(status));
}

}  // namespace syncline
