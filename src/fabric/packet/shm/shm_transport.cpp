// SPDX-License-Identifier: BSD-3-Clause
#include "fabric/packet/shm/shm_transport.h"

#include <cstring>

#include "syncline.h"

namespace syncline {

ShmTransport::ShmTransport(Attachment* attachment, const PacketTables& tables, LocalMemory* memory)
    : no_completions_(attachment->config().ports) {
    target_.config = &attachment->config();
    target_.sources = tables.sources;
    target_.rows = tables.rows;
    target_.slots = tables.slots;
    target_.segments = attachment->tables().segments;
    target_.memory = attachment->bases();
    target_.completions = no_completions_.data();
    target_.ports = attachment->tables().ports;
    target_.counters = &counters_;
    target_.wake = [](void* self, uint32_t port) { static_cast<LocalMemory*>(self)->signal(port); };
    target_.wake_context = memory;
}

int ShmTransport::send(uint32_t, const uint8_t* packet, uint32_t length, uint32_t) {
    std::vector<uint8_t> buffer(target_.config->packet_max);
    std::memcpy(buffer.data(), packet, length);
    uint32_t reply_length = 0;
    if (fw_execute_packet(&target_, buffer.data(), length, &reply_length) == FW_REPLY) {
        buffer.resize(reply_length);
        replies_.push_back(std::move(buffer));
    }
    return SYNCLINE_OK;
}

int ShmTransport::poll(const Sink& sink) {
    int count = 0;
    while (!replies_.empty()) {
        std::vector<uint8_t> reply = std::move(replies_.front());
        replies_.pop_front();
        const auto length = static_cast<uint32_t>(reply.size());
        reply.resize(target_.config->packet_max);
        sink(reply.data(), length);
        count++;
    }
    return count;
}

}  // namespace syncline
