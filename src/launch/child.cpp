// SPDX-License-Identifier: BSD-3-Clause
#include "launch/child.h"

#include <fcntl.h>
#include <grp.h>
#include <pwd.h>
#include <sched.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <filesystem>

#include "base/failure.h"
#include "base/unique_fd.h"
#include "launch/keeper.h"

namespace syncline {
namespace {

void redirect(int from, int to) {
    if (from >= 0) {
        ::dup2(from, to);
    }
}

// In the child. Only returns on failure, with errno.
void execute(const ChildSpec& spec, pid_t parent) {
    sigset_t none;
    sigemptyset(&none);
    ::sigprocmask(SIG_SETMASK, &none, nullptr);
    std::signal(SIGPIPE, SIG_DFL);
    if (spec.own_group || spec.kept) {
        ::setpgid(0, 0);
    }
    if (spec.netns >= 0 && ::setns(spec.netns, CLONE_NEWNET) != 0) {
        return;
    }
    if (!spec.cpus.empty() && !run_on(spec.cpus)) {
        return;
    }
    redirect(spec.stdin_fd, STDIN_FILENO);
    redirect(spec.stdout_fd, STDOUT_FILENO);
    redirect(spec.stderr_fd, STDERR_FILENO);
    if (spec.setup) {
        spec.setup();
    }
    if (spec.open_files != nullptr) {
        ::setrlimit(RLIMIT_NOFILE, spec.open_files);
    }
    if (spec.change_user) {
        become_user(spec.uid);
    }
    // After the change of user, which would undo it. No parent is left to signal if it is gone already.
    ::prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (::getppid() != parent) {
        ::_exit(1);
    }
    if (!spec.directory.empty() && ::chdir(spec.directory.c_str()) != 0) {
        return;
    }
    for (const std::string& variable : spec.environment) {
        ::putenv(const_cast<char*>(variable.c_str()));
    }
    std::vector<char*> argv;
    for (const std::string& argument : spec.argv) {
        argv.push_back(const_cast<char*>(argument.c_str()));
    }
    argv.push_back(nullptr);
    ::execvp(argv[0], argv.data());
}

}  // namespace

void become_user(uid_t uid) {
    const passwd* const entry = ::getpwuid(uid);
    const gid_t gid = entry != nullptr ? entry->pw_gid : uid;
    if (entry != nullptr ? ::initgroups(entry->pw_name, gid) != 0 : ::setgroups(0, nullptr) != 0) {
        ::_exit(126);
    }
    if (::setgid(gid) != 0 || ::setuid(uid) != 0) {
        ::_exit(126);
    }
}

pid_t start_child(const ChildSpec& spec) {
    int report[2];
    if (::pipe2(report, O_CLOEXEC) != 0) {
        fail_errno(SYNCLINE_ERR_SYSTEM, "cannot create a pipe");
    }
    UniqueFd reader(report[0]);
    UniqueFd writer(report[1]);
    const pid_t parent = ::getpid();
    const pid_t pid = ::fork();
    if (pid < 0) {
        fail_errno(SYNCLINE_ERR_SYSTEM, "cannot start {}", spec.argv[0]);
    }
    if (pid == 0) {
        if (const pid_t above = spec.kept ? become_kept(parent) : parent; above > 0) {
            execute(spec, above);
        }
        const int error = errno;
        (void)!::write(writer.get(), &error, sizeof(error));
        ::_exit(127);
    }
    if (spec.own_group || spec.kept) {
        ::setpgid(pid, pid);  // the child does so too: whichever is first
    }
    writer.reset();
    int error = 0;
    if (::read(reader.get(), &error, sizeof(error)) == sizeof(error)) {
        ::waitpid(pid, nullptr, 0);
        errno = error;
        fail_errno(error == ENOENT ? SYNCLINE_ERR_NOT_FOUND : SYNCLINE_ERR_SYSTEM, "cannot start '{}'", spec.argv[0]);
    }
    return pid;
}

std::string installed_program(const std::string& name) {
    std::error_code error, ignored;
    const std::filesystem::path here = std::filesystem::read_symlink("/proc/self/exe", error).parent_path();
    if (error) {
        fail(SYNCLINE_ERR_UNSUPPORTED,
             "cannot read /proc/self/exe ({}): is /proc mounted? The launcher finds {} and the processes of PEs there",
             error.message(), name);
    }
    for (const std::filesystem::path& candidate :
         {here / name, here / ".." / "tools" / name, here / ".." / ".." / "tools" / name, here / ".." / "sbin" / name,
          here / ".." / "libexec" / "syncline" / name, here / ".." / "bench" / name}) {
        if (std::filesystem::exists(candidate, ignored)) {
            return std::filesystem::weakly_canonical(candidate, ignored).string();
        }
    }
    fail(SYNCLINE_ERR_NOT_FOUND, "the program {} is not installed beside {}", name, here.string());
}

}  // namespace syncline
