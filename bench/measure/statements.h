// SPDX-License-Identifier: BSD-3-Clause
// The numbers that one run of a measurement states of a quantity, and the runs together.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "bench/report/results.h"

namespace syncline::bench {

struct Statement {
    double median = 0, p99 = 0, mean = 0;
};

// Sums a batch's samples up.
Statement statement_of(const std::vector<uint32_t>& samples);

// By quantity: the output of a program that writes lines of a name and these three numbers. Throws Failure, which
// names the library, if it writes something else.
std::map<std::string, Statement> read_statements(const std::string& output, const std::string& library);

// The medians of the runs' medians, 99th percentiles and means.
Cell cell_of(const std::vector<Statement>& runs);

}  // namespace syncline::bench
