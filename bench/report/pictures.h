// SPDX-License-Identifier: BSD-3-Clause
// The picture of a result, drawn from its JSON.
#pragma once

#include "bench/report/result_json.h"

namespace syncline::bench {

// Draws the result of any benchmark below. Throws Failure if it is of another, nlohmann's exception if a field is
// missing.
std::string picture_of(const Json& result);

std::string picture_of_armci(const Json& result);
std::string picture_of_atomics(const Json& result);
std::string picture_of_barrier(const Json& result);
std::string picture_of_bulk(const Json& result);
std::string picture_of_dsm(const Json& result);
std::string picture_of_fence(const Json& result);
std::string picture_of_lock(const Json& result);
std::string picture_of_random_access(const Json& result);
std::string picture_of_shmem(const Json& result);

}  // namespace syncline::bench
