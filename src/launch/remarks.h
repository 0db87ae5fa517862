// SPDX-License-Identifier: BSD-3-Clause
// The lines on stderr about a job that is about to begin: its bindings, and what a user may not expect.
#pragma once

#include "launch/options.h"
#include "launch/plan.h"

namespace syncline {

void print_remarks(const LaunchOptions& options, const Plan& plan);

}  // namespace syncline
