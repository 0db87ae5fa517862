// SPDX-License-Identifier: BSD-3-Clause
#include "tools/perf/measure.h"

#include <algorithm>

#include "base/clock.h"

namespace syncline::perf {
namespace {

constexpr uint64_t sample_ns_min = 2000;  // a reading of the clock takes some 25
constexpr uint64_t group_max = 4096;
constexpr uint64_t warm_up_share = 4;  // of a batch

uint64_t time_of(Operation* operation, uint64_t count) {
    const uint64_t start = now_ns();
    operation->run(count);
    return now_ns() - start;
}

uint64_t time_of_stream(Operation* operation, uint64_t count) {
    const uint64_t start = now_ns();
    operation->stream(count);
    return now_ns() - start;
}

uint64_t warm_up_operations(const Effort& effort) {
    return effort.warm_up != 0 ? effort.warm_up : effort.operations / warm_up_share;
}

void warm_up(Operation* operation, const Effort& effort) {
    if (effort.warm_up != 0 || effort.operations != 0) {
        operation->run(warm_up_operations(effort));
        return;
    }
    const uint64_t end = now_ns() + effort.batch_ns / warm_up_share;
    do {
        operation->run(1);
    } while (now_ns() < end);
}

// So many operations that the clock can tell their time.
uint64_t group_of(Operation* operation, const Effort& effort) {
    const uint64_t most = effort.operations != 0 ? std::min(group_max, effort.operations) : group_max;
    uint64_t group = 1;
    while (2 * group <= most && time_of(operation, group) < sample_ns_min) {
        group *= 2;
    }
    return group;
}

// So many operations that their stream takes as long as a batch is to.
uint64_t streamed_in_batch(Operation* operation, const Effort& effort) {
    if (effort.operations != 0) {
        operation->stream(warm_up_operations(effort));
        return effort.operations;
    }
    operation->stream(effort.warm_up);
    uint64_t count = 1;
    uint64_t elapsed = time_of_stream(operation, count);
    while (elapsed < effort.batch_ns / warm_up_share) {
        count *= 2;
        elapsed = time_of_stream(operation, count);
    }
    const double batches = static_cast<double>(effort.batch_ns) / static_cast<double>(elapsed);
    return std::max<uint64_t>(static_cast<uint64_t>(static_cast<double>(count) * batches), 1);
}

}  // namespace

Effort effort_of(const Options& options) {
    const double usual = options.quick ? 0.02 : 0.2;
    const double seconds = options.seconds != 0 ? options.seconds : usual;
    return {.operations = options.iterations,
            .batch_ns = static_cast<uint64_t>(seconds * static_cast<double>(ns_per_s) / options.repeats),
            .warm_up = options.warm_up,
            .repeats = options.repeats};
}

bench::Cell measure_time(Operation* operation, const Effort& effort, double part) {
    warm_up(operation, effort);
    const uint64_t group = group_of(operation, effort);
    bench::Gatherer gatherer;
    for (uint32_t i = 0; i < effort.repeats; i++) {
        std::vector<double> samples;
        const uint64_t end = now_ns() + effort.batch_ns;
        do {
            const auto elapsed = static_cast<double>(time_of(operation, group));
            samples.push_back(elapsed * part / static_cast<double>(group));
        } while (effort.operations != 0 ? (samples.size() + 1) * group <= effort.operations : now_ns() < end);
        gatherer.add(samples);
    }
    operation->check();
    return gatherer.cell();
}

bench::Cell measure_rate(Operation* operation, const Effort& effort) {
    const uint64_t count = streamed_in_batch(operation, effort);
    bench::Gatherer gatherer;
    for (uint32_t i = 0; i < effort.repeats; i++) {
        const auto elapsed = static_cast<double>(time_of_stream(operation, count));
        gatherer.add(static_cast<double>(count) * static_cast<double>(ns_per_s) / elapsed);
    }
    operation->check();
    return gatherer.cell();
}

}  // namespace syncline::perf
