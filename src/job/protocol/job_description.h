// SPDX-License-Identifier: BSD-3-Clause
// A whole job as a piece of a message to or from the daemon: docs/PROTOCOL.md, part 2, "A job".
#pragma once

#include "job/job.h"
#include "job/protocol/channel.h"

namespace syncline {

void append_job(Message* message, const Job& job);

// Reads the job from `offset` to the message's end. Its numbers of nodes and PEs, its rank map and its addresses are
// valid and consistent; all other fields are as the other end wrote them. Throws Failure.
Job read_job(const Message& message, size_t offset);

}  // namespace syncline
