// SPDX-License-Identifier: BSD-3-Clause
#include "job/launchers/gathering_options.h"

#include "base/sizes.h"
#include "job/bootstrap.h"
#include "job/heap_size.h"
#include "job/job.h"
#include "job/job_variables.h"

namespace syncline {

GatheringOptions gathering_options_from_environment(uint32_t ranks) {
    GatheringOptions options;
    const JobVariables wished = job_variables();
    options.daemon = address_of_service();
    options.heap_bytes = plus(round_up(heap_size_from_environment(ranks).bytes, SLW_BLOCK_BYTES), heap_reserved_bytes);
    options.transport = wished.transport.value_or(options.transport);
    options.window = wished.window.value_or(options.window);
    options.authenticate = wished.authenticate.value_or(options.authenticate);
    options.peer_timeout_ms = wished.peer_timeout_ms.value_or(options.peer_timeout_ms);
    options.timeout_ms = wished.join_timeout_ms.value_or(options.timeout_ms);
    return options;
}

}  // namespace syncline
