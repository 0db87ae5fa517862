// SPDX-License-Identifier: BSD-3-Clause
#include "sim/models/atomic_unit/atomic_unit.h"

#include <algorithm>
#include <bit>

#include "base/failure.h"

namespace syncline::sim::atomic_unit {

namespace {
constexpr uint64_t tick = UINT64_MAX;  // any other event belongs to a line that ages
}

void check_geometry(uint64_t lines, uint64_t ways) {
    if (lines == 0) {
        return;
    }
    if (ways == 0 || ways > lines) {
        fail(SYNCLINE_ERR_INVALID, "a cache of {} lines cannot have {} ways: a set would be larger than the cache",
             lines, ways);
    }
    if (lines % ways != 0 || !std::has_single_bit(lines / ways)) {
        fail(SYNCLINE_ERR_INVALID, "a cache of {} lines cannot have {} ways: the number of sets must be a power of two",
             lines, ways);
    }
}

AtomicUnit::AtomicUnit(Kernel* kernel, const UnitParameters& parameters, HostInterface* host, UnitClient* client)
    : kernel_(kernel),
      parameters_(parameters),
      host_(host),
      client_(client),
      period_(from_ns(1000 / parameters.clock_mhz)),
      cache_(parameters.lines, parameters.ways),
      hazards_(parameters.hazard, parameters.hazard_entries, host),
      pending_(parameters.pending),
      waiting_(parameters.lines == 0 ? 0 : parameters.lines / std::max<uint64_t>(parameters.ways, 1)) {
    check_geometry(parameters.lines, parameters.ways);
    for (uint32_t i = 0; i < parameters.pending; i++) {
        free_.push_back(static_cast<uint32_t>(parameters.pending) - 1 - i);
    }
}

void AtomicUnit::accept(const Request& request) {
    input_.push_back(request);
    wake();
}

// Returns the next clock edge whose work has not been done yet.
void AtomicUnit::wake() {
    if (scheduled_) {
        return;
    }
    const uint64_t edge = (kernel_->now() + period_ - 1) / period_;
    scheduled_ = true;
    kernel_->at(std::max(edge, cycle_ + 1) * period_, this, tick);
}

void AtomicUnit::handle(uint64_t what) {
    if (what != tick) {
        age_line(what);
        return;
    }
    scheduled_ = false;
    cycle_ = kernel_->now() / period_;
    bool moved = take_hits();
    moved |= retire();
    moved |= issue();
    moved |= request();
    moved |= admit();
    const bool calculating = !alu_.empty() && alu_.front().ready > cycle_;
    if (moved || calculating || !returns_.empty()) {
        wake();
    }
}

bool AtomicUnit::idle() const {
    return input_.empty() && order_.empty() && alu_.empty() && reads_.empty() && parked_.empty() && words_.empty() &&
           dirty_lines_ == 0;
}

bool AtomicUnit::take_hits() {
    bool moved = false;
    while (!returns_.empty() && returns_.front().cycle <= cycle_) {
        Operand& operand = pending_[returns_.front().slot];
        operand.value = returns_.front().value;
        operand.state = State::kReady;
        returns_.pop_front();
        moved = true;
    }
    return moved;
}

bool AtomicUnit::retire() {
    if (alu_.empty() || alu_.front().ready > cycle_) {
        return false;
    }
    const Flight flight = alu_.front();
    const uint64_t address = flight.request.word;
    const uint64_t value = apply(flight.request, flight.old);
    Word& word = words_[address];
    if (flight.to_register) {
        word.value = value;
        statistics_.to_register++;
    } else if (!write_back(flight, value)) {
        statistics_.output_cycles++;
        return false;
    }
    alu_.pop_front();
    word.in_flight = false;
    if (Cache::Line* const line = cache_.find(address); line != nullptr) {
        const bool wanted = waiting_count_ != 0 && !waiting_[cache_.set_of(address)].empty();
        line->busy = word.first != none && !wanted;
        if (wanted) {
            freed_sets_.push_back(cache_.set_of(address));
        }
    }
    if (!flight.to_register && word.first != none) {
        supply(word.first, value);
    }
    forget(address, word);
    return true;
}

// The next operation on a word whose newest value has gone to the cache reads the value there. If the cache has given
// the word's line away, or is about to, the operation takes the value from the ALU: a request might wait for lines that
// later operations keep.
void AtomicUnit::supply(uint32_t slot, uint64_t value) {
    Operand& operand = pending_[slot];
    const Cache::Line* const line = cache_.find(operand.request.word);
    if (cache_.present() && (line == nullptr || !line->busy)) {
        operand.value = value;
        operand.state = State::kReady;
    } else {
        operand.state = State::kRequested;
        requests_.push_front(slot);
    }
}

// Writes the result to the cache, if the cache has the word, and to the host.
bool AtomicUnit::write_back(const Flight& flight, uint64_t value) {
    if (value == flight.old && !flight.from_register) {
        return true;
    }
    const uint64_t address = flight.request.word;
    Cache::Line* const line = cache_.find(address);
    if (line != nullptr && parameters_.policy == CachePolicy::kWriteBack) {
        mark_dirty(line, value);
    } else {
        // Without a line there is no later eviction of the word, so it is evicted now.
        if (host_->full() || (line == nullptr && !hazards_.evict(address)) || !hazards_.write(address, value)) {
            return false;
        }
        if (line != nullptr) {
            line->value = value;
        }
    }
    statistics_.to_cache++;
    return true;
}

void AtomicUnit::mark_dirty(Cache::Line* line, uint64_t value) {
    line->value = value;
    if (!line->dirty) {
        line->dirty = true;
        dirty_lines_++;
        kernel_->after(from_ns(parameters_.write_back_ns), this,
                       cache_.index_of(line) << 32 | (++line->dirtied & UINT32_MAX));
    }
}

// Writes a line that has been dirty for as long as it may.
void AtomicUnit::age_line(uint64_t what) {
    Cache::Line* const line = cache_.at(what >> 32);
    if (!line->dirty || (line->dirtied & UINT32_MAX) != (what & UINT32_MAX)) {
        return;
    }
    if (!hazards_.write(line->word, line->value)) {
        kernel_->after(period_, this, what);
        return;
    }
    line->dirty = false;
    dirty_lines_--;
}

void AtomicUnit::forget(uint64_t address, const Word& word) {
    if (word.first == none && !word.in_flight && !word.in_register) {
        words_.erase(address);
    }
}

bool AtomicUnit::issue() {
    const size_t candidates = std::min<size_t>(order_.size(), 1 + parameters_.set_aside);
    if (candidates == 0 || alu_.size() >= std::max(parameters_.alu_depth, parameters_.float_depth)) {
        return false;
    }
    for (size_t position = 0; position < candidates; position++) {
        if (issue_slot(position)) {
            return true;
        }
    }
    const Operand& head = pending_[order_.front()];
    note_stall(head, words_[head.request.word]);
    return false;
}

void AtomicUnit::note_stall(const Operand& head, const Word& word) {
    (word.in_flight || head.state == State::kFollowing ? statistics_.busy_cycles : statistics_.data_cycles)++;
}

bool AtomicUnit::issue_slot(size_t position) {
    const uint32_t slot = order_[position];
    Operand& operand = pending_[slot];
    Word& word = words_[operand.request.word];
    if (word.first != slot || word.in_flight || (!word.in_register && operand.state != State::kReady)) {
        return false;
    }
    Flight flight = {operand.request, 0, word.in_register ? word.value : operand.value, word.in_register, false};
    word.first = operand.next;
    word.last = word.first == none ? none : word.last;
    flight.to_register = wants_register(word, position);
    if (flight.to_register != flight.from_register) {
        registers_used_ += flight.to_register ? 1 : -1;
    }
    word.in_register = flight.to_register;
    word.age = flight.to_register ? word.age + 1 : 0;
    word.in_flight = true;
    const bool real = operand.request.operation == Operation::ADD_DOUBLE;
    const uint64_t ready = cycle_ + (real ? parameters_.float_depth : parameters_.alu_depth);
    // Results leave in order, whatever the depth of their pipeline.
    flight.ready = alu_.empty() ? ready : std::max(ready, alu_.back().ready + 1);
    alu_.push_back(flight);
    order_.erase(order_.begin() + static_cast<std::ptrdiff_t>(position));
    free_.push_back(slot);
    statistics_.operations++;
    client_->operation_done(flight.request, flight.old);
    return true;
}

bool AtomicUnit::wants_register(const Word& word, size_t position) {
    const bool has_one = word.in_register;
    return (has_one || registers_used_ < parameters_.registers) && ageing_allows(word) && seen_ahead(word, position);
}

bool AtomicUnit::ageing_allows(const Word& word) const {
    const bool young = word.age < parameters_.age_limit;
    const bool backed_up = host_->queued() >= parameters_.host_queue_low;
    switch (parameters_.ageing) {
        case Ageing::kCount:
            return young;
        case Ageing::kHostQueue:
            return backed_up;
        default:
            return young && backed_up;
    }
}

// Returns whether the look-ahead window after the operation at `position` has a request for its word.
bool AtomicUnit::seen_ahead(const Word& word, size_t position) const {
    const size_t ahead = order_.size() - position - 1;
    if (word.first != none) {
        const auto found =
            std::find(order_.begin() + static_cast<std::ptrdiff_t>(position) + 1, order_.end(), word.first);
        return static_cast<size_t>(found - order_.begin()) - position <= parameters_.window;
    }
    const uint64_t address = pending_[order_[position]].request.word;
    const size_t seen = std::min(input_.size(), parameters_.window > ahead ? parameters_.window - ahead : 0);
    return std::any_of(input_.begin(), input_.begin() + static_cast<std::ptrdiff_t>(seen),
                       [address](const Request& request) { return request.word == address; });
}

}  // namespace syncline::sim::atomic_unit
