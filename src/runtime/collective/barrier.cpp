// SPDX-License-Identifier: BSD-3-Clause
#include "runtime/collective/barrier.h"

#include <algorithm>

#include "base/failure.h"
#include "runtime/collective/nic_barrier.h"
#include "runtime/collective/numbered_barrier.h"

namespace syncline {

std::unique_ptr<Barrier> open_barrier(Endpoint* endpoint, BarrierHistory* history, uint32_t number,
                                      std::vector<uint32_t> ranks, const Barrier::Options& options) {
    const bool nics_can = std::all_of(ranks.begin(), ranks.end(), [&](uint32_t rank) {
        return endpoint->fabrics().joins_barriers(static_cast<int>(rank));
    });
    if (nics_can && options.algorithm != SYNCLINE_BARRIER_SIGNALS) {
        return std::make_unique<NicBarrier>(endpoint, history, number, std::move(ranks), options);
    }
    if (options.algorithm == SYNCLINE_BARRIER_EXCHANGE || options.algorithm == SYNCLINE_BARRIER_TREE) {
        fail(SYNCLINE_ERR_UNSUPPORTED, "no NIC joins all members of barrier {}; ask for SYNCLINE_BARRIER_SIGNALS",
             number);
    }
    return std::make_unique<NumberedBarrier>(endpoint, history, number, std::move(ranks));
}

}  // namespace syncline
