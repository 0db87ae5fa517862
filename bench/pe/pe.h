// SPDX-License-Identifier: BSD-3-Clause
// syncline-bench-pe: the functions that execute the commands of protocol.h in a PE of a benchmark's job.
#pragma once

#include <syncline.h>

#include <cstdint>
#include <vector>

#include "bench/protocol/protocol.h"
#include "bench/timing/timed_calls.h"

namespace syncline::bench {

struct Pe {
    syncline_address_t word;   // of every PE: a cache line of its own
    syncline_address_t table;  // of every PE
    uint64_t table_bytes;
    int listener = -1;

    // True once the driver has sent kStop. Costs a system call.
    bool told() const;
};

struct Outcome {
    uint64_t elapsed_ns = 0;
    uint64_t operations = 0;
    uint64_t bytes = 0;
    uint64_t value = 0;
    std::vector<uint32_t> samples = {};
};

constexpr uint64_t look_interval_ns = 1'000'000;  // between looks for kStop

Outcome measure_latency(const Pe& pe, const Command& command);
Outcome measure_local(const Pe& pe, const Command& command);
Outcome measure_in_flight(const Pe& pe, const Command& command);
Outcome measure_posted(const Pe& pe, const Command& command);
Outcome fold_table(const Pe& pe, const Command& command);

Outcome move_bulk(const Pe& pe, const Command& command);

Outcome compute(const Pe& pe, const Command& command);
Outcome count_iterations(const Pe& pe, const Command& command);
Outcome offer_load(const Pe& pe, const Command& command);

Outcome make_lock(const Command& command);
Outcome contend(const Pe& pe, const Command& command);
Outcome destroy_lock();
Outcome trace_lock(const Pe& pe, const Command& command);
// Waits until `expected` PEs have come here so far.
void pass_gate(const Pe& pe, int home, uint64_t expected);

Outcome run_barriers(const Command& command);
Outcome fence(const Pe& pe, const Command& command);

Outcome count_cpu_time();
Outcome open_shared(const Command& command);
Outcome close_shared();
Outcome take_shared_pages(const Command& command);
Outcome write_shared_pages(const Command& command);
Outcome acquire_shared_pages();
Outcome read_shared_pages(const Pe& pe, const Command& command);
Outcome pass_shared_lock(const Pe& pe, const Command& command);
Outcome allocate_shared(const Command& command);
Outcome run_shared_barriers(const Command& command);

Outcome stream_listen(Pe* pe);
Outcome stream_sink(const Pe& pe);
Outcome stream_send(const Command& command);

}  // namespace syncline::bench
