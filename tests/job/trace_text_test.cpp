// SPDX-License-Identifier: BSD-3-Clause
#include "job/trace_text.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>
#include <cstring>
#include <string>
#include <vector>

#include "base/clock.h"
#include "base/memory_file.h"
#include "syncline.h"

namespace syncline {
namespace {

TraceEvent event_at(uint64_t ms, TraceKind kind, int32_t peer = -1, uint64_t a = 0) {
    TraceEvent event;
    event.number = ms + 1;
    event.time_ns = ms * ns_per_ms;
    event.kind = kind;
    event.peer = peer;
    event.a = a;
    event.call = TraceHeader::no_name;
    event.thread = 1;
    return event;
}

TraceEvent wait_at(uint64_t ms, TraceKind kind, WaitFor what, int status = 0) {
    TraceEvent event = event_at(ms, kind);
    event.detail = static_cast<uint8_t>(what);
    event.status = status;
    return event;
}

ReadTrace trace_of(int32_t rank, std::vector<TraceEvent> events) {
    return {{rank, 0, 1, 100 + static_cast<uint32_t>(rank)}, std::move(events), {}};
}

size_t lines_of(const std::string& text) {
    return static_cast<size_t>(std::count(text.begin(), text.end(), '\n'));
}

TEST(TraceText, EventsOfAllStandInTheOrderOfTime) {
    const std::string text = render_traces(
        {trace_of(0, {event_at(1, TraceKind::kAttached, 0, 100)}),
         trace_of(1, {event_at(0, TraceKind::kAttached, 1, 101), event_at(2, TraceKind::kNodeGivenUp, 5, ns_per_s)}),
         trace_of(-1, {event_at(3, TraceKind::kDied, 1)})},
        4 * ns_per_ms, 10);
    EXPECT_EQ(text,
              "the last 4 of 4 events, and how long ago they were:\n"
              "       0.004000 s  PE 1: PE 1 attaches: process 101\n"
              "       0.003000 s  PE 0: PE 0 attaches: process 100\n"
              "       0.002000 s  PE 1: gives node 5 up, which has not answered for 1.000 s\n"
              "       0.001000 s  daemon of node 0: PE 1 has died\n");
}

TEST(TraceText, ShowsTheLastEventsOnly) {
    std::vector<TraceEvent> events;
    for (uint64_t ms = 0; ms < 100; ms++) {
        events.push_back(event_at(ms, TraceKind::kFailed));
    }
    const std::string text = render_traces({trace_of(0, events)}, ns_per_s, 7);
    EXPECT_TRUE(text.starts_with("the last 7 of 100 events"));
    EXPECT_EQ(lines_of(text), 8u);
}

TEST(TraceText, AWaitThatHasNotEndedIsNamed) {
    ReadTrace trace = trace_of(
        2, {wait_at(0, TraceKind::kWaits, WaitFor::kAnswers), wait_at(1, TraceKind::kWaited, WaitFor::kAnswers),
            wait_at(10, TraceKind::kWaits, WaitFor::kWord)});
    trace.events[2].a = 0x1230;
    trace.events[2].call = 1;
    trace.names = {"", "syncline_wait_until64"};
    const std::string text = render_traces({trace}, 5010 * ns_per_ms, 0);
    EXPECT_EQ(text,
              "PE 2 (process 102) has waited for 5.000 s and waits now: syncline_wait_until64 for the word of its own "
              "memory at 0x1230\nthe last 0 of 3 events, and how long ago they were:\n");
}

TEST(TraceText, AWaitThatEndedIsNot) {
    EXPECT_TRUE(render_traces({trace_of(0, {wait_at(0, TraceKind::kWaits, WaitFor::kAnswers),
                                            wait_at(1, TraceKind::kWaited, WaitFor::kAnswers)})},
                              ns_per_s, 0)
                    .starts_with("the last"));
}

// A loop of short waits, with questions in between, is one wait.
TEST(TraceText, AWaitGoesOnThatTimesOutAndBeginsAgain) {
    std::vector<TraceEvent> events;
    for (uint64_t ms = 0; ms < 3000; ms += 500) {
        events.push_back(wait_at(ms, TraceKind::kWaits, WaitFor::kJobBarrier));
        events.push_back(wait_at(ms + 498, TraceKind::kWaited, WaitFor::kJobBarrier, SYNCLINE_ERR_TIMEOUT));
        events.push_back(wait_at(ms + 498, TraceKind::kWaits, WaitFor::kAnswers));
        events.push_back(wait_at(ms + 499, TraceKind::kWaited, WaitFor::kAnswers));
    }
    const std::string text = render_traces({trace_of(0, events)}, 3000 * ns_per_ms, 0);
    EXPECT_TRUE(text.starts_with("PE 0 (process 100) has waited for 3.000 s and waits now: for the job's barrier\n"))
        << text;
    EXPECT_EQ(lines_of(text), 2u) << text;
}

// It was over when the loop looked next, so no event says so.
TEST(TraceText, AWaitThatTimedOutLongAgoIsOver) {
    const std::vector<TraceEvent> events = {wait_at(0, TraceKind::kWaits, WaitFor::kBarrier),
                                            wait_at(20, TraceKind::kWaited, WaitFor::kBarrier, SYNCLINE_ERR_TIMEOUT)};
    EXPECT_TRUE(render_traces({trace_of(0, events)}, ns_per_s, 0).starts_with("PE 0"));
    EXPECT_TRUE(render_traces({trace_of(0, events)}, 4 * ns_per_s, 0).starts_with("the last"));
}

TEST(TraceText, ABarrierThatWasLeftIsNoWait) {
    const std::vector<TraceEvent> events = {wait_at(0, TraceKind::kWaits, WaitFor::kBarrier),
                                            wait_at(20, TraceKind::kWaited, WaitFor::kBarrier, SYNCLINE_ERR_TIMEOUT),
                                            event_at(21, TraceKind::kBarrierLeaves)};
    EXPECT_TRUE(render_traces({trace_of(0, events)}, 30 * ns_per_ms, 0).starts_with("the last"));
}

TEST(TraceText, ALockThatIsWantedIsAWait) {
    std::vector<TraceEvent> events = {event_at(1, TraceKind::kLockWanted, 3, 0x40)};
    EXPECT_TRUE(render_traces({trace_of(0, events)}, ns_per_s, 0).find("waits now: for the lock at 0x40 of PE 3") !=
                std::string::npos);
    events.push_back(event_at(2, TraceKind::kLockHeld, 3, 0x40));
    EXPECT_TRUE(render_traces({trace_of(0, events)}, ns_per_s, 0).starts_with("the last"));
}

TEST(TraceText, WithoutEventsThereIsNoText) {
    EXPECT_EQ(render_traces({}, ns_per_s, 10), "");
    EXPECT_EQ(render_traces({trace_of(0, {})}, ns_per_s, 10), "");
}

TEST(TraceText, EveryKindHasASentence) {
    for (auto kind = static_cast<uint8_t>(TraceKind::kAttached); kind < static_cast<uint8_t>(TraceKind::kCount);
         kind++) {
        for (uint8_t what = 0; what < static_cast<uint8_t>(WaitFor::kCount); what++) {
            TraceEvent event = event_at(0, static_cast<TraceKind>(kind), 1, 2);
            event.detail = what;
            const std::string text = render_traces({trace_of(0, {event})}, ns_per_s, 1);
            EXPECT_EQ(text.find("another version"), std::string::npos) << int{kind};
        }
    }
}

// The memory belongs to another process, which may write anything.
TEST(TraceText, NonsenseIsNoTrace) {
    std::vector<uint8_t> memory(trace_bytes(64));
    EXPECT_FALSE(read_trace(memory)) << "zeros";
    TraceHeader header = {};
    const auto read = [&](size_t bytes) {
        std::memcpy(memory.data(), &header, sizeof(header));
        return read_trace(std::span(memory).first(bytes));
    };
    header.magic = TraceHeader::is_trace;
    header.events = 64;
    EXPECT_TRUE(read(memory.size()));
    EXPECT_FALSE(read(memory.size() - 1));
    EXPECT_FALSE(read(sizeof(header) - 1));
    EXPECT_FALSE(read(0));
    for (const uint32_t events : {0u, 63u, 128u, 1u << 31}) {
        header.events = events;
        EXPECT_FALSE(read(memory.size())) << events;
    }
    header.events = 64;
    std::memset(header.names, 0xff, sizeof(header.names));
    const auto trace = read(memory.size());
    ASSERT_TRUE(trace);
    EXPECT_EQ(trace->names[0], std::string(TraceHeader::name_bytes, '?'));
    int pipes[2];
    ASSERT_EQ(::pipe(pipes), 0);
    EXPECT_FALSE(read_trace(pipes[0])) << "a reader would wait";
    ::close(pipes[0]);
    ::close(pipes[1]);
    const UniqueFd file = make_memory_file("test", 4096);
    EXPECT_FALSE(read_trace(file.get()));
}

}  // namespace
}  // namespace syncline
