// SPDX-License-Identifier: BSD-3-Clause
// The statistics of all jobs that this user may see from here: of jobs whose launcher is in this network namespace, and
// of the parts that this node's service has of other jobs.
#pragma once

#include <nlohmann/json.hpp>
#include <vector>

namespace syncline::tools {

// Each job is an array of its nodes' objects, as NodeJob::statistics() makes them. A launcher or a service that does
// not answer is left out.
std::vector<nlohmann::json> statistics_of_jobs();

}  // namespace syncline::tools
