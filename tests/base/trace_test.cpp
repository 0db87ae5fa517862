// SPDX-License-Identifier: BSD-3-Clause
// Method: threads write into one ring, which goes round many times, while another thread reads copies of it. Each event
// carries a number that follows from its others, so an event of two halves would show.
#include "base/trace.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "base/failure.h"

namespace syncline {
namespace {

constexpr TraceOwner owner = {.rank = 3, .node = 1, .job = 0xabc, .process = 4711};

std::unique_ptr<TraceRing> make_ring(uint32_t events) {
    Mapping memory;
    EXPECT_TRUE(memory.map(-1, trace_bytes(events)));
    return std::make_unique<TraceRing>(std::move(memory), events, owner);
}

std::vector<TraceEvent> events_in(const std::vector<uint8_t>& copy) {
    TraceHeader header;
    std::memcpy(&header, copy.data(), sizeof(header));
    std::vector<TraceEvent> events;
    for (uint32_t i = 0; i < header.events; i++) {
        TracePlace place;
        std::memcpy(&place, copy.data() + sizeof(header) + i * sizeof(place), sizeof(place));
        if (const TraceEvent event = trace_event(place); event.kind != TraceKind::kNone) {
            events.push_back(event);
        }
    }
    return events;
}

TEST(Trace, KeepsTheLastEvents) {
    const auto ring = make_ring(64);
    for (uint64_t i = 1; i <= 100; i++) {
        ring->write(TraceKind::kSent, 7, i, 2 * i, -static_cast<int32_t>(i), 5, "syncline_put");
    }
    const std::vector<TraceEvent> events = events_in(ring->copy());
    ASSERT_EQ(events.size(), 64u);
    uint64_t least = UINT64_MAX;
    for (const TraceEvent& event : events) {
        EXPECT_EQ(event.a, event.number);
        EXPECT_EQ(event.b, 2 * event.number);
        EXPECT_EQ(event.status, -static_cast<int32_t>(event.number));
        EXPECT_EQ(event.peer, 7);
        EXPECT_EQ(event.detail, 5);
        EXPECT_EQ(event.kind, TraceKind::kSent);
        EXPECT_NE(event.time_ns, 0u);
        EXPECT_NE(event.thread, 0u);
        least = std::min(least, event.number);
    }
    EXPECT_EQ(least, 37u);
}

TEST(Trace, NamesEachCallOnce) {
    const auto ring = make_ring(1024);
    std::vector<std::string> calls;
    for (uint32_t i = 0; i < TraceHeader::names_max + 10; i++) {
        calls.push_back("call_" + std::to_string(i));
    }
    for (int turn = 0; turn < 3; turn++) {
        for (const std::string& call : calls) {
            ring->write(TraceKind::kFailed, -1, 0, 0, 0, 0, call.c_str());
        }
    }
    const std::vector<uint8_t> copy = ring->copy();
    const auto* const header = reinterpret_cast<const TraceHeader*>(copy.data());
    uint32_t nameless = 0;
    for (const TraceEvent& event : events_in(copy)) {
        if (event.call == TraceHeader::no_name) {
            nameless++;
            continue;
        }
        EXPECT_EQ(header->names[event.call], calls[(event.number - 1) % calls.size()]);
    }
    EXPECT_EQ(nameless, 3 * 10u) << "more calls than places";
}

TEST(Trace, TakesNoEventOfTwoHalves) {
    const auto ring = make_ring(64);
    constexpr uint64_t each = 200'000;
    std::atomic<bool> ends{false};
    std::vector<std::thread> writers;
    for (uint64_t writer = 1; writer <= 3; writer++) {
        writers.emplace_back([&, writer] {
            for (uint64_t i = 0; i < each; i++) {
                const uint64_t a = writer << 32 | i;
                ring->write(TraceKind::kSent, static_cast<int32_t>(writer), a, ~a, static_cast<int32_t>(i), 0, nullptr);
            }
        });
    }
    uint64_t seen = 0;
    std::thread reader([&] {
        while (!ends.load()) {
            for (const TraceEvent& event : events_in(ring->copy())) {
                seen++;
                EXPECT_EQ(event.b, ~event.a);
                EXPECT_EQ(event.a >> 32, static_cast<uint64_t>(event.peer));
                EXPECT_EQ(static_cast<int32_t>(event.a & UINT32_MAX), event.status);
            }
        }
    });
    for (std::thread& writer : writers) {
        writer.join();
    }
    ends.store(true);
    reader.join();
    EXPECT_NE(seen, 0u);
    const std::vector<TraceEvent> last = events_in(ring->copy());
    EXPECT_EQ(last.size(), 64u) << "an event was lost although no thread writes any more";
}

TEST(Trace, AnEventThatWasDamagedIsNone) {
    const auto ring = make_ring(64);
    ring->write(TraceKind::kSent, 1, 2, 3, 4, 5, nullptr);
    const std::vector<uint8_t> copy = ring->copy();
    TracePlace place;
    std::memcpy(&place, copy.data() + sizeof(TraceHeader), sizeof(place));
    EXPECT_EQ(trace_event(place).a, 2u);
    for (uint32_t word = 0; word < TracePlace::words; word++) {
        for (uint32_t bit = 0; bit < 64; bit++) {
            TracePlace damaged = place;
            damaged.word[word] ^= uint64_t{1} << bit;
            EXPECT_EQ(trace_event(damaged).kind, TraceKind::kNone) << "bit " << bit << " of word " << word;
        }
    }
}

TEST(Trace, ThatIsOffHasNoRing) {
    Trace trace;
    EXPECT_FALSE(trace.is_on());
    trace.note(TraceKind::kSent, 1);
    EXPECT_EQ(trace.ring(), nullptr);
    trace.begin(make_ring(64));
    EXPECT_TRUE(trace.is_on());
    trace.note(TraceKind::kSent, 1);
    trace.stop();
    trace.note(TraceKind::kSent, 1);
    EXPECT_FALSE(trace.is_on());
    EXPECT_EQ(events_in(trace.ring()->copy()).size(), 1u);
}

TEST(Trace, TheVariableSaysHowManyEvents) {
    const auto wanted = [](const char* value) {
        ::setenv("SYNCLINE_TRACE", value, 1);
        const uint32_t events = wanted_trace_events();
        ::unsetenv("SYNCLINE_TRACE");
        return events;
    };
    EXPECT_EQ(wanted_trace_events(), 0u);
    EXPECT_EQ(wanted("0"), 0u);
    EXPECT_EQ(wanted("1"), trace_events_usual);
    EXPECT_EQ(wanted("2"), trace_events_least);
    EXPECT_EQ(wanted("1000"), 1024u);
    EXPECT_EQ(wanted("65536"), trace_events_max);
    for (const char* const value : {"yes", "-1", "65537", ""}) {
        EXPECT_THROW(wanted(value), Failure) << value;
        ::unsetenv("SYNCLINE_TRACE");
    }
}

}  // namespace
}  // namespace syncline
