// SPDX-License-Identifier: BSD-3-Clause
// The loops that time an operation.
#pragma once

#include <cstdint>

#include "bench/report/results.h"
#include "tools/perf/operation.h"

namespace syncline::perf {

// How long to look at one number.
struct Effort {
    uint64_t operations = 0;  // of a batch; 0: as many as take batch_ns
    uint64_t batch_ns = 0;
    uint64_t warm_up = 0;  // operations; 0: a part of a batch
    uint32_t repeats = 1;
};
Effort effort_of(const Options& options);

struct Measured {
    bench::Cell time;  // ns of one operation
    bench::Cell rate;  // operations a second; median 0: it has none
};

// Times operations one by one. Where they are quicker than that can be seen, a sample is the mean of a group of them,
// long enough for the clock. `part` of a time counts.
bench::Cell measure_time(Operation* operation, const Effort& effort, double part);

// Counts operations that stream, a number for each batch.
bench::Cell measure_rate(Operation* operation, const Effort& effort);

}  // namespace syncline::perf
