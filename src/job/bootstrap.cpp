// SPDX-License-Identifier: BSD-3-Clause
#include "job/bootstrap.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <iterator>
#include <optional>
#include <string>

#include "base/variables.h"

namespace syncline {

namespace {

constexpr Bootstrap bootstraps[] = {Bootstrap::kAlone, Bootstrap::kLocal, Bootstrap::kPmix, Bootstrap::kPmi2};

// Every process that a PMIx server has started has it.
constexpr const char* pmix_variable = "PMIX_NAMESPACE";

}  // namespace

const char* name_of(Bootstrap kind) {
    switch (kind) {
        case Bootstrap::kLocal:
            return "local";
        case Bootstrap::kPmix:
            return "pmix";
        case Bootstrap::kPmi2:
            return "pmi2";
        default:
            return "alone";
    }
}

BootstrapChoice choose_bootstrap() {
    if (const std::optional<std::string> wanted = text_in("SYNCLINE_BOOTSTRAP")) {
        const auto* const kind = std::find_if(std::begin(bootstraps), std::end(bootstraps),
                                              [&](Bootstrap known) { return *wanted == name_of(known); });
        return {*kind, "SYNCLINE_BOOTSTRAP says so"};
    }
    if (std::getenv("SYNCLINE_SOCKET") != nullptr) {
        return {Bootstrap::kLocal, fmt::format("SYNCLINE_SOCKET is set, by `syncline run`")};
    }
    if (std::getenv(pmix_variable) != nullptr) {
        return {Bootstrap::kPmix, fmt::format("{} is set, by a PMIx launcher", pmix_variable)};
    }
    // Launchers of other MPIs set PMI_FD as well, and speak an older PMI over it.
    if (std::getenv("PMI_FD") != nullptr && std::getenv("SLURM_STEP_ID") != nullptr) {
        return {Bootstrap::kPmi2, "PMI_FD is set, by Slurm's `srun --mpi=pmi2`"};
    }
    return {Bootstrap::kAlone, "neither `syncline run` nor a launcher with PMIx or PMI-2 has started this process"};
}

std::string address_of_service() {
    return text_in("SYNCLINE_DAEMON").value_or(service_socket);
}

}  // namespace syncline
