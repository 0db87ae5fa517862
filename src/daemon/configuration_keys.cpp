// SPDX-License-Identifier: BSD-3-Clause
#include "daemon/configuration_keys.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "base/memory.h"
#include "daemon/configuration_values.h"
#include "job/bootstrap.h"

namespace syncline {
namespace {

std::string flag_text(bool flag) {
    return flag ? "true" : "false";
}

std::string limit_text(uint64_t bytes, const char* none) {
    return bytes == UINT64_MAX ? none : format_bytes(bytes);
}

std::string groups_text(const std::vector<Group>& groups) {
    std::vector<std::string> names;
    std::transform(groups.begin(), groups.end(), std::back_inserter(names),
                   [](const Group& group) { return group.name; });
    return names.empty() ? "(none)" : fmt::format("{}", fmt::join(names, ", "));
}

using From = const toml::node&;
using To = Configuration*;
using Of = const Configuration&;

}  // namespace

const std::vector<ConfigurationKey>& configuration_keys() {
    static const std::vector<ConfigurationKey> keys = {
        {"agent.cpu", "CPU of the host agents, which execute the requests of jobs over udp",
         [](From node, To to) { to->settings.agent_cpu = cpu_of(node); },
         [](Of of) {
             return of.settings.agent_cpu < 0 ? "(the kernel chooses)" : std::to_string(of.settings.agent_cpu);
         }},
        {"memory.job_share", "share of the memory that is left that a new job may take",
         [](From node, To to) { to->settings.memory_of_job = share_of(node); },
         [](Of of) { return fmt::format("{}", of.settings.memory_of_job); }},
        {"memory.limit", "memory that the jobs of all users may take together",
         [](From node, To to) { to->settings.memory_limit = bytes_of(node); },
         [](Of of) { return limit_text(of.settings.memory_limit, "(three quarters of the memory that is left)"); }},
        {"network.interfaces", "jobs go over the first of these that this machine has, with an address",
         [](From node, To to) { to->settings.interfaces = interfaces_of(node); },
         [](Of of) { return fmt::format("{}", fmt::join(of.settings.interfaces, ", ")); }},
        {"network.udp_ports", "first and last of the UDP ports that jobs may use",
         [](From node, To to) { to->settings.udp_ports = udp_ports_of(node); },
         [](Of of) { return fmt::format("{} to {}", of.settings.udp_ports.first, of.settings.udp_ports.last); }},
        {"socket", "where programs find the daemon: a path, or @name",
         [](From node, To to) { to->socket = socket_of(node); },
         [](Of of) { return of.socket.value_or(service_socket); }},
        {"users.all", "every user of this machine may have jobs here",
         [](From node, To to) { to->settings.serves_users = flag_of(node); },
         [](Of of) { return flag_text(of.settings.serves_users); }},
        {"users.groups", "members of these groups may have jobs here",
         [](From node, To to) { to->settings.groups = groups_of(node); },
         [](Of of) { return groups_text(of.settings.groups); }},
        {"users.jobs", "jobs that a user may have here at once",
         [](From node, To to) { to->settings.jobs_of_user = uint32_t(number_of(node, 1, UINT16_MAX)); },
         [](Of of) { return std::to_string(of.settings.jobs_of_user); }},
        {"users.memory", "memory that the jobs of a user may take together",
         [](From node, To to) { to->settings.memory_of_user = bytes_of(node); },
         [](Of of) { return limit_text(of.settings.memory_of_user, "(no limit)"); }},
        {"verbose", "the daemon says what happens, not only what is wrong",
         [](From node, To to) { to->verbose = flag_of(node); }, [](Of of) { return flag_text(of.verbose); }},
    };
    return keys;
}

}  // namespace syncline
