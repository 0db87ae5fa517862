// SPDX-License-Identifier: BSD-3-Clause
// How operands are found: from the input through the cache, the hazard buffer and the host's memory. atomic_unit.cpp
// executes the operations on them.
#include "sim/models/atomic_unit/atomic_unit.h"

namespace syncline::sim::atomic_unit {

bool AtomicUnit::request() {
    bool moved = false;
    while (!reads_.empty() && !host_->full()) {
        host_->read(pending_[reads_.front()].request.word, reads_.front());
        reads_.pop_front();
        moved = true;
    }
    return serve_freed() || serve_next() || moved;
}

// A line of a set has become free: the set's first waiting request takes it. If no line is free after all, the request
// waits for the next line that becomes free.
bool AtomicUnit::serve_freed() {
    while (!freed_sets_.empty()) {
        std::deque<uint32_t>& waiting = waiting_[freed_sets_.front()];
        const uint32_t slot = waiting.empty() ? none : waiting.front();
        const bool served = slot != none && (hit(slot) || miss(slot));
        if (slot != none && !served && cache_.victim(pending_[slot].request.word) != nullptr) {
            return false;  // the host has no room
        }
        freed_sets_.pop_front();
        if (served) {
            waiting.pop_front();
            waiting_count_--;
            return true;
        }
    }
    return false;
}

bool AtomicUnit::serve_next() {
    if (requests_.empty()) {
        return false;
    }
    if (!serve(requests_.front())) {
        statistics_.conflict_cycles++;
        return false;
    }
    requests_.pop_front();
    return true;
}

// Serves a cache request. False: the request has to wait.
bool AtomicUnit::serve(uint32_t slot) {
    const uint64_t address = pending_[slot].request.word;
    const Cache::Line* const line = cache_.find(address);
    const bool kept = line != nullptr && line->busy;  // for this request
    if (!kept && waiting_count_ != 0 && !waiting_[cache_.set_of(address)].empty()) {
        return wait_for_line(slot);
    }
    return hit(slot) || miss(slot) || wait_for_line(slot);
}

bool AtomicUnit::hit(uint32_t slot) {
    Cache::Line* const line = cache_.find(pending_[slot].request.word);
    if (line == nullptr) {
        return false;
    }
    line->busy = true;
    cache_.touch(line);
    returns_.push_back({cycle_ + parameters_.cache_latency, slot, line->value});
    statistics_.hits++;
    return true;
}

// In a cache that does not block, a request whose set is full waits aside, with later requests for that set. An
// operation that keeps a line of the set was admitted before, so it does not wait for this request.
bool AtomicUnit::wait_for_line(uint32_t slot) {
    const uint64_t address = pending_[slot].request.word;
    if (!cache_.present() || parameters_.blocking) {
        return false;
    }
    std::deque<uint32_t>& waiting = waiting_[cache_.set_of(address)];
    if (waiting.empty() && cache_.victim(address) != nullptr) {
        return false;  // it is the host that has no room
    }
    waiting.push_back(slot);
    waiting_count_++;
    return true;
}

bool AtomicUnit::miss(uint32_t slot) {
    const uint64_t address = pending_[slot].request.word;
    if (cache_.present()) {
        Cache::Line* const line = cache_.victim(address);
        if (line == nullptr || !make_room(line)) {
            return false;
        }
        *line = {.word = address, .valid = true, .filling = true, .busy = true, .dirtied = line->dirtied};
        cache_.touch(line);
    }
    statistics_.misses++;
    read_from_host(slot);
    return true;
}

bool AtomicUnit::make_room(Cache::Line* line) {
    if (!line->valid) {
        return true;
    }
    if (line->dirty) {
        if (!hazards_.write(line->word, line->value)) {
            return false;
        }
        line->dirty = false;
        dirty_lines_--;
    }
    return hazards_.evict(line->word);
}

void AtomicUnit::read_from_host(uint32_t slot) {
    if (!hazards_.may_read(pending_[slot].request.word)) {
        statistics_.hazard_waits++;
        parked_.push_back(slot);
    } else if (host_->full()) {
        reads_.push_back(slot);
    } else {
        host_->read(pending_[slot].request.word, slot);
    }
}

// The unit admits no operation after a request that blocks the cache: this operation could keep the line that the
// request waits for, and wait for the request in turn.
bool AtomicUnit::admit() {
    if (input_.empty() || free_.empty() || !requests_.empty()) {
        return false;
    }
    const uint32_t slot = free_.back();
    free_.pop_back();
    Operand& operand = pending_[slot];
    operand = {.request = input_.front()};
    input_.pop_front();
    order_.push_back(slot);
    Word& word = words_[operand.request.word];
    if (word.first != none) {
        pending_[word.last].next = slot;
    } else {
        word.first = slot;
        if (!word.in_flight && !word.in_register) {
            operand.state = State::kRequested;
            requests_.push_back(slot);
        }
    }
    word.last = slot;
    client_->input_moved();
    return true;
}

void AtomicUnit::read_done(uint32_t slot, uint64_t value) {
    Operand& operand = pending_[slot];
    operand.value = value;
    operand.state = State::kReady;
    if (Cache::Line* const line = cache_.find(operand.request.word); line != nullptr) {
        line->filling = false;
        line->value = value;
    }
    wake();
}

void AtomicUnit::write_acknowledged(uint64_t word) {
    if (hazards_.acknowledged(word)) {
        release_parked();
    }
    wake();
}

void AtomicUnit::flushed() {
    hazards_.flushed();
    release_parked();
    wake();
}

void AtomicUnit::release_parked() {
    std::vector<uint32_t> parked;
    parked.swap(parked_);
    for (const uint32_t slot : parked) {
        if (hazards_.may_read(pending_[slot].request.word)) {
            reads_.push_back(slot);
        } else {
            parked_.push_back(slot);
        }
    }
}

}  // namespace syncline::sim::atomic_unit
