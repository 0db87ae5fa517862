// SPDX-License-Identifier: BSD-3-Clause
#include "daemon/users.h"

#include <fmt/ranges.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>

#include "base/failure.h"
#include "base/memory.h"
#include "daemon/node_offer.h"

namespace syncline {
namespace {

// Decides by the groups that the process had when it connected, which the kernel knows: no name service delays the
// daemon.
bool is_of_a_group(const Client& client, const std::vector<Group>& groups) {
    std::vector<gid_t> of_process(1024);
    auto length = static_cast<socklen_t>(of_process.size() * sizeof(gid_t));
    int status = ::getsockopt(client.channel.fd(), SOL_SOCKET, SO_PEERGROUPS, of_process.data(), &length);
    if (status != 0 && errno == ERANGE) {  // the kernel has said how much room it needs
        of_process.resize(length / sizeof(gid_t));
        status = ::getsockopt(client.channel.fd(), SOL_SOCKET, SO_PEERGROUPS, of_process.data(), &length);
    }
    of_process.resize(status == 0 ? length / sizeof(gid_t) : 0);
    of_process.push_back(client.credentials.gid);
    return std::any_of(groups.begin(), groups.end(), [&](const Group& group) {
        return std::find(of_process.begin(), of_process.end(), group.id) != of_process.end();
    });
}

}  // namespace

bool is_trusted(uid_t user) {
    return user == 0 || user == ::geteuid();
}

bool may_create_jobs(const Client& client, const Settings& settings) {
    return is_trusted(client) || settings.serves_users || is_of_a_group(client, settings.groups);
}

void check_user(const Client& client, const Settings& settings) {
    if (may_create_jobs(client, settings)) {
        return;
    }
    std::vector<std::string> names;
    for (const Group& group : settings.groups) {
        names.push_back(group.name);
    }
    fail(SYNCLINE_ERR_PERMISSION,
         "user {} may not create jobs at this daemon{}{}; its administrator allows it by users.all or users.groups in "
         "synclined.toml, and a reload",
         client.credentials.uid, names.empty() ? "" : ", which serves members of ", fmt::join(names, " or "));
}

void check_job_of_user(const Client& client, const Job& job, const Settings& settings, uint32_t there) {
    const JobSpec& spec = job.spec;
    if (is_trusted(client)) {
        return;
    }
    const uid_t user = client.credentials.uid;
    if (there >= settings.jobs_of_user) {
        fail(SYNCLINE_ERR_BUSY, "user {} has {} jobs on this node, as many as one may have", user, there);
    }
    if (spec.owner_uid != user || spec.held_by_pes == 0 || spec.interface[0] != '\0' || spec.agent_cpu >= 0 ||
        spec.agent_mode != AgentMode::kBlock || spec.faults.any() || !settings.udp_ports.holds(spec.config.udp_port) ||
        job.addresses[spec.config.node] != offered_address(settings.interfaces)) {
        fail(SYNCLINE_ERR_PERMISSION,
             "user {} may not create this job: the job must be the user's own, be held by its PEs, use the interface "
             "and UDP ports of this node's offer, and have an agent that blocks",
             user);
    }
}

void complete_spec(JobSpec* spec, const Settings& settings) {
    if (spec->held_by_pes != 0) {
        const double mib = static_cast<double>(memory_left().bytes) * settings.memory_of_job / (1 << 20);
        const auto share = static_cast<uint32_t>(std::clamp(mib, 1.0, static_cast<double>(UINT32_MAX)));
        spec->memory_mib = spec->memory_mib == 0 ? share : std::min(spec->memory_mib, share);
    }
    if (spec->agent_cpu < 0) {
        spec->agent_cpu = settings.agent_cpu;
    }
}

}  // namespace syncline
