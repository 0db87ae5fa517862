// SPDX-License-Identifier: BSD-3-Clause
// OpenSHMEM PEs, each in a simulated process of its own: the library's objects of a process change with the fibre.
//
// Only the heap is symmetric memory, because all PEs share the variables of the one program. A PE whose call ends the
// job ends by itself (World::end_running).
#pragma once

#include <functional>
#include <vector>

#include "api/shmem/team.h"
#include "tests/deterministic/world.h"

namespace syncline::deterministic {

class ShmemJob {
  public:
    explicit ShmemJob(World* world);
    ~ShmemJob();
    ShmemJob(const ShmemJob&) = delete;
    ShmemJob& operator=(const ShmemJob&) = delete;

    // All PEs run the program between the beginning and the end of OpenSHMEM. Returns false as Scheduler::run() does.
    bool run(const std::function<void(int)>& program, uint64_t time_limit);

  private:
    void begin(uint32_t rank);
    void end(uint32_t rank);
    void become(uint32_t rank) const;

    World* const world_;
    std::vector<Process*> processes_;
    std::vector<shmem::Library*> libraries_;
};

}  // namespace syncline::deterministic
