// SPDX-License-Identifier: BSD-3-Clause
// A client goes, or the daemon hangs up on it: everything that it held here is given back, and jobs end that lived by
// it.
#include <sys/epoll.h>
#include <sys/socket.h>

#include <algorithm>

#include "base/clock.h"
#include "daemon/daemon.h"
#include "daemon/users.h"

namespace syncline {

// The loop must not make a close that may wait (undertaker.h).
void Daemon::hang_up(const ucred& who, UniqueFd connection) {
    if (is_trusted(who.uid)) {
        connection.reset();
    } else if (connection) {
        undertaker_.take(who.uid, std::move(connection));
    }
}

void Daemon::hang_up(Client* client) {
    client->hearer.reset();
    hang_up(client->credentials, client->channel.release());
}

// Clients that wait to be accepted may have sent descriptors, too. After this no more can come.
void Daemon::turn_away_all() {
    (void)::shutdown(listener_.get(), SHUT_RDWR);
    for (UniqueFd fd; (fd = UniqueFd(::accept4(listener_.get(), nullptr, nullptr, SOCK_CLOEXEC | SOCK_NONBLOCK)));) {
        const ucred who = credentials_of(fd.get());
        hang_up(who, std::move(fd));
    }
}

void Daemon::drop(int fd) {
    const auto found = clients_.find(fd);
    const std::unique_ptr<Client> client = std::move(found->second);
    clients_.erase(found);
    give_up_place(client.get());
    jobs_.forget(fd);
    (void)::epoll_ctl(epoll_.get(), EPOLL_CTL_DEL, fd, nullptr);
    hang_up(client.get());
    if (client->attached && !client->detached && client->resting) {
        client->attached->close_port(client->port);  // the launcher knows that the PE has left
    } else if (client->attached && !client->detached) {
        log_.write(LimitedLog::Kind::kGone, client->credentials.uid, now_ns(), "PE {} is gone without saying so",
                   client->rank());
        tell_member(clients_, *client, MemberState::kGone);  // the launcher hears the cause before its consequences
        client->attached->port_died(client->port);
    }
    if (client->created) {
        jobs_.end(client->created->id());
        drop_processes_of(*client->created);
    }
    jobs_.end_if([this](const NodeJob& job) { return is_deserted(job); });
}

// The processes learn the end of their job when the daemon hangs up.
void Daemon::drop_processes_of(const NodeJob& job) {
    std::vector<int> processes;
    for (const auto& [fd, client] : clients_) {
        if (client->attached.get() == &job) {
            client->detached = true;  // there is nothing left to recover
            processes.push_back(fd);
        }
    }
    for (const int process : processes) {
        if (clients_.contains(process)) {
            drop(process);  // the process may have created a job itself
        }
    }
}

// A job that its PEs hold ends when none of them is left, nor the connection that made it.
bool Daemon::is_deserted(const NodeJob& job) const {
    return job.job().spec.held_by_pes != 0 && std::none_of(clients_.begin(), clients_.end(), [&](const auto& entry) {
               const Client& client = *entry.second;
               return client.made.get() == &job || (client.attached.get() == &job && !client.detached);
           });
}

void Daemon::drop_silent(uint64_t now) {
    std::vector<int> silent;
    for (const auto& [fd, client] : clients_) {
        const uint64_t patience = client->greeted ? options_.admission.idle_ns : options_.admission.first_message_ns;
        if (client->place != Admission::Place::kNone && !client->paused && now > client->last_ns + patience) {
            log_.write(LimitedLog::Kind::kSilent, client->credentials.uid, now,
                       "process {} of user {} sends no message: hung up", client->credentials.pid,
                       client->credentials.uid);
            silent.push_back(fd);
        }
    }
    for (const int fd : silent) {
        drop(fd);
    }
}

}  // namespace syncline
