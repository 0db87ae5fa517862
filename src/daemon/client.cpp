// SPDX-License-Identifier: BSD-3-Clause
#include "daemon/client.h"

namespace syncline {

ucred credentials_of(int connection) {
    ucred credentials = {};
    socklen_t length = sizeof(credentials);
    if (::getsockopt(connection, SOL_SOCKET, SO_PEERCRED, &credentials, &length) != 0) {
        credentials.uid = static_cast<uid_t>(-1);
    }
    return credentials;
}

uint32_t Client::rank() const {
    const Job& job = attached->job();
    return job.map.rank_at(job.spec.config.node, port);
}

bool Client::send_answer(const Message& answer, const std::vector<int>& fds) {
    takes = channel.send(answer, fds) || channel.is_hung_up();
    return takes;
}

void tell_launcher(const Clients& clients, const NodeJob* job, const Message& message) {
    for (const auto& [fd, client] : clients) {
        if (client->created && client->created.get() == job) {
            (void)client->channel.send(message);
        }
    }
}

void tell_member(const Clients& clients, const Client& pe, MemberState state) {
    Message notice;
    notice.type = MessageType::kMember;
    notice.append(MemberNotice{pe.rank(), state});
    tell_launcher(clients, pe.attached.get(), notice);
}

}  // namespace syncline
