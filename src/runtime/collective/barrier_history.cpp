// SPDX-License-Identifier: BSD-3-Clause
#include "runtime/collective/barrier_history.h"

#include <algorithm>
#include <vector>

#include "base/check.h"
#include "base/clock.h"

namespace syncline {
namespace {

constexpr int rounds = 32;
constexpr int at_once = 8;

double median(std::vector<double> values) {
    if (values.empty()) {
        return 0;
    }
    std::nth_element(values.begin(), values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2), values.end());
    return values[values.size() / 2];
}

double elapsed_ns(uint64_t since) {
    return static_cast<double>(now_ns() - since);
}

}  // namespace

uint32_t BarrierHistory::last_instance(uint32_t barrier, uint32_t leader) {
    const std::lock_guard<std::mutex> guard(guard_);
    return last_instances_[{barrier, leader}];
}

void BarrierHistory::set_last_instance(uint32_t barrier, uint32_t leader, uint32_t instance) {
    const std::lock_guard<std::mutex> guard(guard_);
    last_instances_[{barrier, leader}] = instance;
}

bool BarrierHistory::take_signals(uint32_t barrier) {
    const std::lock_guard<std::mutex> guard(guard_);
    return signals_in_use_.insert(barrier).second;
}

void BarrierHistory::give_back_signals(uint32_t barrier) {
    const std::lock_guard<std::mutex> guard(guard_);
    [[maybe_unused]] const size_t found = signals_in_use_.erase(barrier);
    SYNCLINE_ASSERT(found == 1, "barrier %u is not in use", barrier);
}

const LatencyModel& BarrierHistory::latency_model() {
    if (latency_model_) {
        return *latency_model_;
    }
    const auto size = static_cast<int>(endpoint_->size());
    int other = 0;
    while (other < size && endpoint_->fabrics().of(other).capabilities().maps_memory) {
        other++;
    }
    Bulk& bulk = endpoint_->bulk();
    std::vector<double> alone, together, calls;
    uint64_t words[at_once];
    for (int round = 0; round < rounds && other < size; round++) {
        uint64_t start = now_ns();
        if (bulk.get(other, heap_reserved_bytes, words, sizeof(words[0])) != SYNCLINE_OK) {
            break;
        }
        alone.push_back(elapsed_ns(start));
        syncline_request_t requests[at_once];
        start = now_ns();
        for (int i = 0; i < at_once; i++) {
            const uint64_t before = now_ns();
            (void)bulk.get_nb(other, heap_reserved_bytes, &words[i], sizeof(words[i]), 0, &requests[i]);
            calls.push_back(elapsed_ns(before));
        }
        for (const syncline_request_t request : requests) {
            (void)endpoint_->requests().wait(request);
        }
        together.push_back(elapsed_ns(start) / at_once);
    }
    latency_model_ = fit_latency_model({median(alone), median(together), median(calls)},
                                       endpoint_->attachment().job().spec.shared_cpus);
    return *latency_model_;
}

}  // namespace syncline
