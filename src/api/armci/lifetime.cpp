// SPDX-License-Identifier: BSD-3-Clause
// A process joins the job at the first ARMCI_Init() or armci_msg_init(), and leaves it when both are finalized as often
// as they were initialised. If the program has joined by syncline_init() or OpenSHMEM, these leave the job.
#include <unistd.h>

#include <cstdlib>
#include <vector>

#include "api/armci/beside_mpi.h"
#include "api/armci/state.h"
#include "message.h"

namespace syncline::armci {
namespace {

constexpr int barrier_number = 0;
int initialised = 0;  // number of initialisations that are not finalized
// ARMCI_Init_mpi_comm() was the first call and the last one: Global Arrays calls ARMCI_Init() behind it, and
// ARMCI_Finalize() once for both.
bool by_communicator = false;
bool has_messages = false;
bool messages_ended = false;
bool joined_here = false;
bool left = false;
pid_t joined_process = 0;  // a child of this process that exits does not leave the job

void join(const int* members, int count) {
    if (syncline_rank() >= 0) {
        if (count != 0) {
            refuse("the process has joined a job already, of {} processes", syncline_size());
        }
        return;
    }
    syncline_options_t options = {};
    options.struct_size = sizeof(options);
    options.members = members;
    options.member_count = count;
    check(syncline_init(&options));
    joined_here = true;
}

void start(const int* members, int count) {
    if (the_state) {
        return;
    }
    if (left) {
        refuse("ARMCI_Finalize() has been called, and a process joins its job once");
    }
    join(members, count);
    joined_process = ::getpid();
    the_state = std::make_unique<State>();
    State& own = *the_state;
    own.me = syncline_rank();
    own.size = syncline_size();
    own.launcher_numbers.assign(members, members + count);
    const auto processes = static_cast<size_t>(own.size);
    own.blocks.resize(processes);
    own.notified.resize(processes);
    own.awaited.resize(processes);
    GroupMembers world;
    for (int process = 0; process < own.size; process++) {
        world.processes.push_back(process);
    }
    world.rank = own.me;
    own.groups.push_back(std::move(world));
    check(syncline_alloc((processes + 1) * sizeof(uint64_t), 0, &own.notices));
    own.sums = std::make_unique<LocalSums>();
    own.misaligned_sums = std::make_unique<MisalignedSums>(own.size);
    own.mailbox = std::make_unique<Mailbox>(own.size);
    check(syncline_barrier_open(barrier_number, nullptr, own.size, nullptr, &own.barrier));
}

// Collective.
void leave_unless_used() {
    if (!the_state || initialised > 0 || has_messages) {
        return;
    }
    barrier_of(the_state->groups[0]);
    (void)syncline_barrier_close(the_state->barrier);
    the_state->arena.give_back();
    the_state.reset();
    left = true;
    if (joined_here) {
        check(syncline_finalize());
    }
}

// A program may end without armci_msg_finalize(), because MPI's finalization stands for that call; or with it as the
// last call, without ARMCI_Finalize(). All processes come here in both cases.
void leave_at_exit() {
    if (::getpid() != joined_process) {
        return;
    }
    if (initialised == 0 || messages_ended) {
        initialised = 0;
        has_messages = false;
        leave_unless_used();
    }
}

void leave_at_exit_too() {
    static const int registered = std::atexit(leave_at_exit);
    (void)registered;
}

}  // namespace

bool has_left() {
    return left;
}

}  // namespace syncline::armci

using namespace syncline::armci;

extern "C" {

int ARMCI_Init(void) {
    const Call call("ARMCI_Init");
    start(nullptr, 0);
    if (!by_communicator) {
        initialised++;
    }
    by_communicator = false;
    return 0;
}

int ARMCI_Init_args(int*, char***) {
    const Call call("ARMCI_Init_args");
    return ARMCI_Init();
}

int ARMCI_Init_thread(int) {
    const Call call("ARMCI_Init_thread");
    return ARMCI_Init();
}

int ARMCI_Init_members(const int* processes, int count) {
    const Call call("ARMCI_Init_mpi_comm");
    start(processes, count);
    by_communicator = initialised++ == 0;
    return 0;
}

int ARMCI_Initialized(void) {
    return initialised > 0 ? 1 : 0;
}

void ARMCI_Finalize(void) {
    const Call call("ARMCI_Finalize");
    if (initialised > 0) {
        initialised--;
        leave_unless_used();
    }
}

void armci_msg_init(int* argc, char*** argv) {
    const Call call("armci_msg_init");
    initialise_mpi(argc, argv);
    start(nullptr, 0);
    leave_at_exit_too();
    has_messages = true;
}

void armci_msg_finalize(void) {
    const Call call("armci_msg_finalize");
    has_messages = false;
    messages_ended = true;
    leave_unless_used();
    leave_at_exit_too();
    finalise_mpi();
}

void ARMCI_Error(const char* message, int code) {
    const std::string text =
        fmt::format("{}: {} ({})\n", the_state ? fmt::format("process {}", the_state->me) : "ARMCI",
                    message == nullptr ? "an error without a message" : message, code);
    std::fputs(text.c_str(), stderr);
    std::fflush(nullptr);
    syncline_abort((code & 255) == 0 ? 1 : code & 255);
}

void armci_msg_abort(int code) {
    ARMCI_Error("armci_msg_abort", code);
}

void ARMCI_Cleanup(void) {}

void ARMCI_Set_shm_limit(unsigned long) {}

}  // extern "C"
