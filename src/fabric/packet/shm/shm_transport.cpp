// SPDX-License-Identifier: BSD-3-Clause
#include "fabric/packet/shm/shm_transport.h"

#include <cstring>

#include "syncline.h"

namespace syncline {

ShmTransport::ShmTransport(Attachment* attachment, const PacketTables& tables, LocalMemory* memory)
    : no_completions_(attachment->config().ports) {
    nic_.config = &attachment->config();
    nic_.sources = tables.sources;
    nic_.rows = tables.rows;
    nic_.slots = tables.slots;
    nic_.segments = attachment->tables().segments;
    nic_.memory = attachment->bases();
    nic_.completions = no_completions_.data();
    nic_.ports = attachment->tables().ports;
    nic_.counters = &counters_;
    nic_.wake = [](void* self, uint32_t port) { static_cast<LocalMemory*>(self)->signal(port); };
    nic_.wake_context = memory;
}

int ShmTransport::send(uint32_t, const uint8_t* packet, uint32_t length, uint32_t) {
    std::vector<uint8_t> buffer(nic_.config->packet_max);
    std::memcpy(buffer.data(), packet, length);
    uint32_t reply_length = 0;
    if (fw_execute_packet(&nic_, buffer.data(), length, &reply_length) == FW_REPLY) {
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
        reply.resize(nic_.config->packet_max);
        sink(reply.data(), length);
        count++;
    }
    return count;
}

}  // namespace syncline
