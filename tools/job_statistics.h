// SPDX-License-Identifier: BSD-3-Clause
// The statistics of all jobs that this user may see from here: of jobs whose launcher is in this network namespace, and
// of the parts that this node's service has of other jobs.
#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

namespace syncline::tools {

struct JobStatistics {
    std::vector<nlohmann::json> jobs;  // each an array of its nodes' objects, as NodeJob::statistics() makes them
    std::vector<std::string> silent;   // "JOB does not answer: why", of those that keep the asker waiting
};
JobStatistics statistics_of_jobs();

}  // namespace syncline::tools
