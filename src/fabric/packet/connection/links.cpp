// SPDX-License-Identifier: BSD-3-Clause
#include "fabric/packet/connection/links.h"

#include <algorithm>

#include "base/check.h"
namespace syncline {

Links::Links(Attachment* attachment, const PacketTables& tables, Transport* transport, Transport::Sink sink,
             uint64_t peer_timeout_ns, size_t* gathering)
    : attachment_(attachment),
      transport_(transport),
      sink_(std::move(sink)),
      peer_timeout_ns_(peer_timeout_ns),
      buffers_(*attachment, tables),
      connections_(attachment->config().nodes),
      gathering_(gathering) {}

Connection* Links::to_node(uint32_t node) {
    SYNCLINE_ASSERT(node < connections_.size(), "node %u of %zu", node, connections_.size());
    std::unique_ptr<Connection>& connection = connections_[node];
    if (!connection) {
        const fw_port* const port = &attachment_->tables().ports[attachment_->port()];
        connection =
            std::make_unique<Connection>(&attachment_->config(), attachment_->rank(), attachment_->port(), node,
                                         &buffers_, port, transport_, peer_timeout_ns_, &attachment_->trace());
        if (node != attachment_->config().node) {
            ask_for_longer(connection.get());
        }
    }
    return connection.get();
}

// Returns a slot, or the status that says why there is none.
int Links::make_room(Connection* connection, bool runtime) {
    if (connection->dead()) {
        return SYNCLINE_ERR_PEER;
    }
    const bool bursts = bursting_;
    const bool was_full = connection->is_full();
    set_burst(false);
    flush(connection);  // the only slot may hold the packet that another thread is filling
    if (!buffers_.any()) {
        flush_all();  // such packets may hold the last buffers
    }
    if (runtime) {
        connection->postpone_probe();
    }
    progress();
    if (connection->dead()) {
        return SYNCLINE_ERR_PEER;
    }
    const int slot = connection->take_slot(runtime);
    if (!runtime && was_full) {
        connection->all_were_out(slot >= 0);
    }
    if (slot < 0) {
        return SYNCLINE_ERR_BUSY;
    }
    set_burst(bursts);
    return slot;
}

int Links::gather(Connection* connection, Completion* completion) {
    flush(connection);
    const int slot = take_slot(connection, false);
    if (slot < 0) {
        return slot;
    }
    const auto taken = static_cast<uint32_t>(slot);
    SYNCLINE_ASSERT(connection->posted.slot < 0, "slot %d is being filled", connection->posted.slot);
    connection->posted = {slot, 0, connection->body_max() / SLW_UNIT_BYTES, connection->unit(taken, 0), completion};
    connection->slot(taken).completion = completion;
    completion->raise();
    filling_.push_back(connection);
    __atomic_store_n(gathering_, filling_.size(), __ATOMIC_RELAXED);
    return SYNCLINE_OK;
}

void Links::send_posted(Connection* connection) {
    const auto slot = static_cast<uint32_t>(connection->posted.slot);
    SYNCLINE_ASSERT(connection->posted.units >= 1 && connection->posted.units <= connection->posted.most,
                    "%u units, at most %u", connection->posted.units, connection->posted.most);
    SYNCLINE_CHECK(connection->posted.next == connection->unit(slot, connection->posted.units), "%u units",
                   connection->posted.units);
    SYNCLINE_CHECK(std::find(filling_.begin(), filling_.end(), connection) != filling_.end(), "node %u",
                   connection->node());
    connection->header(slot)->units = static_cast<uint16_t>(connection->posted.units);
    connection->posted = {};
    filling_.erase(std::find(filling_.begin(), filling_.end(), connection));
    __atomic_store_n(gathering_, filling_.size(), __ATOMIC_RELAXED);
    start(connection, slot, 0);
}

void Links::flush_all() {
    while (!filling_.empty()) {
        SYNCLINE_ASSERT(filling_.back()->posted.slot >= 0, "node %u has no packet", filling_.back()->node());
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
        SYNCLINE_ASSERT(connection->busy, "node %u", connection->node());
        if (connection->pending() == 0 && !connection->is_probing()) {
            connection->busy = false;
            busy_[i] = busy_.back();
            busy_.pop_back();
        } else {
            i++;
        }
    }
}

void Links::ask_for_longer(Connection* connection) {
    connection->ask_for_longer();
    if (connection->is_probing()) {
        watch(connection);
    }
}

bool Links::is_quiet() const {
    return std::all_of(busy_.begin(), busy_.end(),
                       [](const Connection* connection) { return connection->pending() == 0; });
}

uint64_t Links::retry(uint64_t now) {
    uint64_t next = UINT64_MAX;
    for (Connection* connection : busy_) {
        connection->retransmit(now);
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
