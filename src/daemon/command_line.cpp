// SPDX-License-Identifier: BSD-3-Clause
#include "daemon/command_line.h"

#include <unistd.h>

#include <CLI/CLI.hpp>
#include <algorithm>

#include "base/failure.h"
#include "daemon/configuration_values.h"
#include "job/bootstrap.h"

namespace syncline {
namespace {

// Puts the option's name into the message for a value that is refused.
template <typename Check>
auto of_option(const char* option, Check&& check) {
    try {
        return check();
    } catch (const Failure& failure) {
        fail(failure.status(), "{} {}", option, failure.what());
    }
}

}  // namespace

void CommandLine::add_to(CLI::App* app) {
    app->add_option("--config", configuration, fmt::format("configuration to read; default: {}", configuration_path))
        ->type_name("FILE");
    app->add_flag("--check-config", check_configuration, "say whether the configuration is in order, and end");
    app->add_option("--socket", socket,
                    fmt::format("where to listen: a path, or @name (abstract); default: {}", service_socket));
    app->add_flag("--private", private_daemon, "end with the first job and with the parent process");
    app->add_option("--ready-fd", ready_fd, "write a byte there once listening");
    app->add_option("--memory-limit", memory_limit,
                    "for all jobs together, with unit (8GiB); the memory that the machine "
                    "and the control group have left is a limit as well");
    app->add_flag("--users", serves_users, "every user of this machine may have jobs here");
    app->add_option("--group", groups, "members of this group may have jobs here (the option may be repeated)")
        ->type_name("NAME")
        ->allow_extra_args(false);
    app->add_option("--interface", interfaces,
                    "for jobs (if the option is repeated, the first one that this machine has); default: the one with "
                    "the default route")
        ->allow_extra_args(false);
    app->add_option("--agent-cpu", agent_cpu, "CPU of the agents that execute requests of jobs over udp");
    app->add_flag("-v,--verbose", verbose, "log what happens");
}

std::optional<std::string> CommandLine::file() const {
    if (configuration || private_daemon || ::access(configuration_path, F_OK) != 0) {
        return configuration;
    }
    return configuration_path;
}

Configuration CommandLine::read() const {
    const std::optional<std::string> path = file();
    Configuration read = path ? read_configuration(*path) : Configuration();
    Settings& settings = read.settings;
    if (socket) {
        read.socket = socket;
    }
    if (!interfaces.empty()) {
        of_option("--interface", [&] { std::for_each(interfaces.begin(), interfaces.end(), check_interface); });
        settings.interfaces = interfaces;
    }
    if (!groups.empty()) {
        settings.groups.clear();
        std::transform(groups.begin(), groups.end(), std::back_inserter(settings.groups),
                       [](const std::string& name) { return of_option("--group", [&] { return find_group(name); }); });
    }
    settings.serves_users = settings.serves_users || serves_users;
    if (memory_limit) {
        settings.memory_limit = of_option("--memory-limit", [&] { return size_of_text(*memory_limit); });
    }
    if (agent_cpu) {
        of_option("--agent-cpu", [&] { check_cpu(*agent_cpu); });
        settings.agent_cpu = static_cast<int32_t>(*agent_cpu);
    }
    read.verbose = read.verbose || verbose;
    return read;
}

}  // namespace syncline
