// SPDX-License-Identifier: BSD-3-Clause
#include "launch/keeper.h"

#include <dirent.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>

#include "base/clock.h"
#include "base/leading_number.h"
#include "base/process_state.h"

namespace syncline {
namespace {

constexpr uint64_t patience_ns = 5 * ns_per_s;  // with processes that cannot be killed: in the kernel, or another's
constexpr timespec turn = {0, 5'000'000};

// A child's number stays its own until this process has reaped it: nothing else can be hit.
void kill_children() {
    DIR* const processes = ::opendir("/proc");
    if (processes == nullptr) {
        return;
    }
    const pid_t self = ::getpid();
    while (const dirent* const entry = ::readdir(processes)) {
        const auto process = static_cast<pid_t>(leading_number(entry->d_name));
        if (process > 0 && process_state(process).parent == self) {
            ::kill(process, SIGKILL);
        }
    }
    ::closedir(processes);
}

// Kills and reaps until there is no child left, or patience is. Returns how the program ended.
int end_everything(pid_t program) {
    int status = SIGKILL;  // as wait() says it
    sigset_t child;
    sigemptyset(&child);
    sigaddset(&child, SIGCHLD);
    // The program has not been reaped, so that its group is its own. Most jobs end here: their group is all there is.
    ::kill(-program, SIGKILL);
    for (const uint64_t start = now_ns(); now_ns() - start < patience_ns;) {
        int of_one = 0;
        pid_t pid;
        while ((pid = ::waitpid(-1, &of_one, WNOHANG)) > 0) {
            status = pid == program ? of_one : status;
        }
        if (pid < 0) {
            break;
        }
        if (now_ns() - start > 2 * static_cast<uint64_t>(turn.tv_nsec)) {
            kill_children();
        }
        ::sigtimedwait(&child, nullptr, &turn);
    }
    return status;
}

// Reaps orphans; true once the program has ended, which is not reaped.
bool program_has_ended(pid_t program) {
    for (;;) {
        siginfo_t info = {};
        if (::waitid(P_ALL, 0, &info, WEXITED | WNOHANG | WNOWAIT) != 0 || info.si_pid == 0) {
            return false;
        }
        if (info.si_pid == program) {
            return true;
        }
        ::waitpid(info.si_pid, nullptr, 0);
    }
}

[[noreturn]] void end_like(int status) {
    if (WIFSIGNALED(status)) {
        const rlimit no_core = {0, 0};  // the program has left its own
        ::setrlimit(RLIMIT_CORE, &no_core);
        ::prctl(PR_SET_DUMPABLE, 0);
        sigset_t others;
        sigfillset(&others);
        sigdelset(&others, WTERMSIG(status));
        std::signal(WTERMSIG(status), SIG_DFL);
        ::kill(::getpid(), WTERMSIG(status));
        ::sigprocmask(SIG_SETMASK, &others, nullptr);
    }
    ::_exit(WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status));
}

[[noreturn]] void keep(pid_t program) {
    // Not the launcher's name: `killall -9 syncline` must leave the keeper to do its work.
    ::prctl(PR_SET_NAME, "pe-keeper");
    ::close_range(0, ~0U, 0);
    sigset_t all;
    sigfillset(&all);
    for (;;) {
        const int signal = ::sigwaitinfo(&all, nullptr);
        if (signal == end_signal || (signal == SIGCHLD && program_has_ended(program))) {
            end_like(end_everything(program));
        }
        if (signal > 0 && signal != SIGCHLD) {
            ::kill(-program, signal);
        }
    }
}

}  // namespace

pid_t become_kept(pid_t launcher) {
    sigset_t all;
    sigfillset(&all);
    ::sigprocmask(SIG_SETMASK, &all, nullptr);
    std::signal(SIGCHLD, SIG_DFL);
    ::setpgid(0, 0);  // a terminal's signals come once, through the launcher
    ::prctl(PR_SET_CHILD_SUBREAPER, 1);
    ::prctl(PR_SET_PDEATHSIG, end_signal);
    if (::getppid() != launcher) {
        ::_exit(1);
    }
    const pid_t keeper = ::getpid();
    const pid_t program = ::fork();
    if (program < 0) {
        return -1;
    }
    if (program == 0) {
        return keeper;
    }
    ::setpgid(program, program);  // the program does so too: whichever is first
    keep(program);
}

void signal_kept(pid_t keeper, int signal) {
    ::kill(keeper, signal == SIGKILL ? end_signal : signal);
}

}  // namespace syncline
