// SPDX-License-Identifier: BSD-3-Clause
// The numbers of one measurement, in the form in which the PE that has measured puts them into PE 0's memory.
#pragma once

#include <algorithm>
#include <type_traits>

#include "tools/perf/limits.h"
#include "tools/perf/measure.h"

namespace syncline::perf {

struct CellRecord {
    double median, p99, mean, min, p90, max;
    uint64_t batches;
    double batch[repeats_max];
};

struct Record {
    CellRecord time, rate;
};
static_assert(std::is_trivially_copyable_v<Record>);

inline CellRecord record_of(const bench::Cell& cell) {
    CellRecord record = {cell.median, cell.p99, cell.mean, cell.min, cell.p90, cell.max, cell.batches.size(), {}};
    std::copy(cell.batches.begin(), cell.batches.end(), record.batch);
    return record;
}

inline bench::Cell cell_of(const CellRecord& record) {
    return {.median = record.median,
            .p99 = record.p99,
            .mean = record.mean,
            .batches = {record.batch, record.batch + record.batches},
            .min = record.min,
            .p90 = record.p90,
            .max = record.max};
}

}  // namespace syncline::perf
