// SPDX-License-Identifier: BSD-3-Clause
// The numbers that one run of a measurement states for a quantity, and their summary over runs.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "bench/report/results.h"

namespace syncline::bench {

struct Statement {
    double median = 0, p99 = 0, mean = 0;
};

// Summarises a batch's samples.
Statement statement_of(const std::vector<uint32_t>& samples);

// Reads the output of a program that writes lines of a name and these three numbers. Returns the statements by
// quantity. Throws Failure, which names the library, if the program writes anything else.
std::map<std::string, Statement> read_statements(const std::string& output, const std::string& library);

// Returns the medians of the runs' medians, 99th percentiles and means.
Cell cell_of(const std::vector<Statement>& runs);

}  // namespace syncline::bench
