// SPDX-License-Identifier: BSD-3-Clause
#include <fcntl.h>
#include <sched.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdlib>

#include "base/failure.h"
#include "testbed/testbed.h"

namespace syncline::testbed {
namespace {

constexpr size_t error_text_max = 2000;

// The step at which the child failed before it became the command. The child writes it whole to a pipe that exec
// closes.
struct Mishap {
    enum Call : int { kNone, kSetns, kExec } call = kNone;
    int error = 0;
};

struct Pipe {
    UniqueFd read;
    UniqueFd write;
};

Pipe make_pipe() {
    int fds[2];
    if (::pipe2(fds, O_CLOEXEC) != 0) {
        fail_errno(SYNCLINE_ERR_SYSTEM, "making a pipe failed");
    }
    return {UniqueFd(fds[0]), UniqueFd(fds[1])};
}

// Runs between fork and exec of a program that may have threads: makes only calls that are safe in a signal handler.
[[noreturn]] void become(int netns_fd, char* const* argv, int error_fd, int mishap_fd) {
    Mishap mishap{Mishap::kSetns, 0};
    if (::setns(netns_fd, CLONE_NEWNET) == 0) {
        mishap.call = Mishap::kExec;
        ::dup2(error_fd, STDERR_FILENO);
        ::execvp(argv[0], argv);
    }
    mishap.error = errno;
    const ssize_t written = ::write(mishap_fd, &mishap, sizeof mishap);
    ::_exit(written == sizeof mishap ? 127 : 126);
}

std::string read_all(int fd) {
    std::string text;
    char buffer[512];
    for (;;) {
        const ssize_t got = ::read(fd, buffer, sizeof buffer);
        if (got < 0 && errno == EINTR) {
            continue;
        }
        if (got <= 0) {
            return text;
        }
        if (text.size() < error_text_max) {
            text.append(buffer, static_cast<size_t>(got));
        }
    }
}

std::string one_line(std::string text) {
    std::replace(text.begin(), text.end(), '\n', ' ');
    text.erase(text.find_last_not_of(' ') + 1);
    return text.empty() ? "it wrote nothing to standard error" : text;
}

std::string joined(const std::vector<std::string>& argv) {
    std::string text;
    for (const std::string& word : argv) {
        text += (text.empty() ? "" : " ") + word;
    }
    return text;
}

int wait_for(pid_t child) {
    int state = 0;
    while (::waitpid(child, &state, 0) < 0) {
        if (errno != EINTR) {
            fail_errno(SYNCLINE_ERR_SYSTEM, "waiting for process {} failed", child);
        }
    }
    return state;
}

void judge(const std::vector<std::string>& argv, const Mishap& mishap, int state, const std::string& errors) {
    errno = mishap.error;
    if (mishap.call == Mishap::kSetns) {
        fail_errno(errno == EPERM ? SYNCLINE_ERR_PERMISSION : SYNCLINE_ERR_SYSTEM,
                   "entering a network namespace to run '{}' failed (this needs CAP_SYS_ADMIN)", joined(argv));
    }
    if (mishap.call == Mishap::kExec) {
        fail_errno(errno == ENOENT ? SYNCLINE_ERR_NOT_FOUND : SYNCLINE_ERR_SYSTEM,
                   "the command '{}' could not be run (install it or add its folder to PATH)", argv[0]);
    }
    if (WIFSIGNALED(state)) {
        fail(SYNCLINE_ERR_SYSTEM, "'{}' in a network namespace was ended by signal {}: {}", joined(argv),
             WTERMSIG(state), one_line(errors));
    }
    if (WEXITSTATUS(state) != 0) {
        fail(SYNCLINE_ERR_SYSTEM, "'{}' in a network namespace exited with {}: {}", joined(argv), WEXITSTATUS(state),
             one_line(errors));
    }
}

}  // namespace

void run_in_netns(int netns_fd, const std::vector<std::string>& argv) {
    if (argv.empty()) {
        fail(SYNCLINE_ERR_INVALID, "run_in_netns() needs a command");
    }
    std::vector<char*> words;
    for (const std::string& word : argv) {
        words.push_back(const_cast<char*>(word.c_str()));
    }
    words.push_back(nullptr);
    Pipe errors = make_pipe();
    Pipe mishaps = make_pipe();
    const pid_t child = ::fork();
    if (child < 0) {
        fail_errno(SYNCLINE_ERR_SYSTEM, "fork() to run '{}' failed", joined(argv));
    }
    if (child == 0) {
        become(netns_fd, words.data(), errors.write.get(), mishaps.write.get());
    }
    errors.write.reset();
    mishaps.write.reset();
    Mishap mishap;
    // Nothing comes if exec succeeded, because the pipe closes then.
    if (::read(mishaps.read.get(), &mishap, sizeof mishap) != static_cast<ssize_t>(sizeof mishap)) {
        mishap = Mishap{};
    }
    const std::string text = read_all(errors.read.get());
    judge(argv, mishap, wait_for(child), text);
}

}  // namespace syncline::testbed
