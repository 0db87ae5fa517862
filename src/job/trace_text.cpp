// SPDX-License-Identifier: BSD-3-Clause
#include "job/trace_text.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <bit>
#include <cstring>
#include <map>
#include <tuple>

#include "base/clock.h"
#include "base/counted.h"
#include "base/status.h"
#include "firmware/wire.h"
#include "syncline.h"

namespace syncline {
namespace {

// Returns the text of a name, which may be cut off, in letters that a terminal shows.
std::string name_in(const char* bytes) {
    std::string name(bytes, ::strnlen(bytes, TraceHeader::name_bytes));
    std::replace_if(name.begin(), name.end(), [](char c) { return c < ' ' || c > '~'; }, '?');
    return name;
}

std::string seconds_of(uint64_t ns) {
    return fmt::format("{:.3f} s", static_cast<double>(ns) / static_cast<double>(ns_per_s));
}

#define SYNCLINE_TRACE_NAME(name, NAME, number, forms, how, sign, next) \
    case SLW_##NAME:                                                    \
        return #name;
const char* name_of_atomic(uint32_t operation) {
    switch (operation) {
        SYNCLINE_OPERATIONS_(SYNCLINE_TRACE_NAME)
        default:
            return "unknown operation";
    }
}
#undef SYNCLINE_TRACE_NAME

std::string name_of_operation(uint64_t code) {
    switch (code & 0xff & ~static_cast<uint64_t>(SLW_LIST)) {
        case SLW_PUT:
            return "put";
        case SLW_GET:
            return "get";
        case SLW_ADD_INT32:
        case SLW_ADD_INT64:
        case SLW_ADD_FLOAT:
        case SLW_ADD_DOUBLE:
            return "accumulate";
        default:
            break;
    }
    if ((code & 0xff) == SLW_CLOSE) {
        return "close";
    }
    const auto atomic = static_cast<uint32_t>(code);
    const uint32_t bits = 8u << ((atomic & SLW_WIDTH_MASK) >> SLW_WIDTH_SHIFT & 7);
    return fmt::format("{}{}{}", (atomic & SLW_FETCH) != 0 ? "fetch " : "", name_of_atomic(atomic & SLW_OPERATION_MASK),
                       bits);
}

std::string request_of(const TraceEvent& event) {
    return fmt::format("request {}.{} to node {}", event.a >> 32, event.a & UINT32_MAX, event.peer);
}

// `with_number`: the event's number belongs to the aim.
std::string aim_of(const TraceEvent& event, bool with_number = true) {
    const auto number = [&](const char* format) {
        return with_number ? fmt::format(fmt::runtime(format), event.a) : std::string();
    };
    const std::string peer = event.peer >= 0 ? fmt::format(" of PE {}", event.peer) : "";
    switch (static_cast<WaitFor>(event.detail)) {
        case WaitFor::kAnswers:
            return "the answers to an operation" + peer;
        case WaitFor::kQuiet:
            return "the answers to all its operations" + peer;
        case WaitFor::kRoom:
            return "room to send";
        case WaitFor::kWord:
            return "the word of its own memory" + number(" at {:#x}");
        case WaitFor::kBarrier:
            return (with_number ? "barrier" : "the barrier") + number(" {}") +
                   (event.peer >= 0 ? fmt::format(", for PE {}", event.peer) : "");
        case WaitFor::kJobBarrier:
            return "the job's barrier" + (event.peer >= 0 ? fmt::format(", for PE {}", event.peer) : "");
        case WaitFor::kLock:
            return "the lock" + number(" at {:#x}") + peer;
        case WaitFor::kSemaphore:
            return "the semaphore" + number(" at {:#x}") + peer;
        case WaitFor::kReply:
            return "a reply of shared memory" + peer;
        case WaitFor::kPe:
            return event.peer >= 0 ? fmt::format("PE {}", event.peer) : "other PEs";
        case WaitFor::kOpening:
            return fmt::format("PE {} to open barrier", event.peer) + number(" {}");
        default:
            return "something";
    }
}

std::string sentence_of(const TraceEvent& event) {
    const auto status = event.status == 0 ? std::string() : fmt::format(": {}", status_text(event.status));
    switch (event.kind) {
        case TraceKind::kAttached:
            return fmt::format("PE {} attaches: process {}", event.peer, event.a);
        case TraceKind::kLeft:
            return fmt::format("PE {} leaves", event.peer);
        case TraceKind::kDied:
            return fmt::format("PE {} has died", event.peer);
        case TraceKind::kWaits:
            return "waits for " + aim_of(event);
        case TraceKind::kWaited:
            return fmt::format("has waited {} for {}{}", seconds_of(event.a), aim_of(event, false), status);
        case TraceKind::kSent:
            return fmt::format("sends {}: {}", request_of(event), name_of_operation(event.b));
        case TraceKind::kAnswered:
            return fmt::format("has the answer to {}", request_of(event));
        case TraceKind::kRefused:
            return fmt::format("{} is refused{}", request_of(event), status);
        case TraceKind::kRepeated:
            return fmt::format("sends {} again, the {}. time", request_of(event), event.b);
        case TraceKind::kRepeatedFor:
            return fmt::format("sends PE {}'s {} again", event.b, request_of(event));
        case TraceKind::kRest:
            return fmt::format("sends the rest of {}", request_of(event));
        case TraceKind::kShortened:
            return fmt::format("cuts {}, which may be too long for the path", request_of(event));
        case TraceKind::kNodeGivenUp:
            return fmt::format("gives node {} up, which has not answered for {}", event.peer, seconds_of(event.a));
        case TraceKind::kFailed:
            return "fails" + status;
        case TraceKind::kBarrierArrives:
            return fmt::format("arrives at barrier {}, epoch {}", event.a, event.b);
        case TraceKind::kBarrierLeaves:
            return fmt::format("leaves barrier {}, epoch {}{}", event.a, event.b, status);
        case TraceKind::kLockWanted:
            return fmt::format("wants the lock at {:#x} of PE {}", event.a, event.peer);
        case TraceKind::kLockHeld:
            return fmt::format("has the lock at {:#x} of PE {}", event.a, event.peer);
        case TraceKind::kLockReleased:
            return fmt::format("releases the lock at {:#x} of PE {}", event.a, event.peer);
        case TraceKind::kPageFetched:
            return fmt::format("has fetched {} from page {} on, from PE {}", counted(event.b, "page"), event.a,
                               event.peer);
        case TraceKind::kPageFlushed:
            return fmt::format("sends its writes to page {} to PE {}", event.a, event.peer);
        case TraceKind::kBarrierAsked:
            return fmt::format("asks node {} for its messages of barrier {}", event.peer, event.a);
        default:
            return "does something of another version";
    }
}

std::string call_of(const ReadTrace& trace, const TraceEvent& event) {
    const std::string name = event.call < trace.names.size() ? trace.names[event.call] : "";
    return name.empty() ? "" : name + " ";
}

std::string owner_of(const TraceOwner& owner) {
    return owner.rank < 0 ? fmt::format("daemon of node {}", owner.node) : fmt::format("PE {}", owner.rank);
}

bool has_threads(const ReadTrace& trace) {
    return std::any_of(trace.events.begin(), trace.events.end(),
                       [&](const TraceEvent& event) { return event.thread != trace.events.front().thread; });
}

// The waits of a thread in one call. Many a call waits for one thing in a loop of short waits, with other waits in
// between, for answers to questions whether a PE is alive. So a wait goes on that has timed out and begins again.
class WaitsOfThread {
  public:
    void take(TraceEvent event) {
        if (event.kind == TraceKind::kLockWanted || event.kind == TraceKind::kLockHeld) {
            event.kind = event.kind == TraceKind::kLockHeld ? TraceKind::kWaited : TraceKind::kWaits;
            event.detail = static_cast<uint8_t>(WaitFor::kLock);
        }
        if (event.kind == TraceKind::kFailed || event.kind == TraceKind::kBarrierLeaves) {
            waits_.clear();
        }
        if (event.kind != TraceKind::kWaits && event.kind != TraceKind::kWaited) {
            return;
        }
        if (event.call != call_) {
            waits_.clear();
            call_ = event.call;
        }
        const auto found = std::find_if(waits_.begin(), waits_.end(), [&](const Wait& wait) {
            return wait.begun.detail == event.detail && wait.begun.peer == event.peer;
        });
        if (event.kind == TraceKind::kWaited) {
            if (found != waits_.end() && event.status == SYNCLINE_ERR_TIMEOUT) {
                found->over_ns = event.time_ns;
            } else if (found != waits_.end()) {
                waits_.erase(found);
            }
        } else if (found != waits_.end() && found->begun.a == event.a) {
            found->over_ns = UINT64_MAX;
        } else {
            if (found != waits_.end()) {
                waits_.erase(found);
            }
            waits_.push_back({event, UINT64_MAX});
        }
    }

