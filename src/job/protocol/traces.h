// SPDX-License-Identifier: BSD-3-Clause
// Asks a daemon, or the launcher of a job, for the traces of a node's part of the job.
#pragma once

#include <vector>

#include "job/protocol/channel.h"
#include "job/trace_text.h"

namespace syncline {

// Through a channel that Hello has opened, or through a launcher's. Throws Failure.
std::vector<ReadTrace> ask_for_traces(Channel* channel, uint32_t job, uint32_t node, const Channel::Await& await = {});

}  // namespace syncline
