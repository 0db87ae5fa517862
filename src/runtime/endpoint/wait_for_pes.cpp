// SPDX-License-Identifier: BSD-3-Clause
#include "runtime/endpoint/wait_for_pes.h"

#include "base/status.h"

namespace syncline {

int look_in_vain(Endpoint* endpoint, Batch* batch) {
    static thread_local uint32_t turns = 0;
    (void)endpoint->batches().is_complete(batch);
    if (++turns % 16 != 0) {
        return SYNCLINE_OK;
    }
    yield_cpu();
    if (turns % 256 == 0) {
        if (!endpoint->attachment().daemon_alive()) {
            return error(SYNCLINE_ERR_NODE, "{}", status_text(SYNCLINE_ERR_NODE));
        }
        if (const std::optional<uint32_t> gone = endpoint->liveness().look_now_and_then()) {
            return error(SYNCLINE_ERR_PEER, "PE {} is gone", *gone);
        }
    }
    return SYNCLINE_OK;
}

}  // namespace syncline
