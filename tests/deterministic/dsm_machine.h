// SPDX-License-Identifier: BSD-3-Clause
// Shared memory of a simulated process: its view, which refuses accesses without the right, and the machine of one of
// its threads, whose refused accesses reach the library as faults.
//
// A page that loses its right also loses its bytes, because the library must not rely on them. As in a kernel, a copy
// may be taken out of the page table to save memory. The number of a process's mappings is limited, so a change of a
// page's right may be refused if it needs another mapping.
#pragma once

#include <functional>
#include <memory>
#include <vector>

#include "dsm/shared_memory.h"
#include "tests/deterministic/world.h"
#include "tests/dsm/machine.h"

namespace syncline::deterministic {

class SimulatedView final : public dsm::View {
  public:
    struct Limits {
        uint32_t mappings;  // number of mappings beyond the necessary ones
        uint32_t hides;     // one access in this many finds its copy taken out of the page table; 0: none
    };
    // `slots`: those of the process's segment. `wrong` does not return.
    SimulatedView(uint32_t pages, uint8_t* slots, const Limits& limits, Scheduler* scheduler,
                  std::function<void(const std::string&)> wrong);

    uint8_t* page(uint32_t page) override;
    void prepare(uint32_t first, uint32_t count) override;
    void change(uint32_t first, uint32_t count, dsm::Right from, dsm::Right to) override;
    void restore(uint32_t page, dsm::Right right) override;
    void adopt(uint32_t first, uint32_t count, dsm::Right right) override;
    bool change_adopted(uint32_t first, uint32_t count, dsm::Right to) override;

    // These calls are for the program.
    bool allows(uint32_t page, bool write);
    uint8_t* shown(uint32_t page);

  private:
    struct Page {
        dsm::Right right = dsm::Right::kNone;
        bool is_adopted = false;
        bool is_hidden = false;
    };
    void check(bool is_right, const char* what, uint32_t page) const;
    uint32_t mappings(bool least) const;

    Scheduler* const scheduler_;
    const std::function<void(const std::string&)> wrong_;
    const Limits limits_;
    uint8_t* const slots_;
    std::unique_ptr<uint8_t[]> bytes_;  // bytes of the copies
    std::vector<Page> pages_;
};

// The state that the threads of a process share.
struct SimulatedProcess {
    dsm::SharedMemory* shared = nullptr;
    SimulatedView* view = nullptr;
    uint32_t threads = 1;
    uint32_t arrived = 0;  // number of threads at the barrier
    uint64_t meetings = 0;
};

class SimulatedMachine final : public dsm_test::Machine {
  public:
    // All machines share this: the version of each variable that a lock guards.
    struct Referee {
        std::vector<uint64_t> versions;
        std::function<void(const std::string&)> wrong;  // does not return
        std::vector<const char*> doing;                 // each actor's present operation
        std::function<void(uint32_t)> begins;           // an actor begins another operation
    };
    SimulatedMachine(World* world, SimulatedProcess* process, Referee* referee, uint32_t actor)
        : world_(world), process_(process), referee_(referee), actor_(actor) {}

    void load(uint64_t at, void* to, uint32_t bytes) override;
    void store(uint64_t at, const void* from, uint32_t bytes) override;
    void prefetch(uint64_t at, uint64_t bytes, bool write) override;
    void lock(uint32_t lock) override;
    bool try_lock(uint32_t lock) override;
    void unlock(uint32_t lock) override;
    void wait(uint32_t condition, uint32_t lock) override;
    void signal(uint32_t condition) override;
    void broadcast(uint32_t condition) override;
    void set_flag(uint32_t flag, uint64_t value) override;
    uint64_t wait_for_flag(uint32_t flag, uint64_t value) override;
    void barrier() override;
    void compute() override;
    void found(uint32_t variable, uint64_t version) override;
    void writes(uint32_t variable, uint64_t version) override;
    [[noreturn]] void wrong(const std::string& what) override;

  private:
    template <typename Access>
    void access(uint64_t at, uint32_t bytes, bool write, Access&& one);
    Scheduler& scheduler() { return world_->scheduler(); }
    dsm::SharedMemory& shared() { return *process_->shared; }
    template <typename Body>
    auto at(const char* what, Body&& body);

    World* const world_;
    SimulatedProcess* const process_;
    Referee* const referee_;
    const uint32_t actor_;
};

}  // namespace syncline::deterministic
