// SPDX-License-Identifier: BSD-3-Clause
#include "launch/remarks.h"

#include <fmt/format.h>

namespace syncline {

void print_remarks(const LaunchOptions& options, const Plan& plan) {
    if (options.report_bindings) {
        for (const std::string& line : describe(plan.binding, plan.job.map)) {
            fmt::print(stderr, "syncline: {}\n", line);
        }
    }
    if (options.quiet) {
        return;
    }
    if (!plan.remark.empty()) {
        fmt::print(stderr, "syncline: {}\n", plan.remark);
    }
    if (const size_t shared = plan.binding.placement.on_claimed_cores; shared != 0) {
        fmt::print(stderr, "syncline: PEs on cores that other jobs have claimed: {}\n", shared);
    }
    if (!options.authenticate && plan.job.spec.properties().between_nodes) {
        fmt::print(stderr, "syncline: warning: --no-auth: every machine on the network can write this job's memory\n");
    }
}

}  // namespace syncline
