// SPDX-License-Identifier: BSD-3-Clause
#include "tools/perf/run.h"

#include <fmt/format.h>
#include <unistd.h>

#include <cstdio>
#include <optional>

#include "base/clock.h"
#include "base/failure.h"
#include "bench/report/progress.h"
#include "tools/perf/plan.h"
#include "tools/perf/report.h"

namespace syncline::perf {
namespace {

constexpr int mistake = 2;  // the exit code

Measured measure(const Entry& entry, const Task& task, Operation* operation, const Effort& effort) {
    Measured measured = {.time = measure_time(operation, effort, entry.part), .rate = {}};
    if (entry.streams) {
        measured.rate = measure_rate(make_operation(entry, task).get(), effort);
    }
    return measured;
}

bool takes_part(const Entry& entry, const Pair& pair, int pe) {
    return entry.party == Party::kAll || pe == pair.from || (entry.party == Party::kBoth && pe == pair.to);
}

// This PE's part of a step. All PEs meet before an operation begins, so the last step is over then.
void execute(const Options& options, const Step& step, const Pair& pair, Job* job) {
    const Entry& entry = *step.entry;
    const Task task = {.pair = pair,
                       .bytes = step.bytes,
                       .window = options.window,
                       .ground = job->ground(),
                       .lock = job->lock_at(pair.to)};
    std::unique_ptr<Operation> operation;
    if (takes_part(entry, pair, job->rank())) {
        operation = make_operation(entry, task);
    }
    job->meet();
    if (job->rank() == pair.from) {
        const Measured measured = measure(entry, task, operation.get(), effort_of(options));
        operation->release();
        job->deliver({record_of(measured.time), record_of(measured.rate)});
    } else if (operation) {
        operation->answer();
    }
}

Numbers measure_section(const Options& options, const Section& section, Job* job) {
    std::optional<bench::Progress> progress;
    if (job->is_first()) {
        progress.emplace(section.pairs.size() * section.steps.size());
    }
    Numbers numbers;
    for (const Pair& pair : section.pairs) {
        numbers.emplace_back();
        for (const Step& step : section.steps) {
            if (progress) {
                progress->step(
                    fmt::format("{} of {} bytes, PE {} to PE {}", step.entry->name, step.bytes, pair.from, pair.to));
            }
            execute(options, step, pair, job);
            job->meet();
            if (job->is_first()) {
                const Record record = job->take();
                numbers.back().push_back({cell_of(record.time), cell_of(record.rate)});
            }
        }
    }
    return numbers;
}

void measure_all(const Options& options, const Plan& plan, Job* job) {
    std::optional<Report> report;
    if (job->is_first()) {
        report.emplace(options, *job);
        report->begin();
    }
    for (const Section& section : plan.sections) {
        const Numbers numbers = measure_section(options, section, job);
        if (report) {
            report->add(section, numbers);
        }
    }
    if (report) {
        report->end();
    }
}

// A PE that misses another one leaves the word to PE 0 and to the launcher, which know more.
[[noreturn]] void end_job(const Job& job, const Failure& failure) {
    if (job.is_first() || failure.status() != SYNCLINE_ERR_PEER) {
        fmt::print(stderr, "syncline perf: PE {}: {}\n", job.rank(), failure.what());
    } else {
        ::sleep(1);
    }
    std::fflush(nullptr);
    syncline_abort(1);
}

}  // namespace

int run(const Options& options) {
    Job job;
    Plan plan;
    try {
        plan = make_plan(options, job);
        job.prepare(plan.area_bytes, plan.homes);
    } catch (const Failure& failure) {  // at all PEs
        if (job.is_first()) {
            fmt::print(stderr, "syncline: {}\n", failure.what());
        }
        job.leave();
        return mistake;
    }
    try {
        measure_all(options, plan, &job);
        job.leave();
    } catch (const Failure& failure) {
        end_job(job, failure);
    }
    return 0;
}

}  // namespace syncline::perf
