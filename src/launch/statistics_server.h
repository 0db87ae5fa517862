// SPDX-License-Identifier: BSD-3-Clause
// `syncline stat` asks the launcher of a job for the counters of all nodes: an abstract socket that only root, the
// launcher's user and the job's owner may ask.
#pragma once

#include <functional>
#include <string>

#include "job/job.h"
#include "job/protocol/channel.h"

namespace syncline {

class StatisticsServer {
  public:
    // Throws Failure.
    void listen(const JobSpec& spec);
    int fd() const { return listener_.get(); }
    // Answers one client, which has a second for each request, with `statistics` or with the Failure that it throws.
    void serve(const std::function<std::string()>& statistics);

  private:
    UniqueFd listener_;
    uid_t owner_ = 0;
};

}  // namespace syncline
