// SPDX-License-Identifier: BSD-3-Clause
#include "daemon/packet/retransmitter.h"

#include <algorithm>
#include <cstring>
#include <utility>

#include "base/check.h"
#include "base/clock.h"
#include "base/failure.h"
#include "daemon/addresses.h"

namespace syncline {

Retransmitter::Retransmitter(const Job* job, int socket, const Trace* trace)
    : job_(job),
      socket_(socket),
      trace_(trace),
      longest_wait_ns_(std::clamp(uint64_t{job->spec.peer_timeout_ms} * ns_per_ms / 32, interval_ns, interval_ns_max)),
      ports_(job->spec.config.ports) {}

void Retransmitter::add_port(uint32_t port, int images_fd) {
    if (!ports_[port].images.map(images_fd, requests_bytes(job_->spec.config), false)) {
        fail_errno(SYNCLINE_ERR_NO_MEMORY, "cannot map the request images of port {}", port);
    }
    ports_[port].sent_ns.assign(buffers_of(job_->spec.config), 0);
}

int Retransmitter::do_work(uint64_t now) {
    int sent = 0;
    for (uint32_t index = 0; index < ports_.size(); index++) {
        Port& port = ports_[index];
        if (port.images && __atomic_load_n(&port.images.at<RequestsHeader>()->outstanding, __ATOMIC_RELAXED) != 0) {
            sent += scan(index, now);
        } else {
            port.armed.clear();
        }
    }
    total_ += static_cast<uint64_t>(sent);
    return sent;
}

uint64_t Retransmitter::by_process(uint32_t port) const {
    return __atomic_load_n(&ports_[port].images.at<RequestsHeader>()->retransmitted, __ATOMIC_RELAXED);
}

uint64_t Retransmitter::bytes_of(uint32_t port) const {
    return __atomic_load_n(&ports_[port].images.at<RequestsHeader>()->bytes, __ATOMIC_RELAXED);
}

std::vector<Retransmitter::Wait> Retransmitter::waits_of(uint32_t port, uint64_t now) const {
    std::vector<Wait> waits;
    for (const Armed& armed : ports_[port].armed) {
        const fw_image& image =
            *image_at(ports_[port].images.at<const RequestsHeader>(), job_->spec.config, armed.index);
        if (__atomic_load_n(&image.state, __ATOMIC_RELAXED) != armed.state) {
            continue;
        }
        const uint32_t node = fw_node_of_request(armed.state);
        auto wait = std::find_if(waits.begin(), waits.end(), [node](const Wait& other) { return other.node == node; });
        if (wait == waits.end()) {
            wait = waits.insert(wait, {node, 0, 0});
        }
        wait->requests++;
        wait->for_ns = std::max(wait->for_ns, now - armed.since_ns);
    }
    return waits;
}

void Retransmitter::add_counters(uint32_t port, fw_counters* sum) const {
    const fw_counters& counters = ports_[port].images.at<RequestsHeader>()->counters;
    for (uint32_t i = 0; i < FW_COUNTER_COUNT; i++) {
        sum->value[i] += __atomic_load_n(&counters.value[i], __ATOMIC_RELAXED);
    }
}

void Retransmitter::note_sent(uint32_t port, uint64_t state) const {
    const auto slot = static_cast<uint32_t>(state >> 40) % SLW_WINDOW_MAX;
    trace_->note(TraceKind::kRepeatedFor, static_cast<int32_t>(fw_node_of_request(state)),
                 trace_request(slot, static_cast<uint32_t>(state >> 8)),
                 job_->map.rank_at(job_->spec.config.node, port));
}

int Retransmitter::scan(uint32_t index, uint64_t now) {
    Port* const port = &ports_[index];
    int sent = 0;
    const auto* const header = port->images.at<const RequestsHeader>();
    const std::vector<Armed> before = std::exchange(port->armed, {});
    auto known = before.begin();
    for (size_t i = 0; i < port->sent_ns.size(); i++) {
        const fw_image& image = *image_at(header, job_->spec.config, i);
        const uint64_t sent_ns = __atomic_load_n(&image.sent_ns, __ATOMIC_RELAXED);
        const uint64_t state = __atomic_load_n(&image.state, __ATOMIC_RELAXED);
        if ((state & 255) == 0) {
            continue;
        }
        known = std::find_if(known, before.end(), [i](const Armed& armed) { return armed.index >= i; });
        const bool is_known = known != before.end() && known->index == i && known->state == state;
        Armed armed = {i, state, std::min(sent_ns, now), interval_ns};
        if (is_known) {
            armed.since_ns = known->since_ns;
            armed.wait_ns = known->wait_ns;
        }
        SYNCLINE_ASSERT(armed.wait_ns >= interval_ns && armed.wait_ns <= std::max(longest_wait_ns_, interval_ns),
                        "a wait of %lu ns", armed.wait_ns);
        SYNCLINE_ASSERT(port->sent_ns[i] <= now, "buffer %zu was sent %lu ns from now", i, port->sent_ns[i] - now);
        if (now >= sent_ns + interval_ns && now >= port->sent_ns[i] + armed.wait_ns) {
            port->sent_ns[i] = now;
            sent += send_again(image);
            note_sent(index, state);
            armed.wait_ns = std::min(2 * armed.wait_ns, longest_wait_ns_);
        }
        port->armed.push_back(armed);
    }
    return sent;
}

bool Retransmitter::send_again(const fw_image& image) {
    uint8_t packet[SLW_PACKET_MAX];
    const uint64_t before = __atomic_load_n(&image.state, __ATOMIC_ACQUIRE);
    const uint32_t length = __atomic_load_n(&image.length, __ATOMIC_RELAXED);
    const uint32_t pad_to = __atomic_load_n(&image.pad_to, __ATOMIC_RELAXED);
    const uint32_t packet_max = job_->spec.config.packet_max;
    const uint32_t node = fw_node_of_request(before);
    if ((before & 255) == 0 || node >= job_->spec.config.nodes || length > packet_max || pad_to > packet_max) {
        return false;
    }
    std::memcpy(packet, image.packet, length);
    std::memset(packet + length, 0, pad_to > length ? pad_to - length : 0);
    __atomic_thread_fence(__ATOMIC_ACQUIRE);
    if (__atomic_load_n(&image.state, __ATOMIC_RELAXED) != before) {
        return false;
    }
    return send_to_node(socket_, *job_, node, packet, std::max(length, pad_to));
}

}  // namespace syncline
