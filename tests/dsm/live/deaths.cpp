// SPDX-License-Identifier: BSD-3-Clause
// deaths <place> <victim> [<argument that only marks the process>]
//
// Method: one process is killed; the others wait for it in a barrier, for a lock that it has, for its flag or its
// signal; or they read or write pages that have their homes there. Place `crash`: the victim reads where nothing is
// instead. The script `death` looks at the end of the job.
#include <unistd.h>

#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>

#include "live/places.h"
#include "syncline.h"
#include "syncline/dsm.h"

namespace {

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

// Returns when the victim's NIC, or its node, refuses what others ask of it: no page can come from there any more.
void wait_for_end_of(int victim, syncline_address_t word) {
    uint64_t value = 0;
    while (syncline_fetch_add64(victim, word, 0, &value) == SYNCLINE_OK) {
        ::usleep(1000);
    }
}

}  // namespace

int main(int argc, char** argv) {
    if (argc < 3 || syncline_dsm_init(nullptr) != SYNCLINE_OK) {
        return 2;
    }
    const int number = std::atoi(argv[2]);
    const bool victim = syncline_dsm_process() == number;
    syncline_address_t word = 0;
    if (syncline_alloc(sizeof(uint64_t), 0, &word) != SYNCLINE_OK) {
        return 2;
    }
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
    if (std::strcmp(argv[1], "fetch") == 0) {
        wait_for_end_of(number, word);
    }
    be_in(std::strcmp(argv[1], "crash") == 0 ? "barrier" : argv[1], memory);
    std::printf("a process went on without the victim\n");
    return 3;
}
