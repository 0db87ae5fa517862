// SPDX-License-Identifier: BSD-3-Clause
// Stands in for the NIC program that a daemon attaches to a node's interface.
#pragma once

#include "base/unique_fd.h"
#include "testbed/testbed.h"

namespace syncline::testbed {

// Loads the shortest program that returns `action`; for XDP_TX the program first exchanges the two MAC addresses.
UniqueFd load_nic_program(int action);
// Attaches a program for as long as the result is open.
UniqueFd attach_nic_program(const Node& node, int program);

}  // namespace syncline::testbed
