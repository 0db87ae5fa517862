// SPDX-License-Identifier: BSD-3-Clause
// The shared memory of one process, put together: a protocol, and the parts that all protocols have.
//
// Threads: any. `guard_` is the guard of pages.h; a thread that has it waits for nothing but answers to its requests.
#pragma once

#include <memory>

#include "base/spin_lock.h"
#include "dsm/core/conditions.h"
#include "dsm/core/directory.h"
#include "dsm/core/local_locks.h"
#include "dsm/core/notices.h"
#include "dsm/core/pages.h"
#include "dsm/core/synchroniser.h"
#include "dsm/handler/handled_protocol.h"
#include "runtime/collective/barrier.h"

namespace syncline::dsm {

enum class Protocol { kNic = 0, kArdmar = 1, kAsync = 2 };

class SharedMemory {
  public:
    struct Parts {
        Endpoint* endpoint;
        syncline_address_t base;  // of every process's segment, which has Layout::bytes and begins as zeros
        Barrier* barrier;         // of all processes
        View* view;
        std::function<void(int)> lost;  // called when a process is gone; does not return
    };
    SharedMemory(const Parts& parts, const Shape& shape, Protocol protocol);
    // With handlers it is collective, after a barrier.
    ~SharedMemory();
    SharedMemory(const SharedMemory&) = delete;
    SharedMemory& operator=(const SharedMemory&) = delete;

    const Shape& shape() const { return shape_; }
    const Layout& layout() const { return layout_; }
    const Remote& remote() const { return remote_; }
    Statistics& statistics() { return statistics_; }
    uint32_t allocator_lock() const { return 2 * shape_.locks; }

    // Called when the program has accessed a page without the right.
    void fault(uint32_t page, bool write);
    void prefetch(uint32_t first, uint32_t count, bool write);
    // Sets the homes of pages that no process has touched; see Directory.
    template <typename HomeOf>
    void assign_homes(uint32_t first, uint32_t count, HomeOf&& home_of) {
        const std::lock_guard<SpinLock> guard(guard_);
        directory_.assign(first, count, home_of);
    }

    // For any lock of the layout. unlock() returns false if this process does not have it.
    void lock(uint32_t lock);
    bool try_lock(uint32_t lock);
    bool unlock(uint32_t lock);
    bool has_lock(uint32_t lock) { return local_locks_.is_held(lock); }
    void barrier();

    void wait_for(uint32_t condition, uint32_t lock);
    void signal(uint32_t condition) { conditions_.wake_one(condition); }
    void broadcast(uint32_t condition) { conditions_.wake_all(condition); }
    void set_flag(uint32_t flag, uint64_t value);
    uint64_t wait_for_flag(uint32_t flag, uint64_t value);

    // Gives out numbers from the top; UINT32_MAX: so many are not left.
    uint32_t take_numbers(uint32_t count);

  private:
    void start_nic();
    void start_handled(bool by_message);

    const Parts parts_;
    const Shape shape_;
    const Layout layout_;
    Statistics statistics_;
    const Remote remote_;
    SpinLock guard_;
    Directory directory_;
    Notices notices_;
    Conditions conditions_;
    LocalLocks local_locks_;
    std::unique_ptr<HandledProtocol> handled_;  // of the protocols with handlers
    std::unique_ptr<PageService> service_;
    std::unique_ptr<Pages> pages_;
    std::unique_ptr<Synchroniser> synchroniser_;
};

}  // namespace syncline::dsm
