// SPDX-License-Identifier: BSD-3-Clause
#include "sim/models/atomic_unit/hazard_buffer.h"

namespace syncline::sim::atomic_unit {

bool HazardBuffer::may_read(uint64_t word) {
    if (scheme_ == HazardScheme::kNone || !entries_.contains(word)) {
        return true;
    }
    if (scheme_ == HazardScheme::kFlush) {
        start_flush();
    }
    return false;
}

bool HazardBuffer::write(uint64_t word, uint64_t value) {
    if (scheme_ == HazardScheme::kAcknowledge) {
        const auto entry = entries_.find(word);
        if (entry != entries_.end()) {
            merged_ += entry->second.waiting ? 1 : 0;
            entry->second.value = value;
            entry->second.waiting = true;
            return true;
        }
        if (entries_.size() == capacity_ || host_->full()) {
            return false;
        }
        entries_.emplace(word, Entry{});
    } else if (host_->full()) {
        return false;
    }
    host_->write(word, value);
    return true;
}

bool HazardBuffer::evict(uint64_t word) {
    if (scheme_ != HazardScheme::kFlush) {
        return true;
    }
    const auto entry = entries_.find(word);
    if (entry != entries_.end()) {
        entry->second.in_flush = false;  // the word has been written again since
        return true;
    }
    if (entries_.size() == capacity_) {
        start_flush();
        return false;
    }
    entries_.emplace(word, Entry{});
    return true;
}

void HazardBuffer::start_flush() {
    if (flushing_) {
        return;
    }
    flushing_ = true;
    for (auto& [word, entry] : entries_) {
        entry.in_flush = true;
    }
    host_->flush();
}

bool HazardBuffer::acknowledged(uint64_t word) {
    const auto entry = entries_.find(word);
    if (scheme_ != HazardScheme::kAcknowledge || entry == entries_.end()) {
        return false;
    }
    if (entry->second.waiting) {
        entry->second.waiting = false;
        host_->write(word, entry->second.value);
        return false;
    }
    entries_.erase(entry);
    return true;
}

void HazardBuffer::flushed() {
    flushing_ = false;
    std::erase_if(entries_, [](const auto& item) { return item.second.in_flush; });
}

}  // namespace syncline::sim::atomic_unit
