// SPDX-License-Identifier: BSD-3-Clause
// Starting processes so that nothing outlives the launcher: every child dies with it, even when it is killed, and a
// child that is kept takes with it all that it has started.
#pragma once

#include <sys/resource.h>
#include <sys/types.h>

#include <functional>
#include <string>
#include <vector>

#include "launch/cpus.h"

namespace syncline {

struct ChildSpec {
    std::vector<std::string> argv;
    std::vector<std::string> environment;  // added to the launcher's
    std::string directory;                 // where it starts; empty: in the launcher's
    int netns = -1;
    bool own_group = false;  // its own process group
    bool kept = false;       // under a keeper (keeper.h), whose process id start_child() returns; has its own group
    bool change_user = false;
    uid_t uid = 0;
    int stdin_fd = -1;  // -1: the launcher's
    int stdout_fd = -1;
    int stderr_fd = -1;
    const rlimit* open_files = nullptr;  // the limit of them; NULL: the launcher's
    Cpus cpus;                           // where it runs, with all that it starts; none: where the launcher may
    std::function<void()> setup;         // runs in the child right before exec
};

// Forks and executes; throws Failure if the program cannot be executed.
pid_t start_child(const ChildSpec& spec);

// In a child: its groups are those of the user from then on. Ends the process if that cannot be.
void become_user(uid_t uid);

// The program of this installation with that name, next to the running one. Throws Failure.
std::string installed_program(const std::string& name);

}  // namespace syncline
