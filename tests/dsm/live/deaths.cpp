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
    be_in(std::strcmp(argv[1], "crash") == 0 ? "barrier" : argv[1], memory);
    std::printf("a process went on without the victim\n");
    return 3;
}
