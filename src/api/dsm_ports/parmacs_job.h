// SPDX-License-Identifier: BSD-3-Clause
// The processes of a PARMACS program, and the work that they hand to each other.
//
// A process that has no work sleeps on a word of its own native heap, to which others put. Everything else is in shared
// memory: for each process, the function that it is to run and the image of private data. Two flags belong to a
// process: `job` tells it how many jobs it has been given, and `progress` tells its creator how far it is: 2n - 1 when
// it has taken over the data of job n, and 2n when job n has ended.
#pragma once

#include <csetjmp>
#include <cstddef>

#include "parmacs_image.h"
#include "syncline.h"
#include "syncline/parmacs.h"

namespace syncline::ports {

using Function = void (*)();

struct Slot {
    uint64_t jobs = 0;  // number of jobs given so far
    bool busy = false;
    Function function = nullptr;
    Image* image = nullptr;
};

struct Control {
    static constexpr uint32_t conditions = 256;
    static constexpr uint32_t atomics = 64;
    uint32_t lock = 0;             // guards all slots
    uint32_t first_condition = 0;  // the program's conditions share these numbers
    uint32_t first_atomic = 0;     // atomic operations share these locks
    uint32_t first_job = 0;        // one flag for each process
    uint32_t first_progress = 0;   // one flag for each process
    Slot slot[];
};

// Makes shared memory ready in process 0, at the first call that needs it: programs may allocate before MAIN_INITENV.
void require_memory(const char* call);
void start_memory(const char* call, size_t bytes);
bool has_memory();

// Returns how many processes have work, process 0 included.
long running_processes();
uint32_t condition_number_for(const void* object);
uint32_t atomic_lock_for(const void* address);

// In process 0, at its end: waits for the others' work and ends the others.
void end_others();

// In the other processes: runs work until process 0 ends the job. Does not return.
[[noreturn]] void serve();

// In exit(): ends the function with which this process was created. Returns if there is none.
void leave_function(int status);

// The words of a process in its native heap.
struct Block {
    uint64_t memory_bytes = 0;  // size of shared memory, once process 0 knows it; no_memory: there will be none
    uint64_t jobs = 0;          // number of jobs, or `end`
    uint64_t identity[5] = {};  // addresses that must be equal in all processes
};
constexpr uint64_t no_memory = UINT64_MAX;
constexpr uint64_t end_of_jobs = UINT64_MAX;

struct Job {
    Program program;
    syncline_address_t block_address = 0;
    Block* block = nullptr;
    Control* control = nullptr;
    Image* image = nullptr;               // image of this process's data, if it has created other processes
    uint64_t* outstanding = nullptr;      // for each process, the job that this process has given it and not waited for
    std::jmp_buf* in_function = nullptr;  // where exit() leaves the function with which this process was created
};
extern Job the_job;

}  // namespace syncline::ports
