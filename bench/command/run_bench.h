// SPDX-License-Identifier: BSD-3-Clause
// The steps of a `syncline bench` command around its measurement.
#pragma once

#include <fmt/format.h>

#include "base/interruption.h"
#include "bench/report/machine.h"
#include "bench/report/pictures.h"
#include "bench/report/result_files.h"

namespace syncline::bench {

// Measures, prints the table and writes the requested files. A Bench is constructed from Arguments, which have `files`;
// it has run(), table() and json(), and exit_code() if a part of a measurement may fail. Returns the exit code. Throws
// Failure; if a file cannot be written to, it does so before it measures.
template <typename Bench, typename Arguments>
int run_bench(const Arguments& arguments) {
    const DeferredSignals deferred;  // when a signal comes, the next wait throws, so that all destructors run
    arguments.files.check();
    Bench bench(arguments);
    bench.run();
    const Machine machine = describe_machine();
    fmt::print(arguments.files.stream_of_table(), "{}", bench.table(machine));
    const Json json = bench.json(machine);
    arguments.files.write(text_of(json), picture_of(json));
    if constexpr (requires { bench.exit_code(); }) {
        return bench.exit_code();
    }
    return 0;
}

}  // namespace syncline::bench
