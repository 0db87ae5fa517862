// SPDX-License-Identifier: BSD-3-Clause
// Mutexes: queueing locks of the library, which belong to a process. Before that, threads of one process take turns:
// the first thread that finds a mutex without an owner among them asks for it, and the others wait for its release.
//
// The thread that has the turn (error.h) writes every word of State. A word of this process's heap counts the releases
// for which threads wait; the releasing thread adds to it by a call of the library, which wakes the waiting threads.
#include <algorithm>
#include <vector>

#include "api/armci/state.h"
#include "api/armci/transfer.h"

using namespace syncline::armci;

namespace {

bool has_mutexes() {
    return !state().first_mutex.empty();
}

// Returns the mutex's place in State::mutexes.
size_t mutex_of(int mutex, int process) {
    check_process(process);
    if (!has_mutexes()) {
        refuse("there are no mutexes: ARMCI_Create_mutexes() makes them");
    }
    const State& own = state();
    const size_t first = own.first_mutex[static_cast<size_t>(process)];
    const size_t count = own.first_mutex[static_cast<size_t>(process) + 1] - first;
    if (mutex < 0 || static_cast<size_t>(mutex) >= count) {
        refuse("mutex is {}, and process {} has {} of them", mutex, process, count);
    }
    return first + static_cast<size_t>(mutex);
}

syncline_address_t releases() {
    return state().notices + static_cast<uint64_t>(state().size) * sizeof(uint64_t);
}

// A thread that has the turn reads the count, so no release is missed.
void wait_for_release() {
    const auto* const count = static_cast<const uint64_t*>(syncline_local(releases()));
    const uint64_t seen = __atomic_load_n(count, __ATOMIC_ACQUIRE);
    state().waiting_threads++;
    {
        const Call::Aside aside;
        check(syncline_wait_until64(count, SYNCLINE_NE, seen, -1));
    }
    state().waiting_threads--;
}

void announce_release() {
    constexpr uint64_t one = 1;
    if (state().waiting_threads > 0) {
        check(syncline_atomic(SYNCLINE_ADD | SYNCLINE_64, state().me, releases(), &one, nullptr, nullptr));
    }
}

}  // namespace

extern "C" {

int ARMCI_Create_mutexes(int count) {
    const Call call("ARMCI_Create_mutexes");
    State& own = state();
    if (count < 0 || has_mutexes()) {
        refuse("count is {}{}", count, count < 0 ? "" : ", and there are mutexes already");
    }
    std::vector<int> counts(static_cast<size_t>(own.size));
    exchange(own.groups[0], &count, counts.data(), sizeof(count));
    std::vector<int> homes;
    for (int process = 0; process < own.size; process++) {
        own.first_mutex.push_back(homes.size());
        homes.insert(homes.end(), static_cast<size_t>(counts[static_cast<size_t>(process)]), process);
    }
    own.first_mutex.push_back(homes.size());
    own.mutexes.resize(homes.size());
    own.held.assign(homes.size(), false);
    own.owners.assign(homes.size(), 0);
    check(syncline_locks_create(SYNCLINE_LOCK_MCS, homes.data(), static_cast<int>(homes.size()), own.mutexes.data()));
    return 0;
}

int ARMCI_Destroy_mutexes(void) {
    const Call call("ARMCI_Destroy_mutexes");
    if (!has_mutexes()) {
        refuse("there are no mutexes");
    }
    State& own = state();
    if (std::any_of(own.owners.begin(), own.owners.end(), [](unsigned long owner) { return owner != 0; })) {
        refuse("one of the mutexes is still locked by this process");
    }
    complete_all();
    check(syncline_locks_destroy(own.mutexes.data(), static_cast<int>(own.mutexes.size())));
    own.mutexes.clear();
    own.first_mutex.clear();
    return 0;
}

void ARMCI_Lock(int mutex, int process) {
    const Call call("ARMCI_Lock");
    const size_t place = mutex_of(mutex, process);
    State& own = state();
    const unsigned long thread = Call::thread();
    while (own.owners[place] != 0) {
        if (own.owners[place] == thread || !Call::has_turn()) {  // no turns: the owning thread has ended
            refuse("mutex is {} of process {}, which this {} has already", mutex, process,
                   own.owners[place] == thread ? "thread" : "process");
        }
        wait_for_release();
    }
    own.owners[place] = thread;
    {
        const Call::Aside aside;
        check(syncline_lock_acquire(own.mutexes[place]));
    }
    own.held[place] = true;
}

void ARMCI_Unlock(int mutex, int process) {
    const Call call("ARMCI_Unlock");
    const size_t place = mutex_of(mutex, process);
    State& own = state();
    if (!own.held[place]) {
        refuse("mutex is {} of process {}, which this process has not locked", mutex, process);
    }
    complete_all();  // gets, too; writes are complete at the next holder by the release itself
    own.held[place] = false;
    check(syncline_lock_release(own.mutexes[place]));
    own.owners[place] = 0;
    announce_release();
}

}  // extern "C"
