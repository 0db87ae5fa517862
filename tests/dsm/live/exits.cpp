// SPDX-License-Identifier: BSD-3-Clause
// exits <how>-<status> <place>
//
// Method: process 1 ends in one of the ways below, in front of syncline_dsm_finalize(), while the others are in a
// place: in a call that it would have to end, in page faults, or in no call at all. The script of that name looks at
// the end of the job. `finalizing` ends by exit(), too, and finalizes in a handler that it has registered in front of
// everything.
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <string>
#include <thread>

#include "live/places.h"
#include "shmem.h"
#include "syncline/dsm.h"

namespace {

// Returns for `return` alone.
void end(const std::string& how, int status) {
    if (how == "exit") {
        std::exit(status);
    } else if (how == "_exit") {
        ::_exit(status);
    } else if (how == "quick") {
        std::quick_exit(status);
    } else if (how == "thread") {
        std::thread([status] { std::exit(status); }).detach();
        ::pause();
    }
}

}  // namespace

int main(int argc, char** argv) {
    if (argc < 3) {
        return 2;
    }
    const std::string way = argv[1];
    const std::string how = way.substr(0, way.find('-'));
    const int status = std::atoi(way.substr(way.find('-') + 1).c_str());
    if (how == "finalizing") {
        std::atexit([] { (void)syncline_dsm_finalize(); });
    } else if (how == "shmem") {
        shmem_init();
    }
    if (syncline_dsm_init(nullptr) != SYNCLINE_OK) {
        return 2;
    }
    if (how == "finalizing") {
        std::exit(0);
    }
    const bool victim = syncline_dsm_process() == 1;
    auto* const memory = static_cast<volatile char*>(syncline_dsm_alloc(pages * 4096, SYNCLINE_DSM_FIRST_TOUCH));
    for (size_t page = 0; victim && page < pages; page++) {
        memory[page * 4096] = 1;
    }
    if (victim) {
        (void)syncline_dsm_lock(lock_of_victim);
    }
    (void)syncline_dsm_barrier();
    if (victim) {
        end(how == "shmem" ? "exit" : how, status);
        return status;
    }
    be_in(argv[2], memory);
    std::printf("a process went on\n");
    return 3;
}
