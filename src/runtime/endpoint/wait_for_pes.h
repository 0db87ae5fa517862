// SPDX-License-Identifier: BSD-3-Clause
// Waits that other PEs end, with checks that these PEs are still there (liveness.h).
#pragma once

#include <algorithm>

#include "base/os.h"
#include "base/status.h"
#include "runtime/endpoint/endpoint.h"
#include "runtime/ground/error_text.h"

namespace syncline {

// Waits until done(). Before that it looks up to `looks` times without sending posted operations; pass 0 if PEs of
// other nodes wait for these. Returns OK; or _NODE, or _PEER once a PE is found gone, with a message. If `from` is a
// PE, it is asked first.
template <typename Done>
int wait_for_pes(Endpoint* endpoint, int looks, int from, const Waiting::Aim& aim, Done&& done) {
    const int tries = endpoint->waiting().is_crowded() ? std::min(looks, 1) : looks;
    for (int look = 0; look < tries; look++) {
        if (done()) {
            return SYNCLINE_OK;
        }
        cpu_relax();
    }
    uint32_t gone = 0;
    const int waited = wait_among_living(&endpoint->waiting(), &endpoint->liveness(), from, &gone, aim, done);
    if (waited == SYNCLINE_ERR_PEER) {
        return error(waited, "PE {} is gone", gone);
    }
    return waited == SYNCLINE_OK ? waited : error(waited, "{}", status_text(waited));
}

// Called after a test that has failed. A program that tests in a loop thereby makes progress, lets other PEs have its
// CPU, and learns that a PE is gone, as a wait does. Returns OK, _NODE or _PEER, with a message.
int look_in_vain(Endpoint* endpoint, Batch* batch);

}  // namespace syncline
