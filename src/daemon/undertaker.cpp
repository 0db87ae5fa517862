// SPDX-License-Identifier: BSD-3-Clause
#include "daemon/undertaker.h"

#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>

namespace syncline {
namespace {

// Runs in the process, which has one of the daemon's threads. The descriptors close as it exits.
[[noreturn]] void wait_for_the_end(pid_t daemon) {
    ::prctl(PR_SET_PDEATHSIG, SIGKILL);
    while (::getppid() == daemon) {
        ::pause();
    }
    ::_exit(0);
}

bool is_over(pid_t process) {
    return ::waitpid(process, nullptr, WNOHANG) != 0;
}

}  // namespace

void Undertaker::take(uid_t user, UniqueFd connection) {
    (void)::shutdown(connection.get(), SHUT_RDWR);
    users_[user].connections.push_back(std::move(connection));
}

void Undertaker::do_work() {
    for (auto& [id, user] : users_) {
        user.process = user.process != 0 && is_over(user.process) ? 0 : user.process;
        if (user.process == 0 && !user.connections.empty()) {
            bury(&user);
        }
    }
    std::erase_if(users_,
                  [](const auto& entry) { return entry.second.process == 0 && entry.second.connections.empty(); });
}

// If no process can be made, it tries again in the next turn. Only the daemon handles signals.
void Undertaker::bury(User* user) {
    sigset_t all, before;
    sigfillset(&all);
    ::pthread_sigmask(SIG_SETMASK, &all, &before);
    const pid_t daemon = ::getpid();
    const pid_t process = ::fork();
    if (process == 0) {
        wait_for_the_end(daemon);
    }
    ::pthread_sigmask(SIG_SETMASK, &before, nullptr);
    if (process > 0) {
        user->process = process;
        user->connections.clear();
        ::kill(process, SIGKILL);
    }
}

Undertaker::~Undertaker() {
    for (auto& [id, user] : users_) {
        if (!user.connections.empty()) {
            bury(&user);
        }
    }
    // The processes have the daemon's other descriptors as well, such as its socket. They are killed and about to end.
    for (int turn = 0; turn < 100 && has_work(); turn++) {
        std::erase_if(users_,
                      [](const auto& entry) { return entry.second.process == 0 || is_over(entry.second.process); });
        (void)::usleep(1000);
    }
}

}  // namespace syncline
