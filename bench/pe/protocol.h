// SPDX-License-Identifier: BSD-3-Clause
// What `syncline bench` says to the PEs of its jobs (syncline-bench-pe), over a socket pair that is the PE's standard
// input: one command, then its answer. Plain data: both ends are of one build.
#pragma once

#include <cstdint>

namespace syncline::bench {

enum class Verb : uint32_t {
    kQuit,      // syncline_finalize() and end
    kStop,      // ends a command that lasts until told
    kLatency,   // `count` blocking atomics at `target`; samples: ns each
    kLocal,     // atomics at `target`, a PE of this node, for duration_ns (0: until told); `bare`: by the CPU alone
    kInFlight,  // `count` non-blocking fetch_adds at `target`, as many in flight as the window holds
    kPosted,    // `count` posted xors at random words of the first `bytes` of target's table; value: their xor
    kFold,      // value: the xor of all words of the own table
    kCompute,   // until told: computes, makes no call of the library
    kCount,     // samples: iterations of a loop in each of `count` windows of duration_ns
    kOffer,     // until told: fetch_adds at `target`, each delay_ns after the one before has completed
    kListen,    // value: a TCP port that connections can be made to
    kSink,      // takes one connection, reads it to its end and says so to the sender
    kStream,    // sends to address:port for duration_ns; `operations`: bytes
    kMakeLock,  // by all PEs: a lock of kind `bytes` with home `target`
    kContend,   // once `seed` PEs have come so far: `count` acquires and releases, alternating samples; value: requests
    kDestroyLock,  // by all PEs
    kTraceLock,    // the same as kContend by a lock of its own at `target`; samples: TracedOperations
    kMeet,   // by the first `target` PEs: `count` barriers by algorithm `bytes`, dimension `seed`; `bare`: by the hosts
    kFence,  // the same, each behind writes to the next `port` PEs, with the fence algorithm `delay_ns`
};

enum class Atomic : uint32_t { kFetchAdd, kSwap, kCasHit, kCasMiss };

struct Command {
    Verb verb = Verb::kQuit;
    int32_t cpu = -1;  // where to run; -1: anywhere
    Atomic atomic = Atomic::kFetchAdd;
    uint32_t target = 0;  // rank
    uint64_t count = 0;
    uint64_t duration_ns = 0;
    uint64_t delay_ns = 0;
    uint64_t bytes = 0;
    uint64_t seed = 0;
    uint32_t bare = 0;
    uint8_t address[4] = {};  // IPv4, network order
    uint32_t port = 0;
    uint32_t reserved = 0;
};

// Followed by `samples` numbers of 32 bits.
struct Answer {
    int32_t status = 0;  // SYNCLINE_*; text: why
    uint32_t samples = 0;
    uint64_t elapsed_ns = 0;
    uint64_t operations = 0;
    uint64_t value = 0;
    char text[232] = {};
};

// An atomic operation on a word of another PE.
struct TracedOperation {
    uint64_t ns;  // when it was issued
    uint64_t operand, comparand;
    uint32_t target;   // rank
    uint32_t offset;   // of the word
    uint32_t compare;  // not 0: compare&swap; else swap
    uint32_t reserved;
};

// Every PE sends one such answer when it is ready.

}  // namespace syncline::bench
