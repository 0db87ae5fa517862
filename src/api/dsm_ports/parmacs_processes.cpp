// SPDX-License-Identifier: BSD-3-Clause
// MAIN_INITENV, CREATE, WAIT_FOR_END and MAIN_END.
#include <cstdlib>

#include "job.h"
#include "parmacs_job.h"
#include "shared_variables.h"
#include "waits.h"

using namespace syncline::ports;

namespace {

uint64_t progress_of(int process) {
    uint64_t progress = 0;
    const uint32_t flag = the_job.control->first_progress + static_cast<uint32_t>(process);
    check("WAIT_FOR_END", syncline_dsm_flag_wait(flag, 0, &progress));
    return progress;
}

// Returns the process with the lowest number that has no work; it has this work from now on.
int choose_process(Function function, uint64_t* job) {
    Control& control = *the_job.control;
    const Holding lock("CREATE", control.lock);
    for (int process = 1; process < syncline_dsm_processes(); process++) {
        Slot& slot = control.slot[process];
        if (!slot.busy) {
            slot.busy = true;
            slot.function = function;
            slot.image = the_job.image;
            *job = ++slot.jobs;
            return process;
        }
    }
    end_job(
        "CREATE: the program asks for another process, and all %d of the job have work: start it with a larger -n, or "
        "tell it to use fewer",
        syncline_dsm_processes());
}

}  // namespace

void syncline_parmacs_main_initenv(size_t bytes) {
    start_memory("MAIN_INITENV", bytes);
}

void syncline_parmacs_main_end(void) {
    std::exit(EXIT_SUCCESS);
}

void syncline_parmacs_create(void (*function)()) {
    require_memory("CREATE");
    the_job.image = make_image(the_job.program, the_job.image);
    uint64_t job = 0;
    const int process = choose_process(function, &job);
    const Control& control = *the_job.control;
    const auto flag = static_cast<uint32_t>(process);
    check("CREATE", syncline_dsm_flag_set(control.first_job + flag, job));
    check("CREATE", syncline_put(process, the_job.block_address + offsetof(Block, jobs), &job, sizeof(job)));
    the_job.outstanding[process] = job;
    // Only after this may the next image be made.
    check("CREATE", syncline_dsm_flag_wait(control.first_progress + flag, 2 * job - 1, nullptr));
}

void syncline_parmacs_create_others(void (*function)(), long count) {
    require_memory("CREATE");
    if (count > syncline_dsm_processes()) {
        end_job(
            "CREATE: the program asks for %ld processes, and the job has %d: start %ld (`syncline run`, option -n), or "
            "tell "
            "it to use fewer",
            count, syncline_dsm_processes(), count);
    }
    for (long i = 1; i < count; i++) {
        syncline_parmacs_create(function);
    }
}

void syncline_parmacs_wait_for_end(long count) {
    if (!has_memory()) {
        return;
    }
    const int processes = syncline_dsm_processes();
    const Waits waits;
    for (Patience patience; count > 0; patience.wait()) {
        bool any_runs = false;
        for (int process = 1; process < processes && count > 0; process++) {
            uint64_t& job = the_job.outstanding[process];
            if (job != 0 && progress_of(process) >= 2 * job) {
                job = 0;
                count--;
                patience.reset();
            }
            any_runs = any_runs || job != 0;
        }
        if (!any_runs) {
            return;
        }
    }
}

int syncline_parmacs_process(void) {
    return syncline_rank() < 0 ? 0 : syncline_rank();
}

unsigned long syncline_parmacs_clock(void) {
    return microseconds();
}

void* syncline_parmacs_allocate(size_t bytes) {
    require_memory("G_MALLOC");
    void* const memory = syncline_dsm_alloc_one(bytes == 0 ? 1 : bytes, SYNCLINE_DSM_FIRST_TOUCH);
    if (memory == nullptr) {
        say("G_MALLOC: %s; SYNCLINE_DSM_SIZE=1G in the environment makes shared memory larger", syncline_last_error());
    }
    return memory;
}

void syncline_parmacs_free(void* memory) {
    check("G_FREE", syncline_dsm_free_one(memory));
}
