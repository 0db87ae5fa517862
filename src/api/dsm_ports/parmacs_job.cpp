// SPDX-License-Identifier: BSD-3-Clause
#include "parmacs_job.h"

#include <algorithm>
#include <cstdlib>

#include "job.h"
#include "shared_variables.h"
#include "waits.h"

namespace syncline::ports {

Job the_job;

namespace {

constexpr uint32_t lock_numbers = 32768;

// Programs name the size of their own allocations; this adds their rounding, the images of private data and the states.
size_t room_for(size_t bytes) {
    constexpr size_t least = size_t{256} << 20;
    constexpr size_t extra = size_t{64} << 20;
    return std::max(least, bytes + bytes / 4 + extra);
}

void init_memory(const char* call, size_t bytes) {
    syncline_dsm_options_t options = {};
    options.struct_size = sizeof(options);
    options.bytes = bytes;
    options.locks = lock_numbers;
    check(call, syncline_dsm_init(&options));
}

void tell_all(size_t offset, uint64_t value) {
    for (int process = 1; process < syncline_size(); process++) {
        check("PARMACS", syncline_put(process, the_job.block_address + offset, &value, sizeof(value)));
    }
}

Control* make_control(const char* call) {
    const auto processes = static_cast<uint32_t>(syncline_dsm_processes());
    auto* const control = static_cast<Control*>(take_shared(call, sizeof(Control) + processes * sizeof(Slot)));
    control->lock = take_numbers(call, 1);
    control->first_condition = take_numbers(call, Control::conditions);
    control->first_atomic = take_numbers(call, Control::atomics);
    control->first_job = take_numbers(call, processes);
    control->first_progress = take_numbers(call, processes);
    for (uint32_t process = 0; process < processes; process++) {
        control->slot[process] = Slot{};
    }
    control->slot[0].busy = true;
    return control;
}

// Collective.
void share_control() {
    check("PARMACS", syncline_dsm_broadcast(0, &the_job.control, sizeof(Control*)));
    check("PARMACS", syncline_dsm_barrier());
    the_job.outstanding = static_cast<uint64_t*>(
        std::calloc(static_cast<size_t>(syncline_dsm_processes()), sizeof(*the_job.outstanding)));
}

bool others_are_busy() {
    const Holding lock("MAIN_END", the_job.control->lock);
    for (int process = 1; process < syncline_dsm_processes(); process++) {
        if (the_job.control->slot[process].busy) {
            return true;
        }
    }
    return false;
}

[[noreturn]] void leave_job(bool with_memory) {
    if (with_memory) {
        check("MAIN_END", syncline_dsm_finalize());
    }
    check("MAIN_END", syncline_finalize());
    std::exit(EXIT_SUCCESS);
}

// Waits until a word of the block is no longer `seen`, and returns its value. Ends this process if process 0 is gone.
uint64_t await_change(const uint64_t& word, uint64_t seen) {
    constexpr int turns_between_looks = 512;
    Patience patience;
    for (;;) {
        const uint64_t value = __atomic_load_n(&word, __ATOMIC_ACQUIRE);
        if (value != seen) {
            return value;
        }
        if (patience.turns() % turns_between_looks == turns_between_looks - 1) {
            uint64_t alive = 0;
            if (syncline_get(0, the_job.block_address, &alive, sizeof(alive)) != SYNCLINE_OK) {
                await_launcher();
                end_job("a process without work waits for process 0, which is gone: %s", syncline_last_error());
            }
        }
        patience.wait();
    }
}

void run(const Slot& slot) {
    std::jmp_buf here;
    the_job.in_function = &here;
    if (setjmp(here) == 0) {
        slot.function();
    }
    the_job.in_function = nullptr;
}

void run_job(uint64_t number) {
    Control& control = *the_job.control;
    const auto me = static_cast<uint32_t>(syncline_dsm_process());
    check("CREATE", syncline_dsm_flag_wait(control.first_job + me, number, nullptr));
    std::fill_n(the_job.outstanding, syncline_dsm_processes(), 0);
    Slot& slot = control.slot[me];
    set_idle(false);
    take_image(*slot.image);
    check("CREATE", syncline_dsm_flag_set(control.first_progress + me, 2 * number - 1));
    run(slot);
    set_idle(true);
    {
        const Holding lock("WAIT_FOR_END", control.lock);
        slot.busy = false;
    }
    check("WAIT_FOR_END", syncline_dsm_flag_set(control.first_progress + me, 2 * number));
}

}  // namespace

bool has_memory() {
    return the_job.control != nullptr;
}

void start_memory(const char* call, size_t bytes) {
    if (has_memory()) {
        return;
    }
    if (the_job.block == nullptr) {
        end_job("%s: no file of the program has MAIN_ENV", call);
    }
    const size_t room = room_for(bytes);
    tell_all(offsetof(Block, memory_bytes), room);
    init_memory(call, room);
    the_job.control = make_control(call);
    share_control();
}

void require_memory(const char* call) {
    start_memory(call, 0);
}

long running_processes() {
    const Holding lock("BARRIER", the_job.control->lock);
    const Slot* const slots = the_job.control->slot;
    return std::count_if(slots, slots + syncline_dsm_processes(), [](const Slot& slot) { return slot.busy; });
}

uint32_t condition_number_for(const void* object) {
    constexpr uintptr_t line = 16;
    return the_job.control->first_condition +
           static_cast<uint32_t>(reinterpret_cast<uintptr_t>(object) / line % Control::conditions);
}

uint32_t atomic_lock_for(const void* address) {
    return the_job.control->first_atomic +
           static_cast<uint32_t>(reinterpret_cast<uintptr_t>(address) / sizeof(uint64_t) % Control::atomics);
}

void end_others() {
    if (!has_memory()) {
        tell_all(offsetof(Block, memory_bytes), no_memory);
        check("MAIN_END", syncline_finalize());
        return;
    }
    Standstill standstill;
    for (Patience patience; others_are_busy();) {
        standstill.look("MAIN_END");
        patience.wait();
    }
    tell_all(offsetof(Block, jobs), end_of_jobs);
    check("MAIN_END", syncline_dsm_finalize());
    check("MAIN_END", syncline_finalize());
}

void serve() {
    set_idle(true);
    const uint64_t bytes = await_change(the_job.block->memory_bytes, 0);
    if (bytes == no_memory) {
        leave_job(false);
    }
    init_memory("MAIN_INITENV", bytes);
    share_control();
    uint64_t jobs = 0;
    while ((jobs = await_change(the_job.block->jobs, jobs)) != end_of_jobs) {
        run_job(jobs);
    }
    leave_job(true);
}

void leave_function(int status) {
    if (the_job.in_function == nullptr || !is_remembered_process()) {
        return;
    }
    if (status != EXIT_SUCCESS) {
        end_job("process %d, which CREATE has made, ends with exit(%d)", syncline_rank(), status);
    }
    std::longjmp(*the_job.in_function, 1);
}

}  // namespace syncline::ports
