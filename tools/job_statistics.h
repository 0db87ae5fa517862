// SPDX-License-Identifier: BSD-3-Clause
// The statistics of all jobs that this user may see from here: the jobs whose launcher is in this network namespace,
// and the parts of other jobs that this node's resident daemon has.
#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "job/protocol/channel.h"

namespace syncline::tools {

struct JobStatistics {
    std::vector<nlohmann::json>
        jobs;  // each job is an array with an object for each node, made by NodeJob::statistics()
    std::vector<std::string> silent;  // "JOB does not answer: why", for each job that did not answer in time
};
JobStatistics statistics_of_jobs();

// A launcher or a daemon that has answered.
struct Informant {
    Channel channel;
    nlohmann::json nodes;  // of a launcher's job, or of all parts of jobs that a daemon has
};
// Asks the launcher of a job, or a daemon. Throws Failure.
Informant ask_for_statistics(const std::string& address, bool is_daemon);
// Lists the abstract sockets of the launchers in this network namespace.
std::vector<std::string> sockets_of_launchers();
// Waits for an answer that is late: throws Failure with _TIMEOUT.
void await_answer(int fd);

}  // namespace syncline::tools
