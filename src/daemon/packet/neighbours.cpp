// SPDX-License-Identifier: BSD-3-Clause
#include "daemon/packet/neighbours.h"

namespace syncline {

Neighbours::Neighbours(const Job& job, NodeTarget* target, BarrierSender::Emit emit, void* context)
    : job_(job), target_(target), sender_(job, target->barriers(), emit, context) {}

std::vector<uint32_t> Neighbours::greet() {
    const fw_config& config = job_.spec.config;
    std::vector<uint32_t> silent;
    for (uint32_t distance = 1; distance < config.nodes; distance *= 2) {
        const uint32_t node = (config.node + distance) % config.nodes;
        if (!target_->has_answered(node)) {
            fw_barrier_greet(sender_.get(), node);
            silent.push_back(node);
        }
    }
    return silent;
}

}  // namespace syncline
