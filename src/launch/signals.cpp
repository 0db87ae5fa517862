// SPDX-License-Identifier: BSD-3-Clause
#include "launch/signals.h"

#include <sys/signalfd.h>
#include <unistd.h>

#include <csignal>

namespace syncline {
namespace {

constexpr int passed_on[] = {SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGUSR1, SIGUSR2, SIGCONT, SIGTSTP};

}  // namespace

Signals::Signals() {
    std::signal(SIGPIPE, SIG_IGN);
    std::signal(SIGCHLD, SIG_DFL);  // ignored by some parents, it would leave nothing to wait for
    sigset_t set;
    sigemptyset(&set);
    sigaddset(&set, SIGCHLD);
    for (const int signal : passed_on) {
        sigaddset(&set, signal);
    }
    ::sigprocmask(SIG_BLOCK, &set, nullptr);
    descriptor_.reset(::signalfd(-1, &set, SFD_NONBLOCK | SFD_CLOEXEC));
}

std::optional<int> Signals::take() {
    signalfd_siginfo info;
    if (::read(descriptor_.get(), &info, sizeof(info)) != sizeof(info)) {
        return std::nullopt;
    }
    return static_cast<int>(info.ssi_signo);
}

}  // namespace syncline
