// SPDX-License-Identifier: BSD-3-Clause
// Operations by which PEs wait for each other: put with signal, lock, barrier.
#include <shmem.h>

#include <algorithm>
#include <vector>

#include "bench/timing/timed_calls.h"
#include "tools/perf/operation.h"

namespace syncline::perf {
namespace {

using bench::must;

// Round trips: each PE puts data with a signal to the other one and waits for that one's signal, which is the round's
// number. The last byte of the data has the round's number, too: it is there when the signal is.
class PutSignal : public Operation {
  public:
    explicit PutSignal(const Task& task)
        : me_(syncline_rank()),
          other_(me_ == task.pair.from ? task.pair.to : task.pair.from),
          area_(static_cast<uint8_t*>(syncline_local(task.ground.area))),
          signal_(static_cast<uint64_t*>(syncline_local(task.ground.words))),
          data_(bench::random_bytes(task.bytes, 4711)) {
        *signal_ = 0;
        std::fill(area_, area_ + data_.size(), 0);
    }

    void run(uint64_t count) override {
        for (uint64_t i = 0; i < count; i++) {
            round_++;
            send(round_);
            await();
        }
    }

    void answer() override {
        for (round_ = 1; await(); round_++) {
            send(round_);
        }
        check();
    }
    void release() override { shmem_signal_set(signal_, over, other_); }

    void check() override {
        if (!std::equal(data_.begin(), data_.end() - 1, area_)) {
            fail(SYNCLINE_ERR_PROTOCOL, "wrong bytes after a put of {} bytes with a signal from PE {}", data_.size(),
                 other_);
        }
    }

  private:
    static constexpr uint64_t over = UINT64_MAX;

    void send(uint64_t round) {
        data_.back() = static_cast<uint8_t>(round);
        shmem_putmem_signal(area_, data_.data(), data_.size(), signal_, round, SHMEM_SIGNAL_SET, other_);
    }

    // For the signal of this round. False: the other PE is through.
    bool await() const {
        const uint64_t come = shmem_signal_wait_until(signal_, SHMEM_CMP_GE, round_);
        if (come == over) {
            return false;
        }
        if (come != round_ || area_[data_.size() - 1] != static_cast<uint8_t>(round_)) {
            fail(SYNCLINE_ERR_PROTOCOL, "signal {} from PE {} has come in place of {}, or in front of its data", come,
                 other_, round_);
        }
        return true;
    }

    const int me_;
    const int other_;
    uint8_t* const area_;
    uint64_t* const signal_;
    std::vector<uint8_t> data_;
    uint64_t round_ = 0;
};

// Acquire and release of a lock that no other PE wants, with its home at the other PE.
class Lock : public Operation {
  public:
    explicit Lock(const Task& task) : lock_(task.lock), before_(counts()) {}

    void run(uint64_t count) override {
        for (uint64_t i = 0; i < count; i++) {
            must(syncline_lock_acquire(lock_));
            must(syncline_lock_release(lock_));
        }
        acquired_ += count;
    }

    void check() override {
        const syncline_lock_counts_t now = counts();
        if (now.acquired - before_.acquired != acquired_ || now.waited != before_.waited) {
            fail(SYNCLINE_ERR_PROTOCOL,
                 "a lock that no other PE wants was acquired {} times instead of {}, and taken {} times",
                 now.acquired - before_.acquired, acquired_, now.waited - before_.waited);
        }
    }

  private:
    syncline_lock_counts_t counts() const {
        syncline_lock_counts_t counts = {};
        must(syncline_lock_get_counts(lock_, &counts));
        return counts;
    }

    syncline_lock_t* const lock_;
    const syncline_lock_counts_t before_;
    uint64_t acquired_ = 0;
};

// Barriers of all PEs. Each carries the least of the PEs' rounds, which is this PE's if all have come for the same one,
// and 0 in the last one.
class Barrier : public Operation {
  public:
    explicit Barrier(const Task&) { must(syncline_barrier_open(number, nullptr, 0, nullptr, &barrier_)); }
    Barrier(const Barrier&) = delete;
    Barrier& operator=(const Barrier&) = delete;
    ~Barrier() override { (void)syncline_barrier_close(barrier_); }

    void run(uint64_t count) override {
        for (uint64_t i = 0; i < count; i++) {
            pass(++round_);
        }
    }
    void answer() override {
        while (pass(++round_)) {
        }
    }
    void release() override { pass(0); }

  private:
    static constexpr int number = 1;

    // True unless the first PE has passed 0.
    bool pass(uint64_t round) {
        uint64_t least = 0;
        must(syncline_reduce(barrier_, SYNCLINE_MIN, &round, &least));
        if (least != 0 && least != round) {
            fail(SYNCLINE_ERR_PROTOCOL, "PE {} leaves barrier {} when another PE has come for {}", syncline_rank(),
                 round, least);
        }
        return least != 0;
    }

    syncline_barrier_t barrier_ = nullptr;
    uint64_t round_ = 0;
};

}  // namespace

std::unique_ptr<Operation> make_synchronisation(const std::string& name, const Task& task) {
    if (name == "put_signal") {
        return std::make_unique<PutSignal>(task);
    }
    if (name == "lock") {
        return std::make_unique<Lock>(task);
    }
    return name == "barrier" ? std::make_unique<Barrier>(task) : nullptr;
}

}  // namespace syncline::perf
