// SPDX-License-Identifier: BSD-3-Clause
// A child process acts as a user without privileges, while an in-process daemon works.
#pragma once

#include <grp.h>
#include <sys/wait.h>
#include <unistd.h>

#include <functional>
#include <vector>

#include "daemon/daemon.h"

namespace syncline::testing_daemon {

constexpr uid_t other_user = 65534;

// Runs `user` as another user, who is in its own group and in `groups`. Its return value is the child's.
inline int as_other_user(Daemon* daemon, const std::function<int()>& user, const std::vector<gid_t>& groups = {}) {
    while (daemon->do_work(0) > 0) {  // nothing that the child would hold open is about to be closed
    }
    const pid_t child = ::fork();
    if (child == 0) {
        if (::setgroups(groups.size(), groups.data()) != 0 || ::setresgid(other_user, other_user, other_user) != 0 ||
            ::setresuid(other_user, other_user, other_user) != 0) {
            ::_exit(100);
        }
        ::_exit(user());
    }
    int status = 0;
    while (::waitpid(child, &status, WNOHANG) == 0) {
        daemon->do_work(20);
    }
    return WIFEXITED(status) ? WEXITSTATUS(status) : 101;
}

}  // namespace syncline::testing_daemon
