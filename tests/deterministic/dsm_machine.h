// SPDX-License-Identifier: BSD-3-Clause
// Shared memory of a simulated process: its view, which refuses what it has no right to, and the machine of one of its
// threads, whose accesses come to the library as faults.
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
    // `wrong` does not return.
    SimulatedView(uint32_t pages, Scheduler* scheduler, std::function<void(const std::string&)> wrong);

    uint8_t* page(uint32_t page) override { return bytes_.get() + uint64_t{page} * dsm::page_bytes; }
    // A page that loses its right loses its bytes as well: the library must not count on them.
    void change(uint32_t first, uint32_t count, dsm::Right from, dsm::Right to) override;
    dsm::Right right(uint32_t page) const { return rights_[page]; }

  private:
    Scheduler* const scheduler_;
    const std::function<void(const std::string&)> wrong_;
    std::unique_ptr<uint8_t[]> bytes_;
    std::vector<dsm::Right> rights_;
};

// What the threads of a process do together.
struct SimulatedProcess {
    dsm::SharedMemory* shared = nullptr;
    SimulatedView* view = nullptr;
    uint32_t threads = 1;
    uint32_t arrived = 0;  // at the barrier
    uint64_t meetings = 0;
};

class SimulatedMachine final : public dsm_test::Machine {
  public:
    // What all machines together know: the version of each variable that a lock guards.
    struct Referee {
        std::vector<uint64_t> versions;
        std::function<void(const std::string&)> wrong;  // does not return
        std::vector<const char*> doing;                 // what each actor is at
        std::function<void(uint32_t)> begins;           // an actor does something else
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
