// SPDX-License-Identifier: BSD-3-Clause
#include "runtime/operations/atomics.h"

namespace syncline {

int Atomics::execute(const AtomicCall& call) {
    if (const int status = checks_->atomic(call); status != SYNCLINE_OK) {
        return status;
    }
    Fabric& fabric = fabrics_->of(call.rank, call.operation);
    Completion completion;
    int status = waiting_->start([&] { return fabric.atomic(call, &completion); });
    if (status == SYNCLINE_OK) {
        status = waiting_->finish(&completion);
    }
    return status == SYNCLINE_OK ? status : checks_->explain(status, call.rank, call.target);
}

int Atomics::start(const AtomicCall& call, uint64_t tag, syncline_request_t* request) {
    if (const int status = checks_->atomic(call); status != SYNCLINE_OK) {
        return status;
    }
    Fabric& fabric = fabrics_->of(call.rank, call.operation);
    Request* const started = requests_->begin(tag, request);
    const int status = waiting_->start([&] { return fabric.atomic(call, started); });
    if (status != SYNCLINE_OK) {
        requests_->drop(started);
        return checks_->explain(status, call.rank, call.target);
    }
    requests_->hand_out(started, SYNCLINE_OK, request);
    return SYNCLINE_OK;
}

}  // namespace syncline
