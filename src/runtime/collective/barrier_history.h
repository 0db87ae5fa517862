// SPDX-License-Identifier: BSD-3-Clause
// The knowledge that a PE keeps beyond one barrier: which instances of barrier numbers it took part in, and how much
// barriers cost here.
#pragma once

#include <cstdint>
#include <map>
#include <mutex>
#include <optional>
#include <set>
#include <utility>

#include "runtime/collective/latency_model.h"
#include "runtime/endpoint/endpoint.h"

namespace syncline {

class BarrierHistory {
  public:
    explicit BarrierHistory(Endpoint* endpoint) : endpoint_(endpoint) {}

    // The model is fitted at the first call, by some hundred requests to another node.
    const LatencyModel& latency_model();
    // Returns the last instance of a barrier number under this leader that the PE took part in; 0: none.
    uint32_t last_instance(uint32_t barrier, uint32_t leader);
    void set_last_instance(uint32_t barrier, uint32_t leader, uint32_t instance);
    // A PE's signals serve one barrier of a number at a time. take_signals() returns false if one has them.
    bool take_signals(uint32_t barrier);
    void give_back_signals(uint32_t barrier);

  private:
    Endpoint* const endpoint_;
    std::mutex guard_;  // guards the next two
    std::map<std::pair<uint32_t, uint32_t>, uint32_t> last_instances_;
    std::set<uint32_t> signals_in_use_;
    std::optional<LatencyModel> latency_model_;
};

}  // namespace syncline
