// SPDX-License-Identifier: BSD-3-Clause
// The traces of the job to which a process belongs: of all nodes of a job of `syncline run`, else of this node.
#pragma once

#include <sys/types.h>

#include <vector>

#include "job/trace_text.h"

namespace syncline::tools {

// `process`: a PE, or the job's `syncline run`. Only root and the job's user may ask. Throws Failure if no trace is
// found.
std::vector<ReadTrace> traces_of_process(pid_t process);

}  // namespace syncline::tools
