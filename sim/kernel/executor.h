// SPDX-License-Identifier: BSD-3-Clause
// Who executes what arrives at a node.
#pragma once

namespace syncline::sim {

enum class Executor { kNic, kHost };
inline constexpr const char* executor_names[] = {"nic", "host"};

}  // namespace syncline::sim
