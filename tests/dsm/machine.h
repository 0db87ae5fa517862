// SPDX-License-Identifier: BSD-3-Clause
// An actor of a random program (program.h) needs this of a shared memory: the simulation's and a real job's.
#pragma once

#include <cstdint>
#include <string>

namespace syncline::dsm_test {

class Machine {
  public:
    virtual ~Machine() = default;
    // Offsets from the start of the memory that the program has.
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
    virtual void barrier() = 0;  // of all actors
    virtual void compute() = 0;
    // The holder of a variable's lock has found this version, or is about to write it. A machine that sees all actors
    // knows what is right.
    virtual void found(uint32_t variable, uint64_t version) = 0;
    virtual void writes(uint32_t variable, uint64_t version) = 0;
    [[noreturn]] virtual void wrong(const std::string& what) = 0;
};

}  // namespace syncline::dsm_test
