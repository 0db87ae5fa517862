// SPDX-License-Identifier: BSD-3-Clause
// What a PE keeps beyond one barrier: the instances of barrier numbers that it took part in, and what barriers cost
// here.
#pragma once

#include <cstdint>
#include <map>
#include <mutex>
#include <optional>
#include <utility>

#include "runtime/collective/latency_model.h"

namespace syncline {

class Endpoint;

class BarrierHistory {
  public:
    explicit BarrierHistory(Endpoint* endpoint) : endpoint_(endpoint) {}

    // Fitted when it is first asked for, by some hundred requests to another node.
    const LatencyModel& latency_model();
    // The last instance of a barrier number under this leader that the PE took part in; 0: none.
    uint32_t last_instance(uint32_t barrier, uint32_t leader);
    void set_last_instance(uint32_t barrier, uint32_t leader, uint32_t instance);

  private:
    Endpoint* const endpoint_;
    std::mutex guard_;  // of `last_instances_`
    std::map<std::pair<uint32_t, uint32_t>, uint32_t> last_instances_;
    std::optional<LatencyModel> latency_model_;
};

}  // namespace syncline
