// SPDX-License-Identifier: BSD-3-Clause
#include "sim/models/atomic_unit/host_interface.h"

#include <algorithm>

namespace syncline::sim::atomic_unit {

HostInterface::HostInterface(Kernel* kernel, const HostParameters& parameters, Memory* memory, HostClient* client)
    : kernel_(kernel),
      parameters_(parameters),
      memory_(memory),
      client_(client),
      latency_(from_ns(parameters.latency_ns)),
      visible_(from_ns(parameters.write_visible_ns)) {}

Time HostInterface::time_to_host(Kind kind) const {
    const bool data = kind == Kind::kWrite || kind == Kind::kMessage;
    return transfer_time(data ? parameters_.write_request_bytes : parameters_.read_request_bytes,
                         parameters_.bandwidth_gbps);
}

Time HostInterface::time_to_nic(Kind kind) const {
    const double bytes = kind == Kind::kCommand                        ? parameters_.command_bytes
                         : kind == Kind::kRead || kind == Kind::kFlush ? parameters_.response_bytes
                                                                       : parameters_.acknowledgement_bytes;
    return transfer_time(bytes, parameters_.bandwidth_gbps);
}

void HostInterface::count(Kind kind) {
    uint64_t* const counters[] = {&statistics_.reads, &statistics_.writes, &statistics_.flushes, &statistics_.messages,
                                  &statistics_.commands};
    (*counters[static_cast<int>(kind)])++;
}

void HostInterface::request(const Transfer& transfer) {
    count(transfer.kind);
    queue_.push_back(transfer);
    send_to_host();
}

void HostInterface::command(uint64_t command) {
    count(Kind::kCommand);
    commands_.push_back({Kind::kCommand, 0, command, 0});
    send_to_nic();
}

bool HostInterface::is_posted(Kind kind) const {
    return parameters_.write_credits != 0 && (kind == Kind::kWrite || kind == Kind::kMessage);
}

bool HostInterface::may_send(Kind kind) const {
    return is_posted(kind) ? credits_used_ < parameters_.write_credits : tags_used_ < parameters_.tags;
}

void HostInterface::send_to_host() {
    if (to_host_busy_ || queue_.empty() || !may_send(queue_.front().kind)) {
        return;
    }
    if (is_posted(queue_.front().kind)) {
        credits_used_++;
    } else {
        note_tags();
        tags_used_++;
        statistics_.tags_most = std::max(statistics_.tags_most, tags_used_);
    }
    const Time busy = time_to_host(queue_.front().kind);
    crossing_.push_back(queue_.front());
    queue_.pop_front();
    to_host_busy_ = true;
    statistics_.to_host_busy += busy;
    kernel_->after(busy, this, kToHostFree);
    kernel_->after(busy + latency_, this, kAtHost);
    client_->host_moved();
}

void HostInterface::note_tags() {
    statistics_.tag_time += tags_used_ * (kernel_->now() - tags_changed_);
    tags_changed_ = kernel_->now();
}

void HostInterface::release_tag() {
    note_tags();
    tags_used_--;
    send_to_host();
}

void HostInterface::arrive_at_host() {
    Transfer transfer = crossing_.front();
    crossing_.pop_front();
    if (transfer.kind == Kind::kRead) {
        // A read sees the values that are visible now: it passes writes that have only just arrived.
        transfer.value = memory_->load(transfer.word);
        memory_queue_.push_back(transfer);
        kernel_->at(memory_->access(kernel_->now()), this, kServed);
        return;
    }
    if (transfer.kind == Kind::kWrite) {
        memory_->access(kernel_->now());
    }
    visible_queue_.push_back(transfer);
    kernel_->after(visible_, this, kVisible);
    if (transfer.kind != Kind::kFlush) {
        write_arrived(transfer.kind);
    }
}

void HostInterface::write_arrived(Kind kind) {
    if (is_posted(kind)) {
        kernel_->after(latency_, this, kCredit);
    } else if (!parameters_.tag_until_acknowledged) {
        release_tag();
    }
}

void HostInterface::serve() {
    responses_.push_back(memory_queue_.front());
    memory_queue_.pop_front();
    send_to_nic();
}

void HostInterface::become_visible() {
    const Transfer transfer = visible_queue_.front();
    visible_queue_.pop_front();
    if (transfer.kind == Kind::kMessage) {
        client_->message_visible(transfer.word);
        if (parameters_.tag_until_acknowledged && !is_posted(transfer.kind)) {
            release_tag();
        }
        return;
    }
    if (transfer.kind == Kind::kWrite) {
        memory_->store(transfer.word, transfer.value);
        if (parameters_.acknowledgement_bytes == 0) {
            acknowledgements_.push_back(transfer);
            kernel_->after(latency_, this, kAcknowledged);
            return;
        }
    }
    responses_.push_back(transfer);
    send_to_nic();
}

// Responses and commands take turns.
void HostInterface::send_to_nic() {
    if (to_nic_busy_ || (responses_.empty() && commands_.empty())) {
        return;
    }
    const bool command = responses_.empty() || (commands_turn_ && !commands_.empty());
    std::deque<Transfer>& from = command ? commands_ : responses_;
    commands_turn_ = !command;
    returning_.push_back(from.front());
    from.pop_front();
    const Time busy = time_to_nic(returning_.back().kind);
    to_nic_busy_ = true;
    statistics_.to_nic_busy += busy;
    kernel_->after(busy, this, kToNicFree);
    kernel_->after(busy + latency_, this, kAtNic);
}

void HostInterface::arrive_at_nic(std::deque<Transfer>* from) {
    const Transfer transfer = from->front();
    from->pop_front();
    switch (transfer.kind) {
        case Kind::kRead:
            release_tag();
            client_->read_done(transfer.ticket, transfer.value);
            break;
        case Kind::kWrite:
            if (parameters_.tag_until_acknowledged && !is_posted(transfer.kind)) {
                release_tag();
            }
            client_->write_acknowledged(transfer.word);
            break;
        case Kind::kFlush:
            release_tag();
            client_->flushed();
            break;
        default:
            client_->command_arrived(transfer.word);
    }
}

void HostInterface::handle(uint64_t what) {
    switch (what) {
        case kToHostFree:
            to_host_busy_ = false;
            send_to_host();
            break;
        case kAtHost:
            arrive_at_host();
            break;
        case kServed:
            serve();
            break;
        case kVisible:
            become_visible();
            break;
        case kToNicFree:
            to_nic_busy_ = false;
            send_to_nic();
            break;
        case kAtNic:
            arrive_at_nic(&returning_);
            break;
        case kCredit:
            credits_used_--;
            send_to_host();
            break;
        default:
            arrive_at_nic(&acknowledgements_);
    }
}

}  // namespace syncline::sim::atomic_unit
