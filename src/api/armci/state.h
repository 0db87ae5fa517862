// SPDX-License-Identifier: BSD-3-Clause
// This process as one of ARMCI, from ARMCI_Init() to ARMCI_Finalize().
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
    std::vector<int> processes;  // absolute numbers; empty: there is no such group
    int rank = -1;               // of this process
};

struct State {
    int me = 0;
    int size = 1;
    std::vector<int> launcher_numbers;     // of the processes, where they are some of the launcher's
    syncline_barrier_t barrier = nullptr;  // of all
    Arena arena;
    std::unordered_set<void*> local;  // of ARMCI_Malloc_local()
    std::vector<Blocks> blocks;       // by process
    Writes writes;
    std::unique_ptr<LocalSums> sums;
    std::unique_ptr<MisalignedSums> misaligned_sums;
    std::unique_ptr<Mailbox> mailbox;
    std::deque<GroupMembers> groups;  // the first one is the world; one stays where it is while a thread waits in it
    ARMCI_Group default_group = 0;
    std::vector<syncline_lock_t*> mutexes;    // one process's behind another's
    std::vector<size_t> first_mutex;          // of each process, and the end; nothing while there are no mutexes
    std::vector<bool> held;                   // mutexes that this process has
    std::vector<unsigned long> owners;        // of each mutex: the thread here that has it or asks for it, 0: none
    int waiting_threads = 0;                  // for a mutex that another thread here owns
    syncline_address_t notices = 0;           // one word for each process that notifies, and one for mutexes.cpp
    std::vector<uint64_t> notified, awaited;  // of and from each process
};

// A process that has joined has one; calls ask state().
extern std::unique_ptr<State> the_state;
bool has_left();
// Refuses, unless ARMCI is initialised.
State& state();

// The member list of a group; NULL: the default one. Refuses one that does not exist.
const GroupMembers& members_of(const ARMCI_Group* group, const char* argument = "group");
// Refuses as well if this process is no member.
const GroupMembers& own_members_of(const ARMCI_Group* group);
void check_process(int process, const char* argument = "process");

// Makes a block of a process known to this one: `base` is its address there, and `allocation` may be NULL. Returns the
// address by which this process names it.
uint8_t* learn_block(int process, void* base, uint64_t bytes, syncline_address_t address,
                     std::shared_ptr<const Allocation> allocation);
// The block of a process that has these bytes; refuses what it has not allocated.
const Block& block_of(const char* argument, const void* address, uint64_t bytes, int process);
// The place of a number in one. Completes what this process has under way there.
syncline_address_t word_of(const char* argument, const void* address, uint64_t bytes, int process);

// Each member's bytes to all, in their order. `each` bytes; collective among the members.
void exchange(const GroupMembers& members, const void* own, void* all, size_t each);
// Completes all that this process has started, and waits for the members.
void barrier_of(const GroupMembers& members);

}  // namespace syncline::armci
