// SPDX-License-Identifier: BSD-3-Clause
// How a thread of a PE idles: it spins if it has a CPU to itself, then yields. In block mode it then sleeps until a
// write to this PE's memory wakes it.
//
// Wake-up: the sleeper stores 1 into its port's `waiting` word, passes a full fence, looks a last time, and polls
// its descriptors. The writer of the PE's memory or completions (NIC, agent, a PE of the node) looks at the word
// after its write and, if it takes it back to 0, makes a descriptor readable: the NIC the ring buffer, the others the
// port's eventfd. Either the sleeper sees the write or the writer sees the sleeper (Dekker).
#pragma once

#include <atomic>
#include <cstdint>
#include <mutex>
#include <vector>

#include "job/attachment/attachment.h"
#include "runtime/ground/crowd.h"

namespace syncline {

class Waiter {
  public:
    // `are_woken`: all operations on this PE's memory wake it. Otherwise it sleeps for short times only.
    Waiter(Attachment* attachment, int mode, std::vector<int> transport_fds, bool are_woken);

    // Does one idle turn, the `turn`-th in a row. It calls `look` once before it sleeps; `look` returns whether there
    // is a reason not to sleep. `wake_at_ns` bounds the sleep.
    template <typename Look>
    void idle(uint64_t turn, uint64_t wake_at_ns, Look&& look) {
        if (turn < spins()) {
            relax();
        } else if (turn < spins() + yields || !blocks_) {
            yield();
        } else if (sleeper_.try_lock()) {
            announce();
            if (!look()) {
                sleep(wake_at_ns);
            }
            withdraw();
            sleeper_.unlock();
        } else {
            yield();  // another thread of this PE sleeps for both
        }
    }

    // Returns how often to look at the clock around the `turn`-th idle turn in a row: after a sleep always, and the
    // more often the longer a turn may take.
    uint64_t turns_per_look(uint64_t turn) const {
        return turn < spins() ? 64 : turn < spins() + yields || !blocks_ ? 16 : 1;
    }

    // PEs outnumber the CPUs: while a thread waits for a PE of its node, a spin is lost time.
    bool is_crowded() const { return crowd_.is_crowded(); }
    void look_at_crowd() { crowd_.look(); }

  private:
    static constexpr uint64_t yields = 200;  // yields before it sleeps, which costs two switches and a wake-up
    // Spins for some 10 us, or 1 us if a process other than the job's used the CPU at the last yield.
    uint64_t spins() const { return is_crowded() ? 0 : wanted_.load(std::memory_order_relaxed) ? 10 : 100; }

    static void relax();
    void yield();
    void announce();
    void withdraw();
    void sleep(uint64_t wake_at_ns);
    void drain();

    Attachment* const attachment_;
    const bool blocks_;
    const uint64_t sleep_ns_max_;
    std::vector<int> fds_;
    std::mutex sleeper_;
    Crowd crowd_;
    std::atomic<bool> wanted_{false};
    std::atomic<uint32_t> yields_{0};
};

}  // namespace syncline
