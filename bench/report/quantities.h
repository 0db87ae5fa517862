// SPDX-License-Identifier: BSD-3-Clause
// The quantities that the benchmarks measure, by their names in a result's file.
#pragma once

namespace syncline::bench {

enum class Better { kLower, kHigher };

struct Quantity {
    const char* benchmark;
    const char* unit;
    Better better = Better::kLower;
    const char* by = "";  // the parameter whose values name the rows; "": each row's name is a subject
};

namespace quantities {

// syncline bench atomics
constexpr Quantity latency = {"latency", "ns"};
constexpr Quantity computing_target = {"computing target", "ns"};
constexpr Quantity same_node = {"same node", "ns"};
constexpr Quantity rate = {"rate", "operations/s", Better::kHigher};
constexpr Quantity counter = {"counter", "iterations/ms", Better::kHigher, "offered_per_s"};
constexpr Quantity bandwidth = {"bandwidth", "bytes/s", Better::kHigher, "offered_per_s"};

// syncline bench barrier, fence
constexpr Quantity barrier = {"barrier", "ns", Better::kLower, "nodes"};
constexpr Quantity fence_after_all = {"fence after writes to all", "ns", Better::kLower, "nodes"};
constexpr Quantity fence_after_some = {"fence after writes to some", "ns", Better::kLower, "targets"};

// syncline bench lock
constexpr Quantity acquire_and_release = {"acquire and release", "ns", Better::kLower, "contenders"};
constexpr Quantity acquire = {"acquire", "ns", Better::kLower, "contenders"};
constexpr Quantity release = {"release", "ns", Better::kLower, "contenders"};
constexpr Quantity requests = {"requests", "requests/section", Better::kLower, "contenders"};
constexpr Quantity unfairness = {"unfairness", "ratio", Better::kLower, "contenders"};

// syncline bench shmem, random-access
constexpr Quantity shmem_time = {"shmem", "ns"};
constexpr Quantity shmem_rate = {"shmem", "operations/s", Better::kHigher};
constexpr Quantity random_access = {"random access", "updates/s", Better::kHigher, "nodes"};

// syncline bench armci
constexpr Quantity armci = {"armci", "ns"};

// syncline bench bulk, with `rate` above
constexpr Quantity bulk = {"bulk", "ns"};
constexpr Quantity pieces = {"pieces", "ns"};
constexpr Quantity undisturbed = {"undisturbed", "iterations/ms", Better::kHigher};

// syncline perf
constexpr Quantity perf_time = {"perf time", "ns"};
constexpr Quantity perf_rate = {"perf rate", "operations/s", Better::kHigher};
constexpr Quantity perf_bandwidth = {"perf bandwidth", "bytes/s", Better::kHigher};

}  // namespace quantities

}  // namespace syncline::bench
