// SPDX-License-Identifier: BSD-3-Clause
// The record of one PE's operations on shared objects, with their times: a file of fixed records in mapped memory, so
// that writing a record costs no system call, and the checker can read the operations that a killed PE has begun.
// checker/history.go reads the file and repeats the layouts and numbers below.
//
// Times are of CLOCK_MONOTONIC, which all processes of a machine share. The time of the call is stored with full
// ordering before the operation begins, so that no part of the operation is executed earlier; the time of the return is
// read after the operation. So an operation lies within [call, return], if not always tightly.
#pragma once

#include <cstdint>
#include <string>

#include "base/unique_fd.h"

namespace linearizability {

enum class Operation : uint32_t {
    kAdd = 1,         // adds the argument; value is the word's value before
    kSwap = 2,        // stores the argument; value likewise
    kCas = 3,         // stores the argument if value equals comparand; value likewise
    kRead = 4,        // value is the word's value
    kWrite = 5,       // stores the argument
    kAddBlindly = 6,  // adds the argument; value is not known
    kAcquire = 7,
    kTryAcquire = 8,
    kAcquireTimed = 9,
    kRelease = 10,
    kCount = 11,  // holding the lock: value is the counter that was read, value + 1 what was written
    kMin = 12,    // stores the argument if it is less than the value, as unsigned numbers; value likewise
    kMax = 13,    // stores the argument if it is more; value likewise
};

enum class Outcome : uint32_t {
    kPending = 0,  // no result came back: the operation may have taken effect, or may at any later time
    kDone = 1,
    kBusy = 2,      // lock not acquired
    kTimedOut = 3,  // lock not acquired
    kBroken = 4,    // lock not acquired
    kUnknown = 5,   // an error came back: as kPending
};

struct Record {
    uint64_t call_ns;  // stored after the rest, but for outcome, value and return_ns
    uint64_t return_ns;
    uint32_t object;
    Operation operation;
    uint64_t argument;
    uint64_t comparand;
    uint64_t value;
    Outcome outcome;
    uint32_t unused[3];
};
static_assert(sizeof(Record) == 64);

// An object's kind is a kind of lock, or one of these.
constexpr uint32_t word_kind = 100;
constexpr uint32_t pair_kind = 101;  // the pair's low word counts
constexpr uint32_t objects_max = 16;

struct Header {
    uint64_t magic;
    uint32_t rank;
    uint32_t ranks;
    uint64_t recorded;  // records begun
    uint32_t ended;     // 1: the PE has finished its plan
    uint32_t objects;
    struct {
        uint32_t kind;
        uint32_t home;
    } object[objects_max];
    uint64_t unused[4];
};
static_assert(sizeof(Header) == 192);
constexpr uint64_t history_magic = 0x314F545349484C53;  // SLHISTO1

class History {
  public:
    // Makes `folder`/pe-`rank` for at most `capacity` operations. Ends the job if that fails.
    History(const std::string& folder, int rank, int ranks, uint64_t capacity);
    ~History();
    History(const History&) = delete;
    History& operator=(const History&) = delete;

    // Must be called before the first operation, and alike on all PEs. Returns the object's number.
    uint32_t add_object(uint32_t kind, int home);

    // The operation begins when this call returns.
    Record* call(uint32_t object, Operation operation, uint64_t argument = 0, uint64_t comparand = 0);
    // The operation is over.
    static void done(Record* record, Outcome outcome, uint64_t value = 0);

    uint64_t recorded() const { return __atomic_load_n(&header_->recorded, __ATOMIC_RELAXED); }
    bool full() const { return recorded() >= capacity_; }
    void end() { header_->ended = 1; }

  private:
    const uint64_t capacity_;
    syncline::UniqueFd file_;
    Header* header_ = nullptr;
    Record* records_ = nullptr;
};

}  // namespace linearizability
