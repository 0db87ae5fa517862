// SPDX-License-Identifier: BSD-3-Clause
// The state of this process, from ARMCI_Init() to ARMCI_Finalize().
#pragma once

#include <deque>
#include <memory>
#include <unordered_set>
#include <vector>

#include "api/armci/arena.h"
#include "api/armci/blocks.h"
#include "api/armci/error.h"
#include "api/armci/local_sums.h"
#include "api/armci/mailbox.h"
#include "api/armci/misaligned_sums.h"
#include "api/armci/writes.h"

namespace syncline::armci {

struct GroupMembers {
    std::vector<int> processes;  // their numbers in the job; empty: there is no such group
    int rank = -1;               // rank of this process
};

struct State {
    int me = 0;
    int size = 1;
    std::vector<int> launcher_numbers;     // numbers of the processes, if they are some of the launcher's
    syncline_barrier_t barrier = nullptr;  // of all processes
    Arena arena;
    std::unordered_set<void*> local;  // blocks from ARMCI_Malloc_local()
    std::vector<Blocks> blocks;       // for each process
    Writes writes;
    std::unique_ptr<LocalSums> sums;
    std::unique_ptr<MisalignedSums> misaligned_sums;
    std::unique_ptr<Mailbox> mailbox;
    std::deque<GroupMembers> groups;  // the first is the world; a group stays at its place while a thread waits in it
    ARMCI_Group default_group = 0;
    std::vector<syncline_lock_t*> mutexes;    // process after process
    std::vector<size_t> first_mutex;          // of each process, and the end; empty while there are no mutexes
    std::vector<bool> held;                   // whether this process has the mutex
    std::vector<unsigned long> owners;        // of each mutex: the thread here that has it or asks for it; 0: none
    int waiting_threads = 0;                  // threads that wait for a mutex that another thread of this process owns
    syncline_address_t notices = 0;           // one word for each process that notifies, and one for mutexes.cpp
    std::vector<uint64_t> notified, awaited;  // of and from each process
};

// Not NULL once the process has joined; calls use state().
extern std::unique_ptr<State> the_state;
bool has_left();
// Returns the state; refuses unless ARMCI is initialised.
State& state();

// Returns the members of a group; NULL: the default group. Refuses a group that does not exist.
const GroupMembers& members_of(const ARMCI_Group* group, const char* argument = "group");
// As members_of(), and refuses if this process is not a member.
const GroupMembers& own_members_of(const ARMCI_Group* group);
void check_process(int process, const char* argument = "process");

// Makes a block of a process known to this one: `base` is its address there, and `allocation` may be NULL. Returns the
// address by which this process names the block.
uint8_t* learn_block(int process, void* base, uint64_t bytes, syncline_address_t address,
                     std::shared_ptr<const Allocation> allocation);
// Returns the block of a process that holds these bytes; refuses memory that the process has not allocated.
const Block& block_of(const char* argument, const void* address, uint64_t bytes, int process);
// Returns the address of a number in a block. Completes the operations that this process has under way there.
syncline_address_t word_of(const char* argument, const void* address, uint64_t bytes, int process);

// Gives `each` bytes of each member to all members, in their order. Collective among the members.
void exchange(const GroupMembers& members, const void* own, void* all, size_t each);
// Completes all operations that this process has started, and waits for the members.
void barrier_of(const GroupMembers& members);

}  // namespace syncline::armci
