// SPDX-License-Identifier: BSD-3-Clause
// The trace: the last events of a PE, or of a daemon's part of a job, in a ring of memory. SYNCLINE_TRACE switches it
// on. job/trace_text.h reads rings and renders them as text.
//
// A trace that is off has no ring: note() is a load and a branch. Functions that execute on mapped memory note nothing
// at all.
//
// The ring lies in a memory file that the daemon makes and keeps (TraceRequest, job/protocol), so it can be read while
// its process hangs, and after the process was killed.
//
// Guarantee: any threads of one process write at once. fetch_add hands out the events' numbers, so each event has a
// place of its own until the ring has gone round once. A writer stores the words of an event relaxed, the last one
// being a sum of the others. A reader takes an event whose sum is right; one that is being written, or that two writers
// a whole round apart have mixed, is left out. Events of one thread have rising numbers and times; between threads the
// numbers say who drew first.
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "base/mapping.h"

namespace syncline {

enum class TraceKind : uint8_t {
    kNone,
    // A process or a PE: `peer` is its rank.
    kAttached,  // a: its process
    kLeft,
    kDied,
    // A thread that waits. `peer`: the rank of the PE that it waits for, or -1.
    kWaits,   // detail: WaitFor; a: a number of that
    kWaited,  // detail: WaitFor; a: ns; status
    // A request. `peer`: the node; a: slot << 32 | sequence.
    kSent,         // b: the code of its first unit
    kAnswered,     // status
    kRefused,      // status
    kRepeated,     // b: how often
    kRepeatedFor,  // by a daemon; b: the rank of the PE whose request it is
    kRest,         // the target has executed a part, and the rest goes out
    kShortened,
    // `peer`: the node. a: ns without an answer.
    kNodeGivenUp,
    // A call that fails: status.
    kFailed,
    // A barrier. a: its number; b: the epoch.
    kBarrierArrives,
    kBarrierLeaves,
    // A lock. `peer`: the rank of its home; a: its address.
    kLockWanted,
    kLockHeld,
    kLockReleased,
    // Shared memory. `peer`: the rank of the home; a: the page.
    kPageFetched,  // b: how many pages from this one on
    kPageFlushed,
    // A daemon's timer asks the node `peer` for the messages of barrier a.
    kBarrierAsked,
    kCount,
};

// The aims of a wait.
enum class WaitFor : uint8_t {
    kUntraced,  // for work: a thread that serves others, and a pause within a wait that is traced as a whole
    kOther,
    kAnswers,  // a: the completion's address
    kQuiet,    // all answers of a PE's node, or of all
    kRoom,
    kWord,     // a: the word's address in this process
    kBarrier,  // a: the barrier's number
    kJobBarrier,
    kLock,  // a: the lock's address
    kSemaphore,
    kReply,    // of a handler of shared memory
    kPe,       // to do its part of a call
    kOpening,  // a: the number of the barrier that `peer` is to open
    kCount,
};

struct TraceEvent {
    uint64_t number = 0;  // from 1 on
    uint64_t time_ns = 0;
    uint64_t a = 0;
    uint64_t b = 0;
    int32_t peer = -1;
    int32_t status = 0;
    uint32_t thread = 0;
    uint16_t call = 0;  // place of the call's name
    TraceKind kind = TraceKind::kNone;
    uint8_t detail = 0;
};

// The start of a ring's memory; the events follow.
struct TraceHeader {
    static constexpr uint64_t is_trace = 0x4543415254434c53;  // "SLCTRACE"
    static constexpr uint32_t names_max = 128;
    static constexpr uint32_t name_bytes = 48;
    static constexpr uint16_t no_name = 0xffff;

    uint64_t magic;
    uint32_t events;  // a power of two
    int32_t rank;     // -1: of a daemon
    uint32_t node;
    uint32_t job;
    uint32_t process;
    uint32_t reserved;
    char names[names_max][name_bytes];
};

// An event as it lies in the ring.
struct TracePlace {
    static constexpr uint32_t words = 7;
    uint64_t word[words];
};

// The name of the memory files that hold rings.
constexpr const char* trace_file_name = "syncline-trace";

constexpr uint32_t trace_events_least = 64;
constexpr uint32_t trace_events_usual = 4096;
constexpr uint32_t trace_events_max = 65536;

constexpr uint64_t trace_bytes(uint32_t events) {
    return (sizeof(TraceHeader) + uint64_t{events} * sizeof(TracePlace) + 4095) / 4096 * 4096;
}

// The number of events that SYNCLINE_TRACE asks for; 0: the trace is off. Throws Failure for a value that makes no
// sense.
uint32_t wanted_trace_events();

// The process that writes the trace.
struct TraceOwner {
    int32_t rank;  // -1: of a daemon
    uint32_t node;
    uint32_t job;
    uint32_t process;
};

class TraceRing {
  public:
    // `memory` is a ring's, of trace_bytes(events), and holds zeros.
    TraceRing(Mapping memory, uint32_t events, const TraceOwner& owner);

    // `call`: text that lives as long as the process; or NULL.
    void write(TraceKind kind, int32_t peer, uint64_t a, uint64_t b, int32_t status, uint8_t detail, const char* call);

    // Returns a copy of the memory, for job/trace_text.h.
    std::vector<uint8_t> copy() const;

  private:
    uint16_t place_of(const char* call);

    const Mapping memory_;
    TraceHeader* const header_;
    TracePlace* const places_;
    const uint64_t mask_;
    std::atomic<uint64_t> next_{0};
    std::atomic<const char*> known_[TraceHeader::names_max] = {};  // the calls whose names the header has
};

class Trace {
  public:
    bool is_on() const { return ring_ != nullptr; }
    void note(TraceKind kind, int32_t peer, uint64_t a = 0, uint64_t b = 0, int32_t status = 0,
              const char* call = nullptr) const {
        if (__builtin_expect(ring_ != nullptr, 0)) {
            ring_->write(kind, peer, a, b, status, 0, call);
        }
    }
    void note_wait(TraceKind kind, WaitFor what, int32_t peer, uint64_t a, int32_t status, const char* call) const {
        if (__builtin_expect(ring_ != nullptr, 0)) {
            ring_->write(kind, peer, a, 0, status, static_cast<uint8_t>(what), call);
        }
    }

    // Before other threads use the trace.
    void begin(std::unique_ptr<TraceRing> ring) {
        own_ = std::move(ring);
        ring_ = own_.get();
    }
    // Notes nothing from now on, and keeps the ring: in a child of fork() it is the parent's.
    void stop() { ring_ = nullptr; }
    const TraceRing* ring() const { return own_.get(); }

  private:
    TraceRing* ring_ = nullptr;
    std::unique_ptr<TraceRing> own_;
};

constexpr uint64_t trace_request(uint32_t slot, uint32_t sequence) {
    return uint64_t{slot} << 32 | sequence;
}

// Returns the event of these words, or one of kNone if they are none.
TraceEvent trace_event(const TracePlace& place);

}  // namespace syncline
