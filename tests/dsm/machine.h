// SPDX-License-Identifier: BSD-3-Clause
// The operations that an actor of a random program (program.h) needs from a shared memory, that of the simulation or of
// a real job.
#pragma once

#include <cstdint>
#include <string>

namespace syncline::dsm_test {

class Machine {
  public:
    virtual ~Machine() = default;
    // Offsets count from the start of the program's memory.
    virtual void load(uint64_t at, void* to, uint32_t bytes) = 0;
    virtual void store(uint64_t at, const void* from, uint32_t bytes) = 0;
    virtual void prefetch(uint64_t at, uint64_t bytes, bool write) = 0;
    virtual void lock(uint32_t lock) = 0;
    virtual bool try_lock(uint32_t lock) = 0;
    virtual void unlock(uint32_t lock) = 0;
    virtual void wait(uint32_t condition, uint32_t lock) = 0;
    virtual void signal(uint32_t condition) = 0;
    virtual void broadcast(uint32_t condition) = 0;
    virtual void set_flag(uint32_t flag, uint64_t value) = 0;
    virtual uint64_t wait_for_flag(uint32_t flag, uint64_t value) = 0;
    virtual void barrier() = 0;  // among all actors
    virtual void compute() = 0;
    // The holder of a variable's lock has found this version, or is about to write it. A machine that sees all actors
    // can check the version.
    virtual void found(uint32_t variable, uint64_t version) = 0;
    virtual void writes(uint32_t variable, uint64_t version) = 0;
    [[noreturn]] virtual void wrong(const std::string& what) = 0;
};

}  // namespace syncline::dsm_test
