// SPDX-License-Identifier: BSD-3-Clause
// `syncline bench dsm`: the shared memory of one protocol in a job of syncline-bench-pe, from open to close, and the
// measurements in it: the page experiment of Noronha 2004 (section 5.2, figure 8), locks and barriers.
//
// PE 0 touches every page first, which makes it the page's home; all other PEs then read a word of each.
#pragma once

#include <functional>
#include <utility>
#include <vector>

#include "bench/dsm/dsm_measured.h"
#include "bench/measure/job.h"
#include "bench/report/dsm_quantities.h"

namespace syncline::bench {

// The number of PEs that have passed a gate on their way to a measurement, since the job began.
struct GatedJob {
    BenchJob* job;
    uint64_t passed = 0;

    // Sends a command to these PEs, which begin together; `each` adapts the command to a rank. Returns the PEs'
    // results.
    using Each = std::function<void(uint32_t rank, Command* command)>;
    std::vector<Result> run_together(const std::vector<uint32_t>& ranks, Command command, const Each& each = {});
    std::vector<Result> run_all(const Command& command);  // without a gate
    std::vector<uint32_t> all() const;
    std::vector<uint32_t> all_but_home() const;
    uint64_t cpu_time_ns() const;  // summed over all PEs
};

// Returns the time of a phase, which ends with its last PE, divided by its operations, and the 99th percentile of all
// samples.
Statement of_phase(const std::vector<Result>& results, uint64_t operations);

class PageSession {
  public:
    // `protocol`: SYNCLINE_DSM_*. The shared memory has room for the pages of every subject. Throws Failure, as all
    // functions here do.
    PageSession(GatedJob* job, int protocol, uint64_t pages);
    ~PageSession();
    PageSession(const PageSession&) = delete;
    PageSession& operator=(const PageSession&) = delete;

    struct Pages {
        Statement time, cpu;  // time and CPU time of a page
    };
    // Measures both subjects of a kind: pages that are read for the first time, and then these pages again.
    std::pair<Pages, Pages> read(const PageSubject& subject);
    Statement lock(const std::vector<uint32_t>& ranks, uint64_t count);
    Statement barrier(bool writes, uint64_t count);
    // Measures allocations by one process that is not the home of the allocator's data, after `before` allocations that
    // it makes first.
    Statement allocate(uint64_t before, uint64_t count);
    static constexpr uint64_t allocations = 12'000;  // number of allocations that there is room for

  private:
    Pages read_once(const PageSubject& subject);
    void write_pages();

    GatedJob* const job_;
    const uint64_t pages_;
    uint64_t written_ = 0;  // the value of the first page's word
    uint64_t counter_ = 0;
};

}  // namespace syncline::bench
