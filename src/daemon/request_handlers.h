// SPDX-License-Identifier: BSD-3-Clause
// The answers to clients' requests: a handler for each type of message, and which clients may send it. The daemon
// hangs up on a client that sends anything else.
#pragma once

#include <span>
#include <vector>

#include "daemon/client.h"
#include "daemon/limited_log.h"
#include "daemon/node_jobs.h"
#include "daemon/settings.h"
#include "job/protocol/channel.h"

namespace syncline {

class RequestHandlers {
  public:
    // All outlive this object; `settings` may change.
    RequestHandlers(NodeJobs* jobs, const Clients& clients, const Settings& settings, LimitedLog* log)
        : jobs_(jobs), clients_(clients), settings_(settings), log_(log) {}

    // Answers a request, unless the daemon's loop is to answer it later: when the job of a CreateJob is built, or the
    // segment of a Deregister is released. Returns false to hang up.
    bool answer(Client* client, Message request);

  private:
    enum class Outcome { kAnswer, kNoAnswer, kHangUp };
    enum class Sender { kStranger, kGreeted, kTrusted, kCreator, kOfJob, kPe };

    struct Exchange {
        Client* client;
        Message request;
        Message reply;
        std::vector<int> fds;  // of the reply

        void refuse(int status, const char* sentence);
    };
    // A handler throws Failure for a request that is understood but cannot be met.
    struct Handler {
        MessageType type;
        Sender sender;
        Outcome (RequestHandlers::*handle)(Exchange* exchange);
    };
    static std::span<const Handler> handlers();
    static bool is_sender(const Client& client, Sender sender);
    Outcome handle(Exchange* exchange);

    Outcome hello(Exchange* exchange);
    Outcome create_job(Exchange* exchange);
    Outcome lend_program(Exchange* exchange);
    Outcome use_program(Exchange* exchange);
    Outcome offer(Exchange* exchange);
    Outcome prove(Exchange* exchange);
    Outcome attach(Exchange* exchange);
    Outcome statistics(Exchange* exchange);
    Outcome set_agent_mode(Exchange* exchange);
    Outcome pass_abort_on(Exchange* exchange);
    Outcome segment(Exchange* exchange);
    Outcome register_segment(Exchange* exchange);
    Outcome deregister(Exchange* exchange);
    Outcome events(Exchange* exchange);
    Outcome trace(Exchange* exchange);
    Outcome traces(Exchange* exchange);
    Outcome rest(Exchange* exchange);
    Outcome detach(Exchange* exchange);

    NodeJobs* const jobs_;
    const Clients& clients_;
    const Settings& settings_;
    LimitedLog* const log_;
};

}  // namespace syncline
