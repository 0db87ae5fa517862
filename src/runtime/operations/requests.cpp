// SPDX-License-Identifier: BSD-3-Clause
#include "runtime/operations/requests.h"

#include "base/check.h"
#include "base/clock.h"
#include "base/status.h"
#include "runtime/ground/error_text.h"

namespace syncline {

Request* Requests::begin(uint64_t tag, const syncline_request_t* wanted) {
    const Guard guard(lock_);
    Request* const request = pool_.allocate(tag, wanted != nullptr, completed);
    request->owner = this;
    request->raise();
    return request;
}

void Requests::drop(Request* request) {
    const Guard guard(lock_);
    pool_.release(request);
}

void Requests::hand_out(Request* request, int status, syncline_request_t* wanted) {
    if (wanted != nullptr) {
        *wanted = RequestPool::handle(*request);
    }
    request->lower(status);
}

void Requests::completed(Completion* completion) {
    auto* const request = static_cast<Request*>(completion);
    auto* const self = static_cast<Requests*>(request->owner);
    const Guard guard(self->lock_);
    SYNCLINE_ASSERT(request->active && !request->wants_request, "request %u", request->index);
    self->completed_.push_back(request);
}

Request* Requests::find(syncline_request_t handle) {
    const Guard guard(lock_);
    return pool_.find(handle);
}

// Takes back a request that is complete.
int Requests::release(Request* request) {
    const int status = request->status();
    SYNCLINE_ASSERT(request->is_over(), "request %u", request->index);
    const Guard guard(lock_);
    pool_.release(request);
    return status;
}

// Does one turn of a caller's own loop.
void Requests::turn() {
    fabrics_->flush();
    fabrics_->progress();
    if ((turns_.fetch_add(1, std::memory_order_relaxed) + 1) % 64 == 0) {
        (void)fabrics_->retry(now_ns());
    }
}

int Requests::test(syncline_request_t request, int* done) {
    Request* const found = find(request);
    if (found == nullptr) {
        return error(SYNCLINE_ERR_INVALID, "{:#x} is no request that is still to be completed", request);
    }
    turn();
    *done = found->is_over();
    if (*done == 0) {
        return SYNCLINE_OK;
    }
    const int status = release(found);
    return status == SYNCLINE_OK ? status : error(status, "{}", status_text(status));
}

int Requests::wait(syncline_request_t request) {
    Request* const found = find(request);
    if (found == nullptr) {
        return error(SYNCLINE_ERR_INVALID, "{:#x} is no request that is still to be completed", request);
    }
    const int waited = waiting_->wait_for([&] { return found->is_over(); }, UINT64_MAX, {WaitFor::kAnswers});
    const int status = waited != SYNCLINE_OK ? waited : release(found);
    return status == SYNCLINE_OK ? status : error(status, "{}", checks_->sentence_of(status));
}

int Requests::poll(syncline_callback_t callback, void* context, int max) {
    if (callback == nullptr || max < 0) {
        return error(SYNCLINE_ERR_INVALID, "needs a callback and a maximum of at least 0, not {}", max);
    }
    turn();
    int count = 0;
    for (; count < max; count++) {
        uint64_t tag;
        int status;
        {
            const Guard guard(lock_);
            if (completed_.empty()) {
                break;
            }
            Request* const request = completed_.front();
            completed_.pop_front();
            tag = request->tag;
            status = request->status();
            pool_.release(request);
        }
        callback(tag, status, context);
    }
    return count;
}

}  // namespace syncline
