// SPDX-License-Identifier: BSD-3-Clause
// deaths barrier|lock|fetch|flag [<argument that only marks the process>]
//
// Method: process 1 is killed; the others wait for it in a barrier, for a lock that it has, for pages that have their
// homes there, or for its flag. The script `death` looks at the end of the job.
#include <csignal>
#include <cstdio>
#include <cstring>

#include <unistd.h>

#include "syncline/dsm.h"

namespace {

constexpr size_t pages = 64;

[[noreturn]] void die() {
    ::kill(::getpid(), SIGKILL);
    for (;;) {
        ::pause();
    }
}

void wait_in(const char* place, volatile char* memory) {
    if (std::strcmp(place, "barrier") == 0) {
        (void)syncline_dsm_barrier();
    } else if (std::strcmp(place, "lock") == 0) {
        (void)syncline_dsm_lock(7);
    } else if (std::strcmp(place, "flag") == 0) {
        (void)syncline_dsm_flag_wait(5, 1, nullptr);
    } else {
        ::usleep(200000);  // the kill comes first
        for (size_t page = 0; page < pages; page++) {
            (void)memory[page * 4096];
        }
    }
}

}  // namespace

int main(int argc, char** argv) {
    if (argc < 2 || syncline_dsm_init(nullptr) != SYNCLINE_OK) {
        return 2;
    }
    const bool victim = syncline_dsm_process() == 1;
    auto* const memory = static_cast<volatile char*>(syncline_dsm_alloc(pages * 4096, SYNCLINE_DSM_FIRST_TOUCH));
    for (size_t page = 0; victim && page < pages; page++) {
        memory[page * 4096] = 1;
    }
    if (victim) {
        (void)syncline_dsm_lock(7);
    }
    (void)syncline_dsm_barrier();
    if (victim) {
        die();
    }
    wait_in(argv[1], memory);
    std::printf("a process went on without process 1\n");
    return 3;
}
