// SPDX-License-Identifier: BSD-3-Clause
#include "api/armci/handles.h"

#include <climits>
#include <vector>

#include "api/armci/state.h"

namespace syncline::armci {
namespace {

// The flags of a handle: bit 0 says whether it is aggregate; above it are the thread that has started its operation,
// and the operation's process.
constexpr unsigned long aggregate = 1;
constexpr int thread_shift = 1, process_shift = 32;
constexpr unsigned long several = ULONG_MAX >> process_shift;
constexpr unsigned long threads = (1UL << (process_shift - thread_shift)) - 1;

// Handles with numbers up to `waited` are over, and so are those of a process up to its number in `waited_of`.
unsigned long last_number = 0, waited = 0;
std::vector<unsigned long> waited_of;

unsigned long this_thread() {
    return Call::thread() & threads;
}

bool is_aggregate(const armci_hdl_t& handle) {
    return (handle.flags & aggregate) != 0;
}

// A number that was never given out belongs to a handle that the program has not initialised.
bool is_open(const armci_hdl_t& handle) {
    const unsigned long process = handle.flags >> process_shift;
    return handle.number > waited && handle.number <= last_number &&
           (process >= waited_of.size() || handle.number > waited_of[process]);
}

void check_handle(const armci_hdl_t* handle) {
    (void)state();
    if (handle == nullptr) {
        refuse("handle is NULL");
    }
}

void close(armci_hdl_t* handle) {
    handle->number = 0;
    handle->flags &= aggregate;
}

// Ends the operation that another thread has started with the handle: Global Arrays has one set of handles for all
// threads, and two threads may use one handle.
void end_that_of_another_thread(armci_hdl_t* handle) {
    if ((handle->flags >> thread_shift & threads) == this_thread()) {
        refuse("handle has an operation that is not waited for yet: ARMCI_Wait() ends it");
    }
    (void)finish_gets({.handle = handle->number}, true);
    close(handle);
}

}  // namespace

armci_hdl_t* blocking() {
    static armci_hdl_t none = {};
    return &none;
}

Returning returning_of(armci_hdl_t* handle, int process) {
    if (handle == blocking() || handle == nullptr) {
        return {.waits = handle != nullptr, .collects = false};
    }
    check_process(process);
    if (is_open(*handle) && !is_aggregate(*handle)) {
        end_that_of_another_thread(handle);
    }
    if (!is_open(*handle)) {
        handle->number = ++last_number;
        handle->flags &= aggregate;
        handle->flags |= this_thread() << thread_shift;
        handle->flags |= (is_aggregate(*handle) ? several : static_cast<unsigned long>(process)) << process_shift;
    }
    return {.waits = false, .collects = is_aggregate(*handle), .handle = handle->number};
}

}  // namespace syncline::armci

using namespace syncline::armci;

extern "C" {

void ARMCI_SET_AGGREGATE_HANDLE(armci_hdl_t* handle) {
    const Call call("ARMCI_SET_AGGREGATE_HANDLE");
    check_handle(handle);
    handle->flags |= aggregate;
}

void ARMCI_UNSET_AGGREGATE_HANDLE(armci_hdl_t* handle) {
    const Call call("ARMCI_UNSET_AGGREGATE_HANDLE");
    check_handle(handle);
    if (is_open(*handle)) {
        (void)finish_gets({.handle = handle->number}, true);
        close(handle);
    }
    handle->flags &= ~aggregate;
}

int ARMCI_Wait(armci_hdl_t* handle) {
    const Call call("ARMCI_Wait");
    check_handle(handle);
    if (is_open(*handle)) {
        (void)finish_gets({.handle = handle->number}, true);
    }
    close(handle);
    return 0;
}

int ARMCI_Test(armci_hdl_t* handle) {
    const Call call("ARMCI_Test");
    check_handle(handle);
    if (is_open(*handle) && !finish_gets({.handle = handle->number}, false)) {
        return 1;
    }
    close(handle);
    return 0;
}

int ARMCI_WaitProc(int process) {
    const Call call("ARMCI_WaitProc");
    check_process(process);
    (void)finish_gets({.process = process}, true);
    waited_of.resize(static_cast<size_t>(state().size));
    waited_of[static_cast<size_t>(process)] = last_number;
    return 0;
}

int ARMCI_WaitAll(void) {
    const Call call("ARMCI_WaitAll");
    (void)state();
    (void)finish_gets({}, true);
    waited = last_number;
    return 0;
}

}  // extern "C"
