// SPDX-License-Identifier: BSD-3-Clause
#include "launch/statistics_server.h"

#include <fmt/format.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cstring>

#include "base/failure.h"

namespace syncline {
namespace {

bool may_ask(const Channel& client, uid_t owner) {
    ucred peer = {};
    socklen_t length = sizeof(peer);
    return client.valid() && ::getsockopt(client.fd(), SOL_SOCKET, SO_PEERCRED, &peer, &length) == 0 &&
           (peer.uid == 0 || peer.uid == ::geteuid() || peer.uid == owner);
}

Message answer_or_failure(const Message& request, const StatisticsServer::Answer& answer) {
    try {
        return answer(request);
    } catch (const Failure& failure) {
        Message refusal;
        refusal.type = request.type;
        refusal.status = failure.status();
        refusal.append(failure.what(), std::strlen(failure.what()));
        return refusal;
    }
}

bool pass_on(Channel* client, const Message& message) {
    std::vector<int> fds;
    for (const UniqueFd& fd : message.fds) {
        fds.push_back(fd.get());
    }
    return client->send(message, std::move(fds));
}

}  // namespace

void StatisticsServer::listen(const JobSpec& spec) {
    listener_ = Channel::listen(fmt::format("@syncline/job-{:08x}", spec.config.job), 0600);
    owner_ = spec.owner_uid;
}

void StatisticsServer::serve(const Answer& answer) {
    Channel client(UniqueFd(::accept4(listener_.get(), nullptr, nullptr, SOCK_CLOEXEC)));
    if (!may_ask(client, owner_)) {
        return;
    }
    const timeval limit = {1, 0};
    ::setsockopt(client.fd(), SOL_SOCKET, SO_RCVTIMEO, &limit, sizeof(limit));
    Message request;
    while (client.receive(&request, true) == Channel::Received::kMessage) {
        if (!pass_on(&client, answer_or_failure(request, answer))) {
            return;
        }
    }
}

}  // namespace syncline
