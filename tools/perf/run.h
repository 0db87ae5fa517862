// SPDX-License-Identifier: BSD-3-Clause
// `syncline perf`, as each PE of the job executes it. PE 0 speaks for all.
#pragma once

#include "tools/perf/options.h"

namespace syncline::perf {

// Returns the exit code. A failure that one PE has alone ends the job.
int run(const Options& options);

}  // namespace syncline::perf
