// SPDX-License-Identifier: BSD-3-Clause
#include "runtime/collective/latency_model.h"

#include <algorithm>
#include <bit>

#include "firmware/tables.h"
#include "syncline.h"

namespace syncline {
namespace {

uint32_t levels_of_tree(uint32_t nodes, uint32_t dimension) {
    uint32_t levels = 0;
    for (uint64_t reached = 1, width = 1; reached < nodes; levels++) {
        width *= dimension;
        reached += width;
    }
    return levels;
}

// Returns the longer of a path of messages and the time that the shared CPUs need for the work of all messages.
double longer(double path, double work, uint32_t shared_cpus) {
    return shared_cpus == 0 ? path : std::max(path, work / shared_cpus);
}

}  // namespace

double LatencyModel::exchange_ns(uint32_t nodes, bool host) const {
    const double steps = std::bit_width(nodes - 1);
    const double each = 2 * message_ns + (host ? send_ns : 0);
    return (host ? 0 : send_ns) + longer(steps * (network_ns + each), nodes * steps * each, shared_cpus);
}

double LatencyModel::tree_ns(uint32_t nodes, uint32_t dimension, bool host) const {
    const double levels = levels_of_tree(nodes, dimension);
    const double message = message_ns + (host ? send_ns / 2 : 0);
    const double level = network_ns + (1 + std::min(dimension, nodes - 1)) * message;
    return (host ? 0 : send_ns) + longer(2 * levels * level, 2.0 * (nodes - 1) * 2 * message, shared_cpus);
}

Schedule LatencyModel::choose(uint32_t nodes, bool host, int algorithm) const {
    Schedule best = {SYNCLINE_BARRIER_EXCHANGE, 0};
    if (algorithm == SYNCLINE_BARRIER_TREE) {
        best = {SYNCLINE_BARRIER_TREE, 1};
    }
    if (nodes < 2) {
        return best;
    }
    double best_ns = best.dimension != 0 ? tree_ns(nodes, best.dimension, host) : exchange_ns(nodes, host);
    // A tree never has more messages.
    for (uint32_t dimension = 1; dimension <= std::min<uint32_t>(nodes - 1, FW_BARRIER_FANOUT); dimension++) {
        const double ns = tree_ns(nodes, dimension, host);
        if (ns < best_ns || (ns == best_ns && best.algorithm == SYNCLINE_BARRIER_EXCHANGE)) {
            best = {SYNCLINE_BARRIER_TREE, dimension};
            best_ns = ns;
        }
    }
    return best;
}

LatencyModel fit_latency_model(const RoundTrips& measured, uint32_t shared_cpus) {
    LatencyModel model = {.shared_cpus = shared_cpus};
    if (measured.call_ns > 0.8 * measured.alone_ns) {
        model.send_ns = model.message_ns = measured.alone_ns / 5;
        return model;
    }
    model.send_ns = measured.call_ns;
    model.message_ns = std::min(measured.together_ns / 2, (measured.alone_ns - measured.call_ns) / 4);
    model.network_ns = std::max(0.0, (measured.alone_ns - measured.call_ns - 4 * model.message_ns) / 2);
    return model;
}

}  // namespace syncline
