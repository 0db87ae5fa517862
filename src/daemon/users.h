// SPDX-License-Identifier: BSD-3-Clause
// The settings decide which users may have jobs at the daemon, which jobs, and with how much of the node.
#pragma once

#include <sys/types.h>

#include <cstdint>

#include "daemon/client.h"
#include "daemon/settings.h"
#include "job/job.h"

namespace syncline {

// Root and the daemon's own user.
bool is_trusted(uid_t user);
inline bool is_trusted(const Client& client) {
    return is_trusted(client.credentials.uid);
}
bool may_create_jobs(const Client& client, const Settings& settings);

// Throws Failure unless the client's user may have jobs here.
void check_user(const Client& client, const Settings& settings);
// A user may describe a job in any way, but on this node the job must be the user's own, use the interface that the
// user was offered, and have a number that does not keep other users from having theirs. Throws Failure. `there`: the
// jobs that the user has.
void check_job_of_user(const Client& client, const Job& job, const Settings& settings, uint32_t there);

// Sets how much of the node's memory a job may take at most if no launcher of ours has planned it. Its PEs share that
// memory equally, because a symmetric heap grows by the same length at all of them.
void complete_spec(JobSpec* spec, const Settings& settings);

}  // namespace syncline
