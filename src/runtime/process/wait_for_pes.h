// SPDX-License-Identifier: BSD-3-Clause
// Waits for what other PEs bring about, with a look at who of them is still there (liveness.h).
#pragma once

#include <algorithm>
#include <optional>

#include "base/clock.h"
#include "base/os.h"
#include "runtime/collective/job_barrier.h"
#include "runtime/process/error_text.h"
#include "runtime/process/liveness.h"

namespace syncline {

// A PE that is gone and has not been reported; `first`, if it is a PE, is asked first.
std::optional<uint32_t> find_gone(Endpoint* endpoint, int first);

// Waits until done(), which is called under the endpoint's lock. Up to `looks` are made before that, without sending
// what has been posted: none where PEs of other nodes wait for that. OK; _NODE, or _PEER once a PE is found gone, with
// a sentence; `from`, if it is a PE, is asked first.
template <typename Done>
int wait_for_pes(Endpoint* endpoint, int looks, int from, Done&& done) {
    const int tries = endpoint->waiting().is_crowded() ? std::min(looks, 1) : looks;
    for (int look = 0; look < tries; look++) {
        if (done()) {
            return SYNCLINE_OK;
        }
        cpu_relax();
    }
    for (;;) {
        const int waited = endpoint->waiting().wait_for(done, now_ns() + Liveness::patience_ns);
        if (waited == SYNCLINE_OK) {
            return waited;
        }
        if (waited != SYNCLINE_ERR_TIMEOUT) {
            return error(waited, "{}", syncline_error_string(waited));
        }
        if (const std::optional<uint32_t> gone = find_gone(endpoint, from); gone && !done()) {
            return error(SYNCLINE_ERR_PEER, "PE {} is gone", *gone);
        }
    }
}

// After a test in vain. A program that tests in a loop makes progress, lets other PEs have its CPU, and learns as a
// wait does that a PE is gone. OK, _NODE or _PEER, with a sentence.
int look_in_vain(Endpoint* endpoint, Batch* batch);

}  // namespace syncline
