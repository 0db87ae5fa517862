// SPDX-License-Identifier: BSD-3-Clause
#include "base/trace.h"

#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <bit>
#include <cstring>

#include "base/check.h"
#include "base/clock.h"
#include "base/variables.h"

namespace syncline {
namespace {

constinit thread_local uint32_t number_of_thread = 0;

uint32_t thread_number() {
    if (number_of_thread == 0) {
        number_of_thread = static_cast<uint32_t>(::syscall(SYS_gettid));
    }
    return number_of_thread;
}

uint64_t sum_of(const TracePlace& place) {
    uint64_t sum = TraceHeader::is_trace;
    for (uint32_t i = 0; i + 1 < TracePlace::words; i++) {
        sum = std::rotl(sum ^ place.word[i], 29) * 0x9e3779b97f4a7c15;
    }
    return sum;
}

TracePlace packed(const TraceEvent& event) {
    TracePlace place = {{event.number, event.time_ns, event.a, event.b,
                         uint64_t{static_cast<uint32_t>(event.peer)} << 32 | static_cast<uint32_t>(event.status),
                         uint64_t{event.thread} << 32 | uint64_t{event.call} << 16 |
                             uint64_t{static_cast<uint8_t>(event.kind)} << 8 | event.detail,
                         0}};
    place.word[TracePlace::words - 1] = sum_of(place);
    return place;
}

}  // namespace

TraceEvent trace_event(const TracePlace& place) {
    TraceEvent event;
    const auto kind = static_cast<uint8_t>(place.word[5] >> 8);
    if (place.word[0] == 0 || place.word[TracePlace::words - 1] != sum_of(place) ||
        kind >= static_cast<uint8_t>(TraceKind::kCount)) {
        return event;
    }
    event.number = place.word[0];
    event.time_ns = place.word[1];
    event.a = place.word[2];
    event.b = place.word[3];
    event.peer = static_cast<int32_t>(place.word[4] >> 32);
    event.status = static_cast<int32_t>(place.word[4] & UINT32_MAX);
    event.thread = static_cast<uint32_t>(place.word[5] >> 32);
    event.call = static_cast<uint16_t>(place.word[5] >> 16);
    event.kind = static_cast<TraceKind>(kind);
    event.detail = static_cast<uint8_t>(place.word[5]);
    return event;
}

uint32_t wanted_trace_events() {
    const uint64_t wanted = number_in("SYNCLINE_TRACE").value_or(0);
    return wanted == 0   ? 0
           : wanted == 1 ? trace_events_usual
                         : std::bit_ceil(std::max(static_cast<uint32_t>(wanted), trace_events_least));
}

TraceRing::TraceRing(Mapping memory, uint32_t events, const TraceOwner& owner)
    : memory_(std::move(memory)),
      header_(memory_.at<TraceHeader>()),
      places_(memory_.at<TracePlace>(sizeof(TraceHeader))),
      mask_(events - 1) {
    SYNCLINE_ASSERT(std::has_single_bit(events) && memory_.length() >= trace_bytes(events),
                    "a ring of %u events in %zu bytes", events, memory_.length());
    header_->events = events;
    header_->rank = owner.rank;
    header_->node = owner.node;
    header_->job = owner.job;
    header_->process = owner.process;
    __atomic_store_n(&header_->magic, TraceHeader::is_trace, __ATOMIC_RELEASE);
}

// A name takes the first free place behind that of its pointer's hash. A reader that comes before the text is there
// sees a part of it.
uint16_t TraceRing::place_of(const char* call) {
    const uint64_t hash = reinterpret_cast<uintptr_t>(call) * 0x9e3779b97f4a7c15 >> 32;
    for (uint32_t i = 0; i < TraceHeader::names_max; i++) {
        const auto place = static_cast<uint16_t>((hash + i) % TraceHeader::names_max);
        const char* known = known_[place].load(std::memory_order_relaxed);
        if (known == nullptr && known_[place].compare_exchange_strong(known, call, std::memory_order_relaxed)) {
            const size_t length = std::min<size_t>(std::strlen(call), TraceHeader::name_bytes - 1);
            std::memcpy(header_->names[place], call, length);
            return place;
        }
        if (known == call) {
            return place;
        }
    }
    return TraceHeader::no_name;
}

void TraceRing::write(TraceKind kind, int32_t peer, uint64_t a, uint64_t b, int32_t status, uint8_t detail,
                      const char* call) {
    const uint64_t number = next_.fetch_add(1, std::memory_order_relaxed);
    const TracePlace place = packed({.number = number + 1,
                                     .time_ns = now_ns(),
                                     .a = a,
                                     .b = b,
                                     .peer = peer,
                                     .status = status,
                                     .thread = thread_number(),
                                     .call = call != nullptr ? place_of(call) : TraceHeader::no_name,
                                     .kind = kind,
                                     .detail = detail});
    TracePlace* const to = &places_[number & mask_];
    for (uint32_t i = 0; i < TracePlace::words; i++) {
        __atomic_store_n(&to->word[i], place.word[i], __ATOMIC_RELAXED);
    }
}

std::vector<uint8_t> TraceRing::copy() const {
    std::vector<uint8_t> copy(trace_bytes(static_cast<uint32_t>(mask_ + 1)));
    for (size_t at = 0; at < copy.size(); at += sizeof(uint64_t)) {
        const uint64_t word = __atomic_load_n(memory_.at<uint64_t>(at), __ATOMIC_RELAXED);
        std::memcpy(&copy[at], &word, sizeof(word));
    }
    return copy;
}

}  // namespace syncline
