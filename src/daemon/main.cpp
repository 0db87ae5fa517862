// SPDX-License-Identifier: BSD-3-Clause
// synclined: the node daemon's command line.
#include <spdlog/spdlog.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <csignal>
#include <cstdio>
#include <filesystem>

#include "base/standard_descriptors.h"
#include "base/version.h"
#include "daemon/command_line.h"
#include "daemon/daemon.h"
#include "daemon/last_words.h"
#include "daemon/service_manager.h"
#include "job/bootstrap.h"

namespace {

using syncline::CommandLine;
using syncline::Configuration;
using syncline::Daemon;

Daemon* running = nullptr;

void on_signal(int signal) {
    if (running == nullptr) {
        return;
    }
    if (signal == SIGHUP) {
        running->ask_to_reload();
    } else {
        running->stop();
    }
}

void set_level(bool verbose) {
    spdlog::set_level(verbose ? spdlog::level::info : spdlog::level::warn);
}

// A broken file changes no setting.
void reload(const CommandLine& line, const std::string& address, Daemon* daemon) {
    syncline::notify_manager("RELOADING=1");
    try {
        const Configuration read = line.read();
        if (read.socket.value_or(syncline::service_socket) != address) {
            spdlog::warn("the daemon listens at '{}' until it is started again", address);
        }
        set_level(read.verbose);
        daemon->change(read.settings);
        spdlog::info("the configuration has been read again");
    } catch (const std::exception& exception) {
        spdlog::error("{}; the old configuration stays", exception.what());
    }
    syncline::notify_manager("READY=1");
}

int check_configuration(const CommandLine& line) {
    const std::optional<std::string> file = line.file();
    (void)line.read();
    std::printf(
        "%s\n",
        file ? fmt::format("{} is in order", *file).c_str()
             : fmt::format("there is no {}; without it all defaults hold", syncline::configuration_path).c_str());
    return 0;
}

// systemd makes the service's folder; a daemon started by hand makes it itself.
void make_folder(const std::string& address) {
    const std::filesystem::path folder = std::filesystem::path(address).parent_path();
    if (address == syncline::service_socket && ::mkdir(folder.c_str(), 0755) == 0) {
        ::chmod(folder.c_str(), 0755);
    }
}

void raise_limits() {
    rlimit descriptors = {};
    if (::getrlimit(RLIMIT_NOFILE, &descriptors) == 0) {
        descriptors.rlim_cur = descriptors.rlim_max;
        (void)::setrlimit(RLIMIT_NOFILE, &descriptors);
    }
}

void take_signals(bool private_daemon) {
    std::signal(SIGPIPE, SIG_IGN);
    std::signal(SIGTERM, on_signal);
    std::signal(SIGHUP, private_daemon ? SIG_DFL : on_signal);
    std::signal(SIGINT, private_daemon ? SIG_IGN : on_signal);  // the launcher of a private daemon handles Ctrl-C
    if (private_daemon) {
        ::prctl(PR_SET_PDEATHSIG, SIGKILL);
    }
    syncline::leave_last_words();
}

int serve(const CommandLine& line) {
    const Configuration configuration = line.read();
    set_level(configuration.verbose);
    raise_limits();
    Daemon::Options options;
    options.address = configuration.socket.value_or(syncline::service_socket);
    options.end_with_jobs = line.private_daemon;
    options.prepares_for_xdp = !line.private_daemon;
    options.settings = configuration.settings;
    options.reload = [&](Daemon* daemon) { reload(line, options.address, daemon); };
    make_folder(options.address);
    Daemon daemon(options);
    running = &daemon;
    take_signals(line.private_daemon);
    if (line.ready_fd >= 0) {
        (void)!::write(line.ready_fd, "r", 1);
        ::close(line.ready_fd);
    }
    syncline::notify_manager("READY=1\nSTATUS=Serving jobs at " + options.address);
    spdlog::info("serving jobs at '{}'", options.address);
    daemon.run();
    running = nullptr;
    syncline::notify_manager("STOPPING=1");
    return 0;
}

int run(int argc, char** argv) {
    CLI::App app{"synclined: serves Syncline jobs on this node. Needs CAP_BPF, CAP_NET_ADMIN and CAP_PERFMON for xdp."};
    CommandLine line;
    line.add_to(&app);
    app.set_version_flag("--version", std::string("synclined ") + syncline::version());
    CLI11_PARSE(app, argc, argv);
    spdlog::set_default_logger(syncline::make_logger());
    return line.check_configuration ? check_configuration(line) : serve(line);
}

}  // namespace

int main(int argc, char** argv) {
    syncline::fill_standard_descriptors();
    try {
        return run(argc, argv);
    } catch (const std::exception& exception) {
        running = nullptr;
        std::fprintf(stderr, "%ssynclined: %s\n", syncline::logs_to_journal() ? "<3>" : "", exception.what());
        return 1;
    }
}
