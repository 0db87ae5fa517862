// SPDX-License-Identifier: BSD-3-Clause
#include "bench/measure/resident_daemons.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>

#include "base/failure.h"
#include "base/unique_fd.h"
#include "launch/child.h"

namespace syncline::bench {

ResidentDaemons::ResidentDaemons(const std::vector<testbed::Node>& nodes)
    : socket_(fmt::format("@syncline-bench-{}", ::getpid())) {
    try {
        for (const testbed::Node& node : nodes) {
            start(node.netns.get(), node.interface);
        }
        if (nodes.empty()) {
            start(-1, "lo");
        }
    } catch (...) {
        end();
        throw;
    }
}

ResidentDaemons::~ResidentDaemons() {
    end();
}

// A daemon writes a byte when it listens; the pipe ends without one if the daemon does.
void ResidentDaemons::start(int netns, const std::string& interface) {
    int ready[2];
    if (::pipe(ready) != 0) {
        fail_errno(SYNCLINE_ERR_SYSTEM, "cannot create a pipe");
    }
    const UniqueFd reader(ready[0]);
    UniqueFd writer(ready[1]);
    ::fcntl(reader.get(), F_SETFD, FD_CLOEXEC);
    ChildSpec child;
    // Ignores the configuration of this machine's own daemon.
    child.argv = {installed_program("synclined"),
                  "--config",
                  "/dev/null",
                  "--socket",
                  socket_,
                  "--interface",
                  interface,
                  "--ready-fd",
                  std::to_string(writer.get())};
    child.netns = netns;
    child.own_group = true;
    processes_.push_back(start_child(child));
    writer.reset();
    char byte;
    if (::read(reader.get(), &byte, 1) != 1) {
        fail(SYNCLINE_ERR_NODE, "the daemon of node {} did not start", processes_.size() - 1);
    }
}

void ResidentDaemons::end() {
    for (const pid_t process : processes_) {
        ::kill(process, SIGTERM);
    }
    for (const pid_t process : processes_) {
        ::waitpid(process, nullptr, 0);
    }
    processes_.clear();
}

}  // namespace syncline::bench
