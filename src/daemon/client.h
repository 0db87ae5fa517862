// SPDX-License-Identifier: BSD-3-Clause
// A client of the daemon: its connection, and what it has here.
#pragma once

#include <sys/socket.h>

#include <map>
#include <memory>
#include <optional>
#include <vector>

#include "daemon/admission.h"
#include "daemon/last_words.h"
#include "daemon/node_job.h"
#include "job/protocol/channel.h"

namespace syncline {

// Returns the process that connected, which the kernel knows for every connection; otherwise a user about whom nothing
// is known.
ucred credentials_of(int connection);

struct Client {
    explicit Client(UniqueFd fd) : channel(std::move(fd)), hearer(std::make_unique<Hearer>(channel.fd())) {}

    Channel channel;
    std::unique_ptr<Hearer> hearer;  // ends before the channel closes
    ucred credentials = {};
    Admission::Place place = Admission::Place::kNone;  // while it is idle
    uint64_t last_ns = 0;                              // when it last sent a message
    bool greeted = false;
    bool may_say_much = false;          // it was allowed to create jobs when it sent Hello
    bool takes = true;                  // it receives its answers
    bool paused = false;                // the daemon does not read from it
    bool building = false;              // its CreateJob is answered when the job is built
    std::optional<uint32_t> released;   // segment to release before its Deregister is answered
    std::shared_ptr<NodeJob> created;   // of a launcher: its job
    std::shared_ptr<NodeJob> made;      // of a PE: a job that its PEs hold, and this one until it attaches or ends
    std::shared_ptr<NodeJob> attached;  // of a PE: its job
    uint32_t port = 0;
    bool detached = false;
    bool resting = false;

    // Returns the job for which its requests count; NULL while it is idle.
    const NodeJob* job() const { return attached ? attached.get() : created ? created.get() : made.get(); }
    // Returns the rank of a PE that has attached.
    uint32_t rank() const;
    // Returns false to hang up: the client does not receive. One that is gone takes no answer, but may have said more,
    // which is read before its end is: a thread of a PE asks while another aborts the job.
    bool send_answer(const Message& answer, const std::vector<int>& fds = {});
};

using Clients = std::map<int, std::unique_ptr<Client>>;  // by the descriptor of the connection

// Sends the message to the launcher of a job, if it has one.
void tell_launcher(const Clients& clients, const NodeJob* job, const Message& message);
// Tells the launcher of the PE's job how the PE is.
void tell_member(const Clients& clients, const Client& pe, MemberState state);

}  // namespace syncline
