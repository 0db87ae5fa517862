// SPDX-License-Identifier: BSD-3-Clause
// `syncline bench dsm`: the five applications of examples/dsm, which are those of Noronha 2004 (section 5.3). Each run
// is a separate job on a test bed of its own.
#pragma once

#include <map>
#include <set>
#include <string>
#include <vector>

#include "bench/dsm/dsm_measured.h"
#include "bench/dsm/dsm_settings.h"
#include "bench/measure/run_program.h"
#include "bench/report/dsm_quantities.h"
#include "bench/report/progress.h"

namespace syncline::bench {

class Applications {
  public:
    // Compiles the applications. Throws Failure if that fails.
    Applications(const DsmSettings& settings, DsmMeasured* measured);

    uint64_t steps_of_round() const;
    // Runs each application once in each way. failures() names an application that fails; later rounds leave it out.
    void round(Progress* progress);
    const std::vector<std::string>& failures() const { return failures_; }

  private:
    // One way to run an application. Without a protocol, it is the sequential program without shared memory.
    struct Way {
        const DsmApplication* application;
        std::string size;
        uint32_t nodes;
        std::string protocol;

        bool is_sequential() const { return protocol == sequential_series; }
        std::string words() const;
    };

    std::vector<Way> ways() const;
    ChildSpec child_of(const Way& way) const;
    void run(const Way& way);
    void take(const Way& way, const Json& said);
    void add(const Way& way, const Quantity& quantity, double value);

    const DsmSettings& settings_;
    DsmMeasured* const measured_;
    const Folder folder_;
    std::map<std::string, std::string> programs_;  // by application
    std::set<std::string> left_out_;
    std::vector<std::string> failures_;
    uint64_t rounds_ = 0;
};

}  // namespace syncline::bench
