// SPDX-License-Identifier: BSD-3-Clause
// synclined: the node daemon's command line.
#include <spdlog/sinks/stdout_color_sinks.h>
#include <spdlog/spdlog.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <csignal>
#include <cstdio>

#include "base/version.h"
#include "daemon/daemon.h"
#include "job/bootstrap.h"

namespace {

syncline::Daemon* running = nullptr;

void on_signal(int) {
    if (running != nullptr) {
        running->stop();
    }
}

int run(int argc, char** argv) {
    CLI::App app{"synclined: serves Syncline jobs on this node. Needs root, or CAP_BPF and CAP_NET_ADMIN, for xdp."};
    syncline::Daemon::Options options;
    options.address = syncline::service_socket;
    bool private_daemon = false;
    int ready_fd = -1;
    bool verbose = false;
    app.add_option("--socket", options.address, "where to listen: a path, or @name (abstract)")->capture_default_str();
    app.add_flag("--private", private_daemon, "end with the first job and with the parent process");
    app.add_option("--ready-fd", ready_fd, "write a byte there once listening");
    app.add_option("--memory-limit", options.memory_limit,
                   "of all jobs together, with unit (8GiB); beside it holds what "
                   "the machine and the control group have left")
        ->transform(CLI::AsSizeValue(false));
    app.add_flag("--users", options.serves_users, "every user of this machine may have jobs here");
    app.add_option("--interface", options.interface, "that jobs go over; default: the one with the default route");
    app.add_flag("-v,--verbose", verbose, "log what happens");
    app.set_version_flag("--version", std::string("synclined ") + syncline::version());
    CLI11_PARSE(app, argc, argv);

    spdlog::set_default_logger(spdlog::stderr_color_mt("synclined"));
    spdlog::set_level(verbose ? spdlog::level::info : private_daemon ? spdlog::level::err : spdlog::level::warn);
    std::signal(SIGPIPE, SIG_IGN);
    rlimit descriptors = {};
    if (::getrlimit(RLIMIT_NOFILE, &descriptors) == 0) {
        descriptors.rlim_cur = descriptors.rlim_max;
        (void)::setrlimit(RLIMIT_NOFILE, &descriptors);
    }
    if (private_daemon) {
        ::prctl(PR_SET_PDEATHSIG, SIGKILL);
        std::signal(SIGINT, SIG_IGN);  // Ctrl-C is the launcher's business
    }
    options.end_with_jobs = private_daemon;
    syncline::Daemon daemon(options);
    running = &daemon;
    std::signal(SIGTERM, on_signal);
    if (!private_daemon) {
        std::signal(SIGINT, on_signal);
    }
    if (ready_fd >= 0) {
        (void)!::write(ready_fd, "r", 1);
        ::close(ready_fd);
    }
    daemon.run();
    running = nullptr;
    return 0;
}

}  // namespace

int main(int argc, char** argv) {
    try {
        return run(argc, argv);
    } catch (const std::exception& exception) {
        running = nullptr;
        std::fprintf(stderr, "synclined: %s\n", exception.what());
        return 1;
    }
}
