// SPDX-License-Identifier: BSD-3-Clause
// The NIC or the host executes the messages that arrive at a node.
#pragma once

namespace syncline::sim {

enum class ExecutedBy { kNic, kHost };
inline constexpr const char* executed_by_names[] = {"nic", "host"};

}  // namespace syncline::sim
