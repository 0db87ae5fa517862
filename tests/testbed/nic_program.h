// SPDX-License-Identifier: BSD-3-Clause
// Stands in for the NIC program that a daemon attaches to a node's interface.
#pragma once

#include "base/unique_fd.h"
#include "testbed/testbed.h"

namespace syncline::testbed {

// The shortest program that returns `action`; for XDP_TX it exchanges the two MAC addresses before.
UniqueFd load_nic_program(int action);
// Attached for as long as the result is open.
UniqueFd attach_nic_program(const Node& node, int program);

}  // namespace syncline::testbed
