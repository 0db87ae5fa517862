// SPDX-License-Identifier: BSD-3-Clause
// `syncline bench dsm`: the options.
#pragma once

#include <algorithm>
#include <cstdint>
#include <string>
#include <vector>

#include "bench/report/result_files.h"

namespace syncline::bench {

struct DsmSettings {
    bool quick = false;
    std::vector<std::string> parts;  // "pages", "synchronisation", "applications"
    std::vector<uint32_t> nodes;
    std::vector<int> mtus;  // applications run with the first
    std::vector<std::string> protocols, applications, sizes;
    uint64_t pages = 0;
    uint64_t iterations = 0;  // iterations of locks by each of two processes, and of barriers, in a batch
    uint64_t repeats = 0;     // rounds of everything but applications
    uint64_t runs = 0;        // runs of each application
    bool verify = true;       // whether the first run of each application is verified
    uint64_t time_limit_s = 300;
    bool authenticate = false;
    ResultFiles files;

    bool has(const std::string& part) const { return std::find(parts.begin(), parts.end(), part) != parts.end(); }
    bool has_micro() const { return has("pages") || has("synchronisation"); }
};

}  // namespace syncline::bench
