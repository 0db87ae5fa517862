// SPDX-License-Identifier: BSD-3-Clause
#include "treadmarks.h"

#include <unistd.h>

#include <cerrno>
#include <cstdarg>
#include <cstdio>
#include <cstdlib>
#include <cstring>

#include "job.h"
#include "waits.h"

unsigned Tmk_proc_id = 0;
unsigned Tmk_nprocs = 1;
unsigned Tmk_page_size = 4096;
unsigned Tmk_npages = 0;

using namespace syncline::ports;

namespace {

bool started = false;
bool ended = false;
int statistics = 0;

void require_start(const char* call) {
    if (!started || ended) {
        end_job("%s: %s", call, started ? "Tmk_exit() has been called" : "call Tmk_startup() first");
    }
}

void require_number(const char* call, const char* what, unsigned number, unsigned numbers) {
    if (number >= numbers) {
        end_job("%s: there is no %s %u: they have the numbers 0 to %u", call, what, number, numbers - 1);
    }
}

// Each lock has conditions of its own.
uint32_t condition_of(const char* call, unsigned lock, unsigned condition) {
    require_start(call);
    require_number(call, "lock", lock, TMK_NLOCKS);
    require_number(call, "condition", condition, TMK_NCONDS);
    return lock * TMK_NCONDS + condition;
}

// Collective.
void leave() {
    ended = true;
    await_idle("Tmk_exit");
    if (statistics > 0) {
        print_treadmarks_statistics(statistics);
    }
    check("Tmk_exit", syncline_dsm_finalize());
}

void print(const char* format, va_list values, const char* reason) {
    char text[1024];
    std::vsnprintf(text, sizeof(text), format, values);
    if (reason == nullptr) {
        std::fputs(text, stderr);
    } else {
        std::fprintf(stderr, "%s: %s\n", text, reason);
    }
}

[[noreturn]] void end_after_error() {
    std::fflush(nullptr);
    if (syncline_rank() >= 0) {
        syncline_abort(1);
    }
    ::_exit(1);
}

}  // namespace

void Tmk_startup(int argc, char* const* argv) {
    if (started) {
        end_job("Tmk_startup: it has been called before");
    }
    const TreadMarksOptions read = read_treadmarks_options(argc, argv);
    syncline_dsm_options_t options = {};
    options.struct_size = sizeof(options);
    options.bytes = read.pages * Tmk_page_size;
    options.locks = 2 * TMK_NLOCKS * TMK_NCONDS;  // the upper half is for this library
    check("Tmk_startup", syncline_dsm_init(&options));
    started = true;
    remember_process();
    open_waits("Tmk_startup");
    statistics = read.statistics;
    at_end(leave);
    Tmk_proc_id = static_cast<unsigned>(syncline_dsm_process());
    Tmk_nprocs = static_cast<unsigned>(syncline_dsm_processes());
    if (Tmk_nprocs > TMK_NPROCS) {
        end_job("Tmk_startup: programs have room for %d processes, and the job has %u", TMK_NPROCS, Tmk_nprocs);
    }
    void* base = nullptr;
    size_t bytes = 0;
    check("Tmk_startup", syncline_dsm_range(&base, &bytes));
    Tmk_npages = static_cast<unsigned>(bytes / Tmk_page_size);
    if (Tmk_proc_id == 0 && read.processes != 0 && read.processes != syncline_dsm_processes()) {
        say("Tmk_startup: -n asks for %ld processes, and the job has %u: `syncline run` says how many there are",
            read.processes, Tmk_nprocs);
    }
    open_distribution();
}

void Tmk_exit(int status) {
    std::fflush(nullptr);
    std::exit(status);
}

void* Tmk_malloc(size_t size) {
    require_start("Tmk_malloc");
    return syncline_dsm_alloc_one(size == 0 ? 1 : size, SYNCLINE_DSM_FIRST_TOUCH);
}

void Tmk_free(void* memory) {
    require_start("Tmk_free");
    check("Tmk_free", syncline_dsm_free_one(memory));
}

void* Tmk_sbrk(size_t size) {
    require_start("Tmk_sbrk");
    const size_t page = Tmk_page_size;
    return syncline_dsm_alloc_one(size == 0 ? page : (size + page - 1) / page * page, SYNCLINE_DSM_FIRST_TOUCH);
}

void Tmk_barrier(unsigned barrier) {
    require_start("Tmk_barrier");
    require_number("Tmk_barrier", "barrier", barrier, TMK_NBARRIERS);
    wait_in("Tmk_barrier", [] { return syncline_dsm_barrier(); });
    take_distributed("Tmk_barrier");
    note_statistics();
}

void Tmk_lock_acquire(unsigned lock) {
    require_start("Tmk_lock_acquire");
    require_number("Tmk_lock_acquire", "lock", lock, TMK_NLOCKS);
    wait_in("Tmk_lock_acquire", [&] { return syncline_dsm_lock(lock); });
    take_distributed("Tmk_lock_acquire");
}

void Tmk_lock_release(unsigned lock) {
    require_start("Tmk_lock_release");
    require_number("Tmk_lock_release", "lock", lock, TMK_NLOCKS);
    check("Tmk_lock_release", syncline_dsm_unlock(lock));
}

void Tmk_lock_cond_wait(unsigned lock, unsigned condition) {
    const uint32_t number = condition_of("Tmk_lock_cond_wait", lock, condition);
    Tmk_stat.waits++;
    wait_in("Tmk_lock_cond_wait", [&] { return syncline_dsm_cond_wait(number, lock); });
    take_distributed("Tmk_lock_cond_wait");
}

void Tmk_lock_cond_signal(unsigned lock, unsigned condition) {
    const uint32_t number = condition_of("Tmk_lock_cond_signal", lock, condition);
    Tmk_stat.signals++;
    check("Tmk_lock_cond_signal", syncline_dsm_cond_signal(number));
}

void Tmk_lock_cond_broadcast(unsigned lock, unsigned condition) {
    const uint32_t number = condition_of("Tmk_lock_cond_broadcast", lock, condition);
    Tmk_stat.broadcasts++;
    check("Tmk_lock_cond_broadcast", syncline_dsm_cond_broadcast(number));
}

void Tmk_err(const char* format, ...) {
    va_list values;
    va_start(values, format);
    print(format, values, nullptr);
    va_end(values);
}

void Tmk_perror(const char* format, ...) {
    const char* const reason = std::strerror(errno);
    va_list values;
    va_start(values, format);
    print(format, values, reason);
    va_end(values);
}

void Tmk_errexit(const char* format, ...) {
    va_list values;
    va_start(values, format);
    print(format, values, nullptr);
    va_end(values);
    end_after_error();
}

void Tmk_perrexit(const char* format, ...) {
    const char* const reason = std::strerror(errno);
    va_list values;
    va_start(values, format);
    print(format, values, reason);
    va_end(values);
    end_after_error();
}
