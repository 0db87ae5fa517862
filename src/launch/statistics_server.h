// SPDX-License-Identifier: BSD-3-Clause
// `syncline stat` and `syncline top` ask the launcher of a job for the counters of all nodes, and for their traces: an
// abstract socket that only root, the launcher's user and the job's owner may ask.
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
    // Answers one client, which has a second for each request, with `answer` or with the Failure that it throws.
    using Answer = std::function<Message(const Message& request)>;
    void serve(const Answer& answer);

  private:
    UniqueFd listener_;
    uid_t owner_ = 0;
};

}  // namespace syncline
