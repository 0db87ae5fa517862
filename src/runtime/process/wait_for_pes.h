// SPDX-License-Identifier: BSD-3-Clause
// Waits that other PEs end, with a look at whether those are still there (liveness.h).
#pragma once

#include <algorithm>

#include "base/os.h"
#include "base/status.h"
#include "runtime/process/error_text.h"
#include "runtime/process/liveness.h"

namespace syncline {

// Waits until done(). Looks up to `looks` times before that, without sending what has been posted: none where PEs of
// other nodes wait for that. OK; _NODE, or _PEER once a PE is found gone, with a sentence; `from`, if it is a PE, is
// asked first.
template <typename Done>
int wait_for_pes(Endpoint* endpoint, int looks, int from, Done&& done) {
    const int tries = endpoint->waiting().is_crowded() ? std::min(looks, 1) : looks;
    for (int look = 0; look < tries; look++) {
        if (done()) {
            return SYNCLINE_OK;
        }
        cpu_relax();
    }
    uint32_t gone = 0;
    const int waited = wait_among_living(endpoint, from, &gone, done);
    if (waited == SYNCLINE_ERR_PEER) {
        return error(waited, "PE {} is gone", gone);
    }
    return waited == SYNCLINE_OK ? waited : error(waited, "{}", status_text(waited));
}

// After a test in vain. A program that tests in a loop makes progress, lets other PEs have its CPU, and learns as a
// wait does that a PE is gone. OK, _NODE or _PEER, with a sentence.
int look_in_vain(Endpoint* endpoint, Batch* batch);

}  // namespace syncline