    // Returns the longest wait that goes on at that time.
    const TraceEvent* longest(uint64_t now) const {
        const auto found = std::find_if(waits_.begin(), waits_.end(), [now](const Wait& wait) {
            return wait.over_ns == UINT64_MAX || now < wait.over_ns + pause_ns;
        });
        return found == waits_.end() ? nullptr : &found->begun;
    }

  private:
    // Between two waits of a loop that the trace tells of: see runtime/process/waiting.cpp.
    static constexpr uint64_t pause_ns = 5 * ns_per_s / 2;

    struct Wait {
        TraceEvent begun;
        uint64_t over_ns;  // when it timed out; UINT64_MAX: it has not
    };
    std::vector<Wait> waits_;
    uint16_t call_ = TraceHeader::no_name;
};

// Returns the wait in which each thread is, if it waits.
std::vector<TraceEvent> open_waits(const ReadTrace& trace, uint64_t now) {
    std::map<uint32_t, WaitsOfThread> of_threads;
    for (const TraceEvent& event : trace.events) {
        of_threads[event.thread].take(event);
    }
    std::vector<TraceEvent> open;
    for (const auto& [thread, waits] : of_threads) {
        if (const TraceEvent* const wait = waits.longest(now); wait != nullptr) {
            open.push_back(*wait);
        }
    }
    return open;
}

struct Entry {
    const ReadTrace* trace;
    TraceEvent event;
    bool shows_thread;
};

// Events of one time come in the order of their traces, and then of their numbers.
void sort_by_time(std::vector<Entry>* entries) {
    std::sort(entries->begin(), entries->end(), [](const Entry& one, const Entry& other) {
        return std::tie(one.event.time_ns, one.trace, one.event.number) <
               std::tie(other.event.time_ns, other.trace, other.event.number);
    });
}

std::string thread_of(const Entry& entry) {
    return entry.shows_thread ? fmt::format(" [thread {}]", entry.event.thread) : "";
}

uint64_t since(uint64_t then, uint64_t now) {
    return now > then ? now - then : 0;
}

}  // namespace

std::optional<ReadTrace> read_trace(std::span<const uint8_t> memory) {
    TraceHeader header;
    if (memory.size() < sizeof(header)) {
        return std::nullopt;
    }
    std::memcpy(&header, memory.data(), sizeof(header));
    if (header.magic != TraceHeader::is_trace || header.events > trace_events_max ||
        !std::has_single_bit(header.events) || memory.size() < trace_bytes(header.events)) {
        return std::nullopt;
    }
    ReadTrace trace = {{header.rank, header.node, header.job, header.process}, {}, {}};
    for (const auto& name : header.names) {
        trace.names.push_back(name_in(name));
    }
    for (uint32_t i = 0; i < header.events; i++) {
        TracePlace place;
        std::memcpy(&place, memory.data() + sizeof(header) + i * sizeof(place), sizeof(place));
        if (const TraceEvent event = trace_event(place); event.kind != TraceKind::kNone) {
            trace.events.push_back(event);
        }
    }
    std::sort(trace.events.begin(), trace.events.end(),
              [](const TraceEvent& one, const TraceEvent& other) { return one.number < other.number; });
    return trace;
}

// Only memory files have seals, and a reader of one never has to wait.
std::optional<ReadTrace> read_trace(int file) {
    struct stat found = {};
    if (::fcntl(file, F_GET_SEALS) < 0 || ::fstat(file, &found) != 0 ||
        found.st_size < static_cast<off_t>(sizeof(TraceHeader)) ||
        found.st_size > static_cast<off_t>(trace_bytes(trace_events_max))) {
        return std::nullopt;
    }
    std::vector<uint8_t> memory(static_cast<size_t>(found.st_size));
    if (::pread(file, memory.data(), memory.size(), 0) != static_cast<ssize_t>(memory.size())) {
        return std::nullopt;
    }
    return read_trace(memory);
}

std::string render_traces(const std::vector<ReadTrace>& traces, uint64_t now_ns, size_t most) {
    std::vector<Entry> waits;
    std::vector<Entry> events;
    for (const ReadTrace& trace : traces) {
        const bool shows_thread = has_threads(trace);
        for (const TraceEvent& event : open_waits(trace, now_ns)) {
            waits.push_back({&trace, event, shows_thread});
        }
        for (const TraceEvent& event : trace.events) {
            events.push_back({&trace, event, shows_thread});
        }
    }
    if (events.empty()) {
        return "";
    }
    sort_by_time(&waits);
    sort_by_time(&events);
    std::string text;
    for (const Entry& wait : waits) {
        text +=
            fmt::format("{} (process {}) has waited for {} and waits now: {}for {}{}\n", owner_of(wait.trace->owner),
                        wait.trace->owner.process, seconds_of(since(wait.event.time_ns, now_ns)),
                        call_of(*wait.trace, wait.event), aim_of(wait.event), thread_of(wait));
    }
    const size_t shown = std::min(most, events.size());
    text += fmt::format("the last {} of {} events, and how long ago they were:\n", shown, events.size());
    for (size_t i = events.size() - shown; i < events.size(); i++) {
        text += fmt::format("{:>15.6f} s  {}: {}{}{}\n",
                            static_cast<double>(since(events[i].event.time_ns, now_ns)) / static_cast<double>(ns_per_s),
                            owner_of(events[i].trace->owner), call_of(*events[i].trace, events[i].event),
                            sentence_of(events[i].event), thread_of(events[i]));
    }
    return text;
}

}  // namespace syncline
