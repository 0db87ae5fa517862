// SPDX-License-Identifier: BSD-3-Clause
#include "launch/options.h"

#include <algorithm>

namespace syncline {

std::vector<uint32_t> first_ranks(const LaunchOptions& options) {
    uint32_t next = options.ranks;
    for (const ProgramPart& part : options.more_programs) {
        next -= part.ranks;
    }
    std::vector<uint32_t> firsts = {0};
    for (const ProgramPart& part : options.more_programs) {
        firsts.push_back(next);
        next += part.ranks;
    }
    return firsts;
}

ProgramPart part_of(const LaunchOptions& options, uint32_t rank) {
    const std::vector<uint32_t> firsts = first_ranks(options);
    const auto number = static_cast<size_t>(std::upper_bound(firsts.begin(), firsts.end(), rank) - firsts.begin()) - 1;
    return number == 0 ? ProgramPart{options.ranks, options.program, options.environment, options.directory}
                       : options.more_programs[number - 1];
}

}  // namespace syncline
