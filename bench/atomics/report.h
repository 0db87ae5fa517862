// SPDX-License-Identifier: BSD-3-Clause
// The output of the results: a table for people, JSON for programs; the picture is drawn from the JSON (pictures.h).
#pragma once

#include <string>

#include "bench/report/machine.h"
#include "bench/report/result_json.h"
#include "bench/report/results.h"

namespace syncline::bench {

std::string table_of(const Results& results, const Machine& machine);
Json json_of(const Results& results, const Machine& machine);

}  // namespace syncline::bench
