// SPDX-License-Identifier: BSD-3-Clause
// The table that `syncline bench bulk` prints, and the file that it writes.
#pragma once

#include "bench/bulk/bulk_world.h"
#include "bench/report/result_json.h"

namespace syncline::bench {

// The numbers of the links of one MTU.
struct BulkResult {
    int mtu;
    Measured measured;
};

std::string bulk_table(const BulkSettings& settings, const std::vector<BulkResult>& results, const Machine& machine);
Json bulk_json(const BulkSettings& settings, const std::vector<BulkResult>& results, const Machine& machine);

}  // namespace syncline::bench
