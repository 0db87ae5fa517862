// SPDX-License-Identifier: BSD-3-Clause
// The statistics of all jobs that this user may see from here: the jobs whose launcher is in this network namespace,
// and the parts of other jobs that this node's resident daemon has.
#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

namespace syncline::tools {

struct JobStatistics {
    std::vector<nlohmann::json>
        jobs;  // each job is an array with an object for each node, made by NodeJob::statistics()
    std::vector<std::string> silent;  // "JOB does not answer: why", for each job that did not answer in time
};
JobStatistics statistics_of_jobs();

}  // namespace syncline::tools
