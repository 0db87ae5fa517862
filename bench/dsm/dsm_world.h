// SPDX-License-Identifier: BSD-3-Clause
// `syncline bench dsm`: the test beds for one MTU, one for each number of nodes, all up at the same time, and a round
// of everything that is measured on them.
#pragma once

#include <memory>
#include <vector>

#include "bench/bulk/bare.h"
#include "bench/dsm/dsm_settings.h"
#include "bench/dsm/page_session.h"
#include "bench/measure/bed.h"
#include "bench/measure/two_cpus.h"
#include "bench/report/progress.h"

namespace syncline::bench {

class DsmWorld {
  public:
    // Throws Failure, as all functions here do.
    DsmWorld(const DsmSettings& settings, int mtu, DsmMeasured* measured);

    uint64_t steps_of_round() const { return beds_.size() * (1 + settings_.protocols.size()); }
    void round(Progress* progress);

  private:
    struct NodesBed {
        uint32_t nodes;
        std::unique_ptr<Bed> bed;
        GatedJob job;
    };

    void measure_yardsticks(NodesBed* bed);
    void measure_protocol(NodesBed* bed, const std::string& protocol);
    void measure_pages(PageSession* session, const NodesBed& bed, const std::string& protocol);
    void measure_synchronisation(PageSession* session, const NodesBed& bed, const std::string& protocol);
    void add(const Quantity& quantity, const std::string& subject, const std::string& condition, uint32_t nodes,
             const Statement& statement);

    const DsmSettings& settings_;
    const int mtu_;
    DsmMeasured* const measured_;
    const TwoCpus cpus_ = TwoCpus::choose();
    BareRoundTrip bare_;
    std::vector<NodesBed> beds_;
};

}  // namespace syncline::bench
