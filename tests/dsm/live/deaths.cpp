// SPDX-License-Identifier: BSD-3-Clause
// deaths <place> <victim> [<argument that only marks the process>]
//
// Method: one process is killed; the others wait for it in a barrier, for a lock that it has, for its flag or its
// signal; or they read or write pages that have their homes there. Place `crash`: the victim reads where nothing is
// instead. The script `death` looks at the end of the job.
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>

#include <unistd.h>

#include "syncline/dsm.h"

namespace {

constexpr size_t pages = 64;
constexpr uint32_t lock_of_victim = 7;
constexpr uint32_t other_lock = 8;

[[noreturn]] void die(const char* place) {
    if (std::strcmp(place, "crash") == 0) {
        volatile int* const nowhere = nullptr;
        (void)*nowhere;
    }
    ::kill(::getpid(), SIGKILL);
    for (;;) {
        ::pause();
    }
}

void write_and_release(volatile char* memory) {
    for (int round = 0;; round++) {
        for (size_t page = 0; page < pages; page++) {
            memory[page * 4096 + static_cast<size_t>(syncline_dsm_process())] = static_cast<char>(round);
        }
        (void)syncline_dsm_lock(other_lock);
        (void)syncline_dsm_unlock(other_lock);
    }
}

void wait_in(const char* place, volatile char* memory) {
    if (std::strcmp(place, "barrier") == 0 || std::strcmp(place, "crash") == 0) {
        (void)syncline_dsm_barrier();
    } else if (std::strcmp(place, "lock") == 0) {
        (void)syncline_dsm_lock(lock_of_victim);
    } else if (std::strcmp(place, "flag") == 0) {
        (void)syncline_dsm_flag_wait(5, 1, nullptr);
    } else if (std::strcmp(place, "condition") == 0) {
        (void)syncline_dsm_lock(other_lock);
        for (;;) {
            (void)syncline_dsm_cond_wait(5, other_lock);
        }
    } else if (std::strcmp(place, "write") == 0) {
        write_and_release(memory);
    } else {
        ::usleep(200000);  // the kill comes first
        for (size_t page = 0; page < pages; page++) {
            (void)memory[page * 4096];
        }
    }
}

}  // namespace

int main(int argc, char** argv) {
    if (argc < 3 || syncline_dsm_init(nullptr) != SYNCLINE_OK) {
        return 2;
    }
    const bool victim = syncline_dsm_process() == std::atoi(argv[2]);
    auto* const memory = static_cast<volatile char*>(syncline_dsm_alloc(pages * 4096, SYNCLINE_DSM_FIRST_TOUCH));
    for (size_t page = 0; victim && page < pages; page++) {
        memory[page * 4096] = 1;
    }
    if (victim) {
        (void)syncline_dsm_lock(lock_of_victim);
    }
    (void)syncline_dsm_barrier();
    if (victim) {
        die(argv[1]);
    }
    wait_in(argv[1], memory);
    std::printf("a process went on without the victim\n");
    return 3;
}
