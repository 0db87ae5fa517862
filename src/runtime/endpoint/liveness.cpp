// SPDX-License-Identifier: BSD-3-Clause
#include "runtime/endpoint/liveness.h"

namespace syncline {

Liveness::Liveness(Attachment* attachment, Reserved* reserved)
    : attachment_(attachment), reserved_(reserved), reported_(attachment->config().ranks) {
    for (uint32_t rank = 0; rank < attachment->config().ranks; rank++) {
        if (attachment->job().map.node_of(rank) != attachment->config().node) {
            elsewhere_.push_back(static_cast<uint16_t>(rank));
        }
    }
}

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
    const std::span<const uint16_t> ranks = attachment_->job().map.ranks_of(attachment_->config().node);
    looked_at_ns_ = now_ns();
    for (uint32_t port = 0; port < ranks.size(); port++) {
        const fw_segment& heap = attachment_->tables().segments[port * SLW_SEGMENTS_MAX];
        if (__atomic_load_n(&heap.state, __ATOMIC_ACQUIRE) == FW_SEGMENT_CLOSED && report(ranks[port])) {
            return ranks[port];
        }
    }
    for (size_t asked = 0; asked < std::min<size_t>(elsewhere_.size(), asked_at_once); asked++) {
        const uint32_t rank = elsewhere_[next_++ % elsewhere_.size()];
        if (!reported_[rank] && reserved_->probe(rank) == SYNCLINE_ERR_PEER && report(rank)) {
            return rank;
        }
    }
    return std::nullopt;
}

std::optional<uint32_t> Liveness::look(int first) {
    if (first >= 0 && reserved_->probe(static_cast<uint32_t>(first)) != SYNCLINE_OK) {
        return static_cast<uint32_t>(first);
    }
    return look();
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
