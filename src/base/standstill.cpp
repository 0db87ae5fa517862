// SPDX-License-Identifier: BSD-3-Clause
#include "base/standstill.h"

#include <dirent.h>
#include <fcntl.h>
#include <link.h>
#include <sched.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/single_threaded.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstring>
#include <ctime>
#include <string>
#include <string_view>
#include <vector>

#include "base/emulator.h"
#include "base/interruptions.h"
#include "base/leading_number.h"
#include "base/process_state.h"
#include "base/standstill_helper.h"
#include "base/unique_fd.h"

namespace syncline {
namespace {

standstill::Helper* helper = nullptr;  // its memory is kept for the next time
pid_t helper_process = 0;
bool is_named = false;  // the helper is named as this process's tracer

// ---- With a helper --------------------------------------------------------------------------------------------------

// Yama's first level: a process can be traced by its ancestors, and by the process that it names. An MPI library may
// have named another one already, which stays if the helper may trace without being named.
bool names_its_tracer() {
    const UniqueFd file(::open("/proc/sys/kernel/yama/ptrace_scope", O_RDONLY | O_CLOEXEC));
    char level = '0';
    return file && ::read(file.get(), &level, 1) == 1 && level == '1';
}

bool has_helper_memory() {
    if (helper == nullptr) {
        void* const memory = ::mmap(nullptr, sizeof(standstill::Helper), PROT_READ | PROT_WRITE,
                                    MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
        helper = memory != MAP_FAILED ? static_cast<standstill::Helper*>(memory) : nullptr;
    }
    return helper != nullptr;
}

// The helper has all signals blocked, because its handlers are the program's, and no signal tells of its end.
bool start_helper() {
    {
        const Uninterrupted caller;
        helper_process = ::clone(standstill::help, helper->stack + standstill::stack_bytes, CLONE_VM, helper);
    }
    if (helper_process < 0) {
        return false;
    }
    if (is_named) {
        (void)::prctl(PR_SET_PTRACER, helper_process, 0, 0, 0);
    }
    __atomic_store_n(&helper->may_begin, 1, __ATOMIC_RELEASE);
    standstill::futex_wake(&helper->may_begin);
    return true;
}

// valgrind does not support processes that share memory.
bool is_under_valgrind() {
    const auto look = [](dl_phdr_info* object, size_t, void*) {
        return std::strstr(object->dlpi_name, "/vgpreload_core") != nullptr ? 1 : 0;
    };
    return ::dl_iterate_phdr(look, nullptr) != 0;
}

bool start_helper(StandstillWork before, StandstillWork after, void* context, bool named) {
    if (is_under_valgrind() || !proc_is_ours()) {
        return false;
    }
    const UniqueFd tasks(::open("/proc/self/task", O_RDONLY | O_DIRECTORY | O_CLOEXEC));
    if (!tasks || !has_helper_memory()) {
        return false;
    }
    is_named = named;
    helper->process = ::getpid();
    helper->caller = static_cast<pid_t>(::syscall(SYS_gettid));
    helper->tasks = tasks.get();
    helper->before = before;
    helper->after = after;
    helper->context = context;
    helper->may_begin = helper->happened = helper->count = 0;
    helper->outcome = standstill::kStarting;
    return start_helper();
}

void await_helper() {
    while (::waitpid(helper_process, nullptr, __WALL) < 0 && errno == EINTR) {
    }
    if (is_named) {
        (void)::prctl(PR_SET_PTRACER, 0, 0, 0, 0);
    }
    helper_process = 0;
}

bool helper_has_ended() {
    siginfo_t info = {};
    return ::waitid(P_PID, static_cast<id_t>(helper_process), &info, WEXITED | WNOHANG | WNOWAIT | __WALL) != 0 ||
           info.si_pid != 0;
}

Standstill result() {
    switch (__atomic_load_n(&helper->outcome, __ATOMIC_ACQUIRE)) {
        case standstill::kDone:
            return Standstill::kDone;
        case standstill::kNotInTime:
            return Standstill::kNotInTime;
        case standstill::kFailed:
            return Standstill::kFailed;
        default:
            return Standstill::kNotPermitted;
    }
}

// ---- Without a helper -----------------------------------------------------------------------------------------------

struct Sleeper {
    int thread;
    long turns;  // how often it has yielded a CPU
    bool operator==(const Sleeper&) const = default;
};

// Returns the number in a line "<name>: <number>"; 0: the line has another name.
long number_in(const char* line, std::string_view name) {
    return std::string_view(line).starts_with(name) ? leading_number(line + name.size()) : 0;
}

// Returns false if the thread does not sleep.
bool read_sleeper(const char* name, Sleeper* sleeper) {
    const std::string path = std::string("/proc/self/task/") + name + "/status";
    std::FILE* const file = std::fopen(path.c_str(), "re");
    char line[256];
    char state = 'R';
    sleeper->thread = static_cast<int>(leading_number(name));
    sleeper->turns = 0;
    while (file != nullptr && std::fgets(line, sizeof(line), file) != nullptr) {
        (void)std::sscanf(line, "State: %c", &state);
        sleeper->turns += number_in(line, "voluntary_ctxt_switches:") + number_in(line, "nonvoluntary_ctxt_switches:");
    }
    if (file != nullptr) {
        std::fclose(file);
    }
    return state == 'S';
}

// Finds all other threads. Returns false if one does not sleep, or if they are not known.
bool find_sleepers(std::vector<Sleeper>* sleepers) {
    const long own = ::syscall(SYS_gettid);
    DIR* const folder = ::opendir("/proc/self/task");
    bool found = folder != nullptr;
    sleepers->clear();
    for (const dirent* entry = nullptr; found && (entry = ::readdir(folder)) != nullptr;) {
        Sleeper sleeper = {};
        if (entry->d_name[0] != '.' && leading_number(entry->d_name) != own) {
            found = read_sleeper(entry->d_name, &sleeper);
            sleepers->push_back(sleeper);
        }
    }
    if (folder != nullptr) {
        ::closedir(folder);
    }
    return found;
}

// A thread that slept before and after, and had no CPU in between, has written nothing.
Standstill run_while_others_sleep(StandstillWork work, void* context, Standstill otherwise) {
    constexpr int tries = 100;
    std::vector<Sleeper> before;
    std::vector<Sleeper> after;
    bool asleep = false;
    for (int i = 0; i < tries && !(asleep = find_sleepers(&before)); i++) {
        const timespec pause = {0, 1'000'000};
        ::nanosleep(&pause, nullptr);
    }
    if (!asleep) {
        return otherwise;
    }
    if (!work(context)) {
        return Standstill::kFailed;
    }
    return find_sleepers(&after) && before == after ? Standstill::kDone : Standstill::kDisturbed;
}

Standstill run_in_helper(StandstillWork work, void* context, bool named) {
    if (!start_helper(work, nullptr, context, named)) {
        return Standstill::kNotPermitted;
    }
    const int error = errno;
    await_helper();
    errno = error;
    return result();
}

Standstill run_in_helper(StandstillWork work, void* context) {
    const Standstill outcome = run_in_helper(work, context, false);
    return outcome == Standstill::kNotPermitted && names_its_tracer() ? run_in_helper(work, context, true) : outcome;
}

}  // namespace

const char* reason_of(Standstill outcome) {
    return outcome == Standstill::kFailed ? "there is no memory for a copy"
           : outcome == Standstill::kNotInTime
               ? "a thread sleeps in the kernel and does not stop"
               : "a debugger or valgrind has them, this system does not permit ptrace(), or /proc does not show them";
}

int count_threads() {
    if (__libc_single_threaded != 0 && is_emulated()) {
        return 1;
    }
    DIR* const folder = ::opendir("/proc/self/task");
    if (folder == nullptr) {
        return __libc_single_threaded != 0 ? 1 : 2;
    }
    int count = 0;
    for (const dirent* entry = nullptr; (entry = ::readdir(folder)) != nullptr;) {
        count += entry->d_name[0] != '.';
    }
    ::closedir(folder);
    return count;
}

Standstill run_at_standstill(StandstillWork work, void* context) {
    if (count_threads() == 1) {
        return work(context) ? Standstill::kDone : Standstill::kFailed;
    }
    const Standstill outcome = run_in_helper(work, context);
    return outcome == Standstill::kNotPermitted || outcome == Standstill::kNotInTime
               ? run_while_others_sleep(work, context, outcome)
               : outcome;
}

bool ForkMoment::begin(void* context) {
    return begin(context, false) || (names_its_tracer() && begin(context, true));
}

bool ForkMoment::begin(void* context, bool named) {
    if (helper != nullptr) {
        helper->happened = 0;
    }
    if (!start_helper(before_, after_, context, named)) {
        helper_process = 0;
        return false;
    }
    while (__atomic_load_n(&helper->outcome, __ATOMIC_ACQUIRE) == standstill::kStarting && !helper_has_ended()) {
        standstill::futex_wait(&helper->outcome, standstill::kStarting);
    }
    if (__atomic_load_n(&helper->outcome, __ATOMIC_ACQUIRE) != standstill::kFollows) {
        await_helper();
        return false;
    }
    return true;
}

bool ForkMoment::happened() const {
    return helper != nullptr && __atomic_load_n(&helper->happened, __ATOMIC_ACQUIRE) != 0;
}

Standstill ForkMoment::end() {
    if (helper_process != 0) {
        await_helper();
    }
    return result();
}

void ForkMoment::forget() {
    helper_process = 0;
}

}  // namespace syncline
