// SPDX-License-Identifier: BSD-3-Clause
// Method: `deaths <how> <what>`: process 1 is killed, while it waits (`still`) or amid calls of the same kind (`amid`),
// and the others address it or wait for it in the way that is named. deaths.sh says what becomes of the job.
#include <sys/time.h>
#include <unistd.h>

#include <csignal>
#include <cstdlib>
#include <cstring>

#include "check.h"

using namespace armci_test;

namespace {

bool is(const char* name, const char* other) {
    return std::strcmp(name, other) == 0;
}

struct Shared {
    long words[512];
    int ready;
};

void transfer(const char* what, const Blocks<Shared>& blocks, int process) {
    static long numbers[512];
    long scale = 1;
    Shared* const there = blocks.at(process);
    if (is(what, "get")) {
        ARMCI_Get(there->words, numbers, sizeof(numbers), process);
    } else if (is(what, "put")) {
        ARMCI_Put(numbers, there->words, sizeof(numbers), process);
        ARMCI_Fence(process);
    } else if (is(what, "acc")) {
        ARMCI_Acc(ARMCI_ACC_LNG, &scale, numbers, there->words, sizeof(numbers), process);
        ARMCI_AllFence();
    } else if (is(what, "rmw")) {
        ARMCI_Rmw(ARMCI_FETCH_AND_ADD_LONG, numbers, there->words, 1, process);
    } else {
        armci_hdl_t handle;
        ARMCI_INIT_HANDLE(&handle);
        ARMCI_NbGet(there->words, numbers, sizeof(numbers), process, &handle);
        ARMCI_Wait(&handle);
    }
}

// One turn: all make the same calls, so process 1 may be killed within one.
void turn(const char* what, const Blocks<Shared>& blocks, int other) {
    static char bytes[100'000];
    int length = 0;
    if (is(what, "lock")) {
        ARMCI_Lock(0, 0);
        put_one(get_one(blocks.at(1)->words, 1) + 1, blocks.at(1)->words, 1);
        ARMCI_Unlock(0, 0);
    } else if (is(what, "barrier")) {
        ARMCI_Barrier();
    } else if (is(what, "sum")) {
        armci_msg_igop(&length, 1, text("+"));
    } else if (is(what, "malloc")) {
        Blocks<char> more(100);
    } else if (is(what, "message")) {
        armci_msg_snd(1, bytes, sizeof(bytes), next());
        armci_msg_rcv(1, bytes, sizeof(bytes), &length, next(size() - 1));
    } else if (is(what, "any_message")) {
        armci_msg_snd(1, bytes, 100, next());
        (void)armci_msg_rcvany(1, bytes, sizeof(bytes), &length);
    } else if (is(what, "notice")) {
        (void)armci_notify(next());
        (void)armci_notify_wait(next(size() - 1), &length);
    } else {
        transfer(what, blocks, other);
    }
}

void die(int) {
    ::kill(::getpid(), SIGKILL);
}

void die_soon() {
    std::signal(SIGALRM, die);
    const itimerval soon = {{0, 0}, {0, 50'000 + ::getpid() % 7 * 3000}};
    ::setitimer(ITIMER_REAL, &soon, nullptr);
}

}  // namespace

int main(int, char** argv) {
    const bool amid = is(argv[1], "amid");
    const char* const what = argv[2];
    ARMCI_Init();
    {
        Blocks<Shared> blocks(1);
        ARMCI_Create_mutexes(1);
        if (me() == 1 && !amid) {
            if (is(what, "lock")) {
                ARMCI_Lock(0, 0);
            }
            ARMCI_Barrier();
            ::usleep(100'000);  // the others wait
            die(0);
        }
        ARMCI_Barrier();
        if (me() == 1) {
            die_soon();
        }
        for (;;) {
            turn(what, blocks, me() == 1 ? 0 : 1);
        }
    }
}
