// SPDX-License-Identifier: BSD-3-Clause
// The daemon listens to each client in its turn, for a bounded time: no client, and no user, keeps it from the others.
//
// A turn of the loop takes a bounded number of new connections and one request of each client. If the idle connections
// of a user ask too often, or the connections of a job, the daemon does not read from them until their rate allows it;
// the queue of the socket then holds them back. Nor does it read from a client that waits for a segment to be released.
// New connections have one rate for all users together, because refusing costs time, too.
#include <fcntl.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <sys/timerfd.h>

#include <algorithm>

#include "base/clock.h"
#include "base/failure.h"
#include "base/os.h"
#include "daemon/daemon.h"
#include "daemon/users.h"

namespace syncline {
namespace {

using Kind = LimitedLog::Kind;

constexpr int connections_per_turn = 64;
constexpr const char* no_descriptors =
    "the daemon of this node has no descriptors left; raise the limit of open files (ulimit -n)";

// Intervals of the timer, for the kinds of work; the most urgent work decides.
constexpr uint64_t release_ns = ns_per_ms;
constexpr uint64_t work_ns = 10 * ns_per_ms;
constexpr uint64_t silence_ns = 500 * ns_per_ms;

}  // namespace

void Daemon::accept_clients() {
    const uint64_t now = now_ns();
    for (int i = 0; i < connections_per_turn; i++) {
        if (!connections_.take(now)) {
            listening_ = false;
            listen_to(listener_.get(), false);
            return;
        }
        UniqueFd fd(::accept4(listener_.get(), nullptr, nullptr, SOCK_CLOEXEC | SOCK_NONBLOCK));
        if (!fd) {
            if (errno == EMFILE || errno == ENFILE) {
                turn_away_one();
            }
            return;
        }
        admit(std::move(fd), now);
    }
}

void Daemon::admit(UniqueFd fd, uint64_t now) {
    const int number = fd.get();
    auto client = std::make_unique<Client>(std::move(fd));
    client->credentials = credentials_of(number);
    const uid_t user = client->credentials.uid;
    client->place = admission_.enter(user, jobs_.expected(user));
    if (client->place == Admission::Place::kNone) {
        log_.write(Kind::kTurnedAway, user, now, "process {} of user {} is turned away: too many idle connections",
                   client->credentials.pid, user);
        hang_up(client.get());
        return;
    }
    client->last_ns = now;
    try {
        watch(number);
    } catch (const Failure&) {
        give_up_place(client.get());
        hang_up(client.get());
        return;
    }
    clients_[number] = std::move(client);
}

// There is no descriptor left to accept the connection with, and while it is in the queue the daemon would not come to
// rest.
void Daemon::turn_away_one() {
    spare_.reset();
    if (UniqueFd fd(::accept4(listener_.get(), nullptr, nullptr, SOCK_CLOEXEC | SOCK_NONBLOCK)); fd) {
        const ucred who = credentials_of(fd.get());
        Channel channel(std::move(fd));
        Message goodbye;
        goodbye.type = MessageType::kStop;
        goodbye.append(no_descriptors, std::strlen(no_descriptors));
        (void)channel.send(goodbye);
        hang_up(who, channel.release());
    }
    spare_.reset(::open("/dev/null", O_RDONLY | O_CLOEXEC));
    if (!spare_) {  // off until a connection is closed
        listening_ = false;
        listen_to(listener_.get(), false);
    }
    log_.write(Kind::kNoDescriptors, 0, now_ns(), "a client is turned away: {}", no_descriptors);
}

void Daemon::give_up_place(Client* client) {
    admission_.leave(client->credentials.uid, std::exchange(client->place, Admission::Place::kNone));
}

bool Daemon::may_ask(const Client& client, uint64_t now) {
    if (client.place != Admission::Place::kNone) {
        return admission_.may_ask(client.credentials.uid, now);
    }
    return jobs_.may_ask(client.job()->id(), now);
}

// The launcher of a private daemon must send it descriptors; no other client need. A CreateJob may be long.
Channel::Rights Daemon::rights_of(const Client& client) const {
    return {.descriptors = options_.end_with_jobs && is_trusted(client), .long_bodies = client.may_say_much};
}

// `ended`: the other end is closed, so no message follows those that the queue holds.
void Daemon::serve(Client* client, bool ended) {
    const int fd = client->channel.fd();
    const uint64_t now = now_ns();
    if (client->building && ended) {
        drop(fd);
        return;
    }
    if ((client->released || client->building) && !ended) {
        return;
    }
    if (!may_ask(*client, now)) {
        if (!ended) {
            pause(client);
            return;
        }
        if (client->place != Admission::Place::kNone) {
            drop(fd);
            return;
        }
    }
    Message request;
    const Channel::Received received = client->channel.take_request(&request, rights_of(*client));
    if (received == Channel::Received::kNothing) {
        return;
    }
    client->last_ns = now;
    requests_++;
    if (received == Channel::Received::kMessage && handlers_.answer(client, std::move(request))) {
        if (client->job() != nullptr) {
            give_up_place(client);
        }
        if (client->building) {
            pause(client);
        }
        if (client->released) {
            pause(client);
            releasing_.push_back(fd);
            release_segments();
        }
        return;
    }
    // The launcher of a private daemon gives up with an error message of its own.
    const bool launcher_gave_up = options_.end_with_jobs && !client->takes;
    if (received != Channel::Received::kClosed && !launcher_gave_up) {
        log_.write(client->takes ? Kind::kNonsense : Kind::kNotReading, client->credentials.uid, now,
                   "process {} of user {} {}: hung up", client->credentials.pid, client->credentials.uid,
                   client->takes ? "does not speak this protocol" : "does not take its answers");
    }
    drop(fd);
}

void Daemon::listen_to(int fd, bool listen) const {
    epoll_event event = {};
    event.events = listen ? static_cast<uint32_t>(EPOLLIN) : 0;
    event.data.fd = fd;
    (void)::epoll_ctl(epoll_.get(), EPOLL_CTL_MOD, fd, &event);
}

void Daemon::pause(Client* client) {
    if (!std::exchange(client->paused, true)) {
        listen_to(client->channel.fd(), false);
        paused_.push_back(client->channel.fd());
    }
}

void Daemon::resume(Client* client) {
    if (std::exchange(client->paused, false)) {
        listen_to(client->channel.fd(), true);
    }
}

// Clients whose rate does not allow it yet are paused again when they are served.
void Daemon::resume_all() {
    if (!spare_) {
        spare_.reset(::open("/dev/null", O_RDONLY | O_CLOEXEC));
    }
    if (!std::exchange(listening_, true)) {
        listen_to(listener_.get(), true);
    }
    for (const int fd : std::exchange(paused_, {})) {
        const auto found = clients_.find(fd);
        if (found == clients_.end() || !found->second->paused) {
            continue;
        }
        if (found->second->released || found->second->building) {
            paused_.push_back(fd);
        } else {
            resume(found->second.get());
        }
    }
}

// Takes the jobs that have been built, for connections that have not ended meanwhile.
void Daemon::take_built() {
    drain_event(jobs_.built());
    for (std::optional<JobBuilder::Outcome> built; (built = jobs_.take_built());) {
        const auto found = clients_.find(built->connection);
        if (found == clients_.end()) {
            continue;
        }
        Client* const client = found->second.get();
        client->building = false;
        Message reply;
        reply.type = MessageType::kCreateJob;
        reply.status = built->status;
        reply.append(built->sentence.data(), built->sentence.size());
        if (built->status == SYNCLINE_OK) {
            jobs_.begin(built->job);
            (built->job->job().spec.held_by_pes != 0 ? client->made : client->created) = built->job;
            give_up_place(client);
        }
        built.reset();  // a job that failed is gone before its client hears that
        client->last_ns = now_ns();
        resume(client);
        if (!client->send_answer(reply)) {
            drop(found->first);
        }
    }
}

void Daemon::release_segments() {
    for (const int fd : std::exchange(releasing_, {})) {
        const auto found = clients_.find(fd);
        Client* const client = found == clients_.end() ? nullptr : found->second.get();
        if (client == nullptr || !client->released) {
            continue;
        }
        if (!client->attached->release_segment(client->port, *client->released)) {
            releasing_.push_back(fd);
            continue;
        }
        client->released.reset();
        resume(client);
        Message reply;
        reply.type = MessageType::kDeregister;
        if (!client->send_answer(reply)) {
            drop(fd);
        }
    }
}

void Daemon::plan_ticks() {
    const bool timers = jobs_.have_timers();
    const bool idle = std::any_of(clients_.begin(), clients_.end(),
                                  [](const auto& client) { return client.second->place != Admission::Place::kNone; });
    const uint64_t wanted = !releasing_.empty()                                                   ? release_ns
                            : timers || !paused_.empty() || !listening_ || undertaker_.has_work() ? work_ns
                            : idle || log_.has_summary()                                          ? silence_ns
                                                                                                  : 0;
    if (wanted != tick_ns_) {
        tick_ns_ = wanted;
        const timespec interval = {static_cast<time_t>(wanted / ns_per_s), static_cast<long>(wanted % ns_per_s)};
        const itimerspec setting = {interval, interval};
        ::timerfd_settime(timer_.get(), 0, &setting, nullptr);
    }
}

}  // namespace syncline
