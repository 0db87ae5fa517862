// SPDX-License-Identifier: BSD-3-Clause
// The picture of a result, made from its JSON.
#pragma once

#include <fmt/format.h>

#include "bench/report/figure.h"
#include "bench/report/result_json.h"

namespace syncline::bench {

// The picture of the result of any benchmark below, without a panel if the result has nothing that its picture shows.
// Throws Failure if it is of another, nlohmann's exception if a field is missing.
Figure picture_of(const Json& result);

Figure picture_of_armci(const Json& result);
Figure picture_of_atomics(const Json& result);
Figure picture_of_barrier(const Json& result);
Figure picture_of_bulk(const Json& result);
Figure picture_of_dsm(const Json& result);
Figure picture_of_fence(const Json& result);
Figure picture_of_lock(const Json& result);
Figure picture_of_random_access(const Json& result);
Figure picture_of_shmem(const Json& result);

}  // namespace syncline::bench
