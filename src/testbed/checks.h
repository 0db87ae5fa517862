// SPDX-License-Identifier: BSD-3-Clause
// Checks that refuse a test bed before any part of it is made.
#pragma once

#include <string>

#include "testbed/testbed.h"

namespace syncline::testbed {

void check_privilege();
void check_options(const Options& options);
void check_faults(const Faults& faults, SwitchKind kind);
void check_name(const std::string& name);

}  // namespace syncline::testbed
