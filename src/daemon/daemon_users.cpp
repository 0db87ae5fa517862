// SPDX-License-Identifier: BSD-3-Clause
// The settings decide which users may have jobs at the daemon, which jobs, and with how much of the node.
#include <fmt/ranges.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>

#include "base/failure.h"
#include "base/memory.h"
#include "daemon/daemon.h"
#include "daemon/node_offer.h"

namespace syncline {

// Sets how much of the node's memory a job may take at most if no launcher of ours has planned it. Its PEs share that
// memory equally, because a symmetric heap grows by the same length at all of them.
void Daemon::complete(JobSpec* spec) const {
    if (spec->held_by_pes != 0) {
        const double mib = static_cast<double>(memory_left().bytes) * settings_.memory_of_job / (1 << 20);
        const auto share = static_cast<uint32_t>(std::clamp(mib, 1.0, static_cast<double>(UINT32_MAX)));
        spec->memory_mib = spec->memory_mib == 0 ? share : std::min(spec->memory_mib, share);
    }
    if (spec->agent_cpu < 0) {
        spec->agent_cpu = settings_.agent_cpu;
    }
}

bool Daemon::is_trusted(uid_t user) {
    return user == 0 || user == ::geteuid();
}

bool Daemon::may_create_jobs(const Client& client) const {
    return is_trusted(client) || settings_.serves_users || is_of_a_group(client);
}

void Daemon::check_user(const Client& client) const {
    if (may_create_jobs(client)) {
        return;
    }
    std::vector<std::string> names;
    for (const Group& group : settings_.groups) {
        names.push_back(group.name);
    }
    fail(SYNCLINE_ERR_PERMISSION,
         "user {} may not create jobs at this daemon{}{}; its administrator allows it by users.all or users.groups in "
         "synclined.toml, and a reload",
         client.credentials.uid, names.empty() ? "" : ", which serves members of ", fmt::join(names, " or "));
}

// Decides by the groups that the process had when it connected, which the kernel knows: no name service delays the
// daemon.
bool Daemon::is_of_a_group(const Client& client) const {
    std::vector<gid_t> of_process(1024);
    auto length = static_cast<socklen_t>(of_process.size() * sizeof(gid_t));
    int status = ::getsockopt(client.channel.fd(), SOL_SOCKET, SO_PEERGROUPS, of_process.data(), &length);
    if (status != 0 && errno == ERANGE) {  // the kernel has said how much room it needs
        of_process.resize(length / sizeof(gid_t));
        status = ::getsockopt(client.channel.fd(), SOL_SOCKET, SO_PEERGROUPS, of_process.data(), &length);
    }
    of_process.resize(status == 0 ? length / sizeof(gid_t) : 0);
    of_process.push_back(client.credentials.gid);
    return std::any_of(settings_.groups.begin(), settings_.groups.end(), [&](const Group& group) {
        return std::find(of_process.begin(), of_process.end(), group.id) != of_process.end();
    });
}

// A user may describe a job in any way, but on this node the job must be the user's own, use the interface that the
// user was offered, and have a number that does not keep other users from having theirs.
void Daemon::check_job_of_user(const Client& client, const Job& job) const {
    const JobSpec& spec = job.spec;
    if (is_trusted(client)) {
        return;
    }
    const uid_t user = client.credentials.uid;
    const auto his = static_cast<uint32_t>(
                         std::count_if(jobs_.begin(), jobs_.end(),
                                       [&](const auto& other) { return other.second->job().spec.owner_uid == user; })) +
                     builder_.count_of(user);
    if (his >= settings_.jobs_of_user) {
        fail(SYNCLINE_ERR_BUSY, "user {} has {} jobs on this node, as many as one may have", user, his);
    }
    if (spec.owner_uid != user || spec.held_by_pes == 0 || spec.interface[0] != '\0' || spec.agent_cpu >= 0 ||
        spec.agent_mode != AgentMode::kBlock || spec.faults.any() || !settings_.udp_ports.holds(spec.config.udp_port) ||
        job.addresses[spec.config.node] != offered_address(settings_.interfaces)) {
        fail(SYNCLINE_ERR_PERMISSION,
             "user {} may not create this job: the job must be the user's own, be held by its PEs, use the interface "
             "and UDP ports of this node's offer, and have an agent that blocks",
             user);
    }
}

void Daemon::append_offer(Message* reply) const {
    const Offer offer = make_offer(settings_.interfaces, settings_.udp_ports);
    reply->append(offer.head);
    reply->append(offer.address.bytes().data(), offer.address.bytes().size());
    reply->append(offer.xdp_obstacle.data(), offer.xdp_obstacle.size());
}

}  // namespace syncline
