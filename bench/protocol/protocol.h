// SPDX-License-Identifier: BSD-3-Clause
// The commands of `syncline bench` to the PEs of its jobs (syncline-bench-pe), and the PEs' answers, in turn over a
// socket pair that is the PE's standard input. The messages are plain data, because both ends are of one build.
#pragma once

#include <cstdint>

namespace syncline::bench {

enum class Verb : uint32_t {
    kQuit,     // calls syncline_finalize() and ends
    kStop,     // ends a command that lasts until told
    kLatency,  // `count` blocking atomics at the word `word_offset` bytes behind target's; samples: ns each. They begin
               // once `gate` PEs have come so far, unless that is 0
    kLocal,    // atomics at `target`, a PE of this node, for duration_ns (0: until told); `bare`: by the CPU alone
    kInFlight,  // `count` non-blocking fetch_adds at `target`, as many in flight as the window holds
    kPosted,    // `count` posted xors at random words of the first `bytes` of target's table; value: their xor
    kFold,      // value: the xor of the words in the first `bytes` of the own table
    kBulk,      // `count` operations `bulk` (0: until told) of `bytes` at `offset` of target's table; samples: ns each
    kCompute,   // until told: computes, makes no call of the library
    kCount,     // samples: iterations of a loop in each of `count` windows of duration_ns
    kOffer,     // until told: fetch_adds at `target`, each delay_ns after the one before has completed
    kListen,    // value: a TCP port that connections can be made to
    kSink,      // takes one connection, reads it to its end and says so to the sender
    kStream,    // sends to address:port for duration_ns; answers `bytes`
    kMakeLock,  // by all PEs: a lock of `lock_kind` with home `target`
    kContend,   // once `gate` PEs have come so far: `count` acquires and releases, alternating samples; value: requests
    kDestroyLock,  // by all PEs
    kTraceLock,    // as kContend, by a lock of its own at `target`; samples: TracedOperations
    kBarrier,      // by the first `pes`: `count` barriers by the algorithm `barrier`
    kFence,        // as kBarrier, each behind writes to the next `targets` PEs, by the algorithm `fence`
    kCpuTime,      // value: ns that all threads of the PE have run so far

    // Distributed shared memory. Open, close and pages are by all PEs.
    kSharedOpen,  // `bytes` of it, by the protocol `shared_protocol`
    kSharedClose,
    kSharedPages,     // `count` pages that no PE has touched are those of the commands below from now on
    kSharedWrite,     // a word of each page: `seed` and the page's number, under a lock
    kSharedAcquire,   // takes that lock and gives it back: what was written is to be read from now on
    kSharedRead,      // that word, once `gate` PEs have come so far, in order or `scattered`; samples: ns each
    kSharedLock,      // once `gate` PEs have come so far: `count` times lock, increment, unlock; samples: ns of each
                      // round; value: the greatest that the counter had
    kSharedAllocate,  // `count` allocations of 64 bytes behind `pieces` others, which take no time; samples: ns each
    kSharedBarrier,   // by all PEs, `count` barriers; `pieces` not 0: each behind a write to a page of the PE's own
};

enum class Atomic : uint32_t { kFetchAdd, kSwap, kCasHit, kCasMiss };

// A quiet follows each put. A list has `pieces`, each of `bytes`; "each" means one non-blocking operation for each
// piece, and then a quiet.
enum class Bulk : uint32_t { kPut, kGet, kAccumulate, kPutPieces, kPutEach, kGetPieces, kGetEach };

struct Command {
    Verb verb = Verb::kQuit;
    int32_t cpu = -1;  // CPU to run on; -1: any
    Atomic atomic = Atomic::kFetchAdd;
    Bulk bulk = Bulk::kPut;
    uint32_t target = 0;  // rank
    uint64_t count = 0;
    uint64_t duration_ns = 0;
    uint64_t delay_ns = 0;
    uint64_t bytes = 0;
    uint64_t offset = 0;
    uint64_t word_offset = 0;
    uint64_t pieces = 0;  // 0: one piece
    uint64_t seed = 0;
    uint64_t gate = 0;
    uint32_t bare = 0;
    uint32_t pes = 0;
    uint32_t targets = 0;
    int32_t lock_kind = 0;        // SYNCLINE_LOCK_*
    int32_t fence = 0;            // SYNCLINE_FENCE_*
    int32_t barrier = 0;          // SYNCLINE_BARRIER_*
    uint32_t dimension = 0;       // of a tree
    uint32_t by_host = 0;         // not 0: the hosts run the barrier; 0: the NICs
    int32_t shared_protocol = 0;  // SYNCLINE_DSM_*
    uint32_t scattered = 0;
    uint8_t address[4] = {};  // IPv4, network order
    uint32_t port = 0;
};

// Followed by `samples` numbers of 32 bits.
struct Answer {
    int32_t status = 0;  // SYNCLINE_*; `text` says why
    uint32_t samples = 0;
    uint64_t elapsed_ns = 0;
    uint64_t operations = 0;
    uint64_t bytes = 0;
    uint64_t value = 0;
    char text[224] = {};
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
