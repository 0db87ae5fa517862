// SPDX-License-Identifier: BSD-3-Clause
// TreadMarks' counts, computed from Syncline's. They have 32 bits, as programs expect.
#include <cstdio>

#include "job.h"
#include "treadmarks.h"

struct Tmk_stat Tmk_stat;

namespace syncline::ports {
namespace {

constexpr uint64_t page_bytes = 4096;
constexpr uint64_t ns_per_us = 1000;

unsigned narrow(uint64_t count) {
    return static_cast<unsigned>(count);
}

void print(const char* whose, const struct Tmk_stat& counts) {
    std::fprintf(stderr,
                 "[ Tmk: statistics of %s\n\n"
                 "  barriers:   %9u\n"
                 "  acquires:   %9u (time: %u us)\n"
                 "  broadcasts: %9u\n"
                 "  signals:    %9u\n"
                 "  waits:      %9u\n"
                 "  faults:     %9u\n"
                 "  bytes:      %9u\n"
                 "  messages:   %9u\n"
                 "  diffs:      %9u (average size: %u)\n"
                 "  twins:      %9u ]\n\n",
                 whose, counts.arrivals, counts.acquires, counts.acquire_time, counts.broadcasts, counts.signals,
                 counts.waits, counts.cold_misses, counts.bytes, counts.messages, counts.diffs,
                 counts.diffs == 0 ? 0 : counts.total_diff_size / counts.diffs, counts.twins);
}

// All members are unsigned numbers.
void add(struct Tmk_stat& sum, const struct Tmk_stat& counts) {
    auto* const to = reinterpret_cast<unsigned*>(&sum);
    const auto* const from = reinterpret_cast<const unsigned*>(&counts);
    for (size_t i = 0; i < sizeof(counts) / sizeof(unsigned); i++) {
        to[i] += from[i];
    }
}

}  // namespace

void note_statistics() {
    syncline_dsm_statistics_t counts = {};
    counts.struct_size = sizeof(counts);
    check("Tmk_barrier", syncline_dsm_get_statistics(&counts));
    Tmk_stat.acquires = narrow(counts.lock_acquires);
    Tmk_stat.acquire_time = narrow(counts.lock_ns / ns_per_us);
    Tmk_stat.arrivals = narrow(counts.barriers);
    Tmk_stat.bytes_of_data = narrow(counts.pages_fetched * page_bytes + counts.diff_bytes);
    Tmk_stat.bytes = Tmk_stat.bytes_of_data;
    Tmk_stat.cold_misses = narrow(counts.read_faults + counts.write_faults);
    Tmk_stat.messages = narrow(counts.fetches + counts.diffs + counts.messages_handled);
    Tmk_stat.diffs = narrow(counts.diffs);
    Tmk_stat.twins = narrow(counts.twins);
    Tmk_stat.total_diff_size = narrow(counts.diff_bytes);
}

void print_treadmarks_statistics(int how) {
    note_statistics();
    struct Tmk_stat sum = Tmk_stat;
    for (int process = 1; process < syncline_dsm_processes(); process++) {
        struct Tmk_stat counts = Tmk_stat;
        check("Tmk_exit", syncline_dsm_broadcast(process, &counts, sizeof(counts)));
        add(sum, counts);
        if (how > 1 && Tmk_proc_id == 0) {
            char whose[32];
            std::snprintf(whose, sizeof(whose), "process %d", process);
            print(whose, counts);
        }
    }
    if (Tmk_proc_id == 0) {
        if (how > 1) {
            print("process 0", Tmk_stat);
        }
        print("all processes", sum);
        Tmk_stat = sum;
    }
}

}  // namespace syncline::ports
