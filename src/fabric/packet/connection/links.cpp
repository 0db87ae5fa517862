// SPDX-License-Identifier: BSD-3-Clause
#include "fabric/packet/connection/links.h"

#include <algorithm>

namespace syncline {

Links::Links(Attachment* attachment, Transport* transport, Transport::Sink sink, uint64_t peer_timeout_ns,
             size_t* gathering)
    : transport_(transport), sink_(std::move(sink)), peer_timeout_ns_(peer_timeout_ns), gathering_(gathering) {
    const fw_config& config = attachment->config();
    for (uint32_t node = 0; node < config.nodes; node++) {
        connections_.push_back(std::make_unique<Connection>(&config, attachment->rank(), attachment->port(), node,
                                                            attachment->completions(), attachment->requests(),
                                                            attachment->requests_header(), transport));
    }
}

int Links::take_slot(Connection* connection, bool runtime) {
    if (connection->dead()) {
        return SYNCLINE_ERR_PEER;
    }
    if (const int slot = connection->take_slot(runtime); slot >= 0) {
        return slot;
    }
    const bool bursts = bursting_;
    set_burst(false);
    flush(connection);  // the only slot may be the one that another thread is filling
    progress();
    if (connection->dead()) {
        return SYNCLINE_ERR_PEER;
    }
    const int slot = connection->take_slot(runtime);
    if (slot < 0) {
        return SYNCLINE_ERR_BUSY;
    }
    set_burst(bursts);
    return slot;
}

void Links::start(Connection* connection, uint32_t slot, uint32_t pad_to) {
    if (!connection->busy) {
        connection->busy = true;
        busy_.push_back(connection);
    }
    connection->start(slot, pad_to);
}

void Links::gather(Connection* connection, uint32_t slot, Completion* completion) {
    connection->posted_slot = static_cast<int>(slot);
    connection->posted_completion = completion;
    connection->posted_next = connection->unit(slot, 0);
    connection->slot(slot).completion = completion;
    completion->raise();
    filling_.push_back(connection);
    __atomic_store_n(gathering_, filling_.size(), __ATOMIC_RELAXED);
}

void Links::flush(Connection* connection) {
    if (connection->posted_slot < 0) {
        return;
    }
    const auto slot = static_cast<uint32_t>(connection->posted_slot);
    connection->header(slot)->units = static_cast<uint16_t>(connection->posted_units);
    connection->posted_slot = -1;
    connection->posted_units = 0;
    connection->posted_completion = nullptr;
    filling_.erase(std::find(filling_.begin(), filling_.end(), connection));
    __atomic_store_n(gathering_, filling_.size(), __ATOMIC_RELAXED);
    start(connection, slot, 0);
}

void Links::flush_all() {
    while (!filling_.empty()) {
        flush(filling_.back());
    }
}

void Links::set_burst(bool on) {
    if (on != bursting_) {
        bursting_ = on;
        on ? transport_->begin_burst() : transport_->end_burst();
    }
}

void Links::receive() {
    if (!transport_->capabilities().deposits) {
        transport_->poll(sink_);
    }
}

void Links::progress() {
    if (busy_.empty()) {
        return;
    }
    receive();
    for (size_t i = 0; i < busy_.size();) {
        Connection* const connection = busy_[i];
        Answer answer;
        while (connection->take_answer(&answer)) {
            if (answer.completion != nullptr) {
                answer.completion->lower(answer.status);
            }
        }
        if (connection->pending() == 0) {
            connection->busy = false;
            busy_[i] = busy_.back();
            busy_.pop_back();
        } else {
            i++;
        }
    }
}

uint64_t Links::retry(uint64_t now) {
    uint64_t next = UINT64_MAX;
    for (Connection* connection : busy_) {
        connection->retransmit(now, peer_timeout_ns_);
        next = std::min(next, connection->next_retry_ns());
    }
    return next;
}

void Links::forget(Completion* completion) {
    for (Connection* connection : busy_) {
        connection->forget(completion);
    }
}

}  // namespace syncline
