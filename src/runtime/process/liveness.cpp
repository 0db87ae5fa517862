// SPDX-License-Identifier: BSD-3-Clause
#include "runtime/process/liveness.h"

#include "runtime/collective/job_barrier.h"

namespace syncline {

Liveness::Liveness(Endpoint* endpoint) : endpoint_(endpoint), reported_(endpoint->size()) {}

bool Liveness::report(uint32_t rank) {
    const bool is_new = !reported_[rank];
    reported_[rank] = true;
    return is_new;
}

std::optional<uint32_t> Liveness::look() {
    const std::unique_lock<std::mutex> lock(looking_, std::try_to_lock);
    if (!lock) {
        return std::nullopt;
    }
    const fw_config& config = endpoint_->config();
    looked_at_ns_ = now_ns();
    for (uint32_t port = 0; port < config.ports; port++) {
        const fw_segment& heap = endpoint_->attachment().segments()[port * SLW_SEGMENTS_MAX];
        if (__atomic_load_n(&heap.state, __ATOMIC_ACQUIRE) == FW_SEGMENT_CLOSED && report(config.first_rank + port)) {
            return config.first_rank + port;
        }
    }
    const uint32_t elsewhere = endpoint_->size() - config.ports;
    for (uint32_t asked = 0; asked < std::min(elsewhere, asked_at_once); asked++) {
        const uint32_t other = next_++ % elsewhere;
        const uint32_t rank = other < config.first_rank ? other : other + config.ports;
        if (!reported_[rank] && probe(endpoint_, rank) == SYNCLINE_ERR_PEER && report(rank)) {
            return rank;
        }
    }
    return std::nullopt;
}

std::optional<uint32_t> Liveness::look_now_and_then() {
    const uint64_t now = now_ns();
    {
        const std::unique_lock<std::mutex> lock(looking_, std::try_to_lock);
        if (!lock || now < looked_at_ns_ + patience_ns) {
            return std::nullopt;
        }
    }
    return look();
}

}  // namespace syncline
