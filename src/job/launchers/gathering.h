// SPDX-License-Identifier: BSD-3-Clause
// How processes that a launcher has started together become a job, when no program of Syncline starts them:
//
//   1. The first process of each node asks the node's daemon for the node's offer, and shows it to all. The process of
//      rank 0 also draws the job's number and key, and shows them.
//   2. After an exchange all processes know all nodes, so each draws up the same job. The first process of each node
//      has the daemon make its part, and shows the outcome.
//   3. After a second exchange all parts are there, and all processes attach.
//
// Between steps 2 and 3, in a job over xdp, each node proves that the NICs' replies arrive (proof.h). If they do not,
// and the choice was Syncline's, all make another job, over udp. attendance.h notices a process that ends before it
// comes.
//
// The job's key travels through the launcher, which keeps it as secret as its own traffic.
#pragma once

#include "job/job.h"
#include "job/launchers/gathering_options.h"
#include "job/launchers/launcher.h"
#include "job/protocol/channel.h"

namespace syncline {

struct Gathered {
    Channel channel;  // to the daemon, with Hello exchanged
    uint32_t rank;
    uint32_t job;
    uint64_t token;
};

// Throws Failure, at all processes alike.
Gathered gather(Launcher* launcher, const GatheringOptions& options);

}  // namespace syncline
