// SPDX-License-Identifier: BSD-3-Clause
#include "node/daemon.h"

#include <spdlog/spdlog.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/timerfd.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/failure.h"
#include "base/host.h"

namespace syncline {
namespace {

constexpr size_t clients_max = 4096;
constexpr itimerspec tick = {{0, 10'000'000}, {0, 10'000'000}};
constexpr itimerspec no_tick = {};

// A daemon that was killed leaves its socket's name behind; one that lives answers.
void clear_stale(const std::string& address) {
    if (address.empty() || address[0] == '@' || ::access(address.c_str(), F_OK) != 0) {
        return;
    }
    try {
        Channel::connect(address);
    } catch (const Failure&) {
        ::unlink(address.c_str());
        return;
    }
    fail(SYNCLINE_ERR_BUSY, "another synclined listens at '{}'", address);
}

bool sane(const Job& job) {
    const JobSpec& spec = job.spec;
    const fw_config& config = spec.config;
    const auto nodes = static_cast<uint32_t>(job.nodes.size());
    uint32_t next_rank = 0;
    for (const JobNode& node : job.nodes) {
        if (node.first_rank != next_rank || node.ports < 1 || node.ports > SLW_PORTS_MAX ||
            (node.address.family != AF_INET && node.address.family != AF_INET6)) {
            return false;
        }
        next_rank += node.ports;
    }
    return config.ranks == next_rank && config.node < nodes && config.first_rank == job.nodes[config.node].first_rank &&
           config.ports == job.nodes[config.node].ports && config.job != 0 && config.nodes == nodes && nodes >= 1 &&
           nodes <= SLW_NODES_MAX && config.node < nodes && config.ranks >= 1 && config.ranks <= SLW_RANKS_MAX &&
           config.ports >= 1 && config.ports <= SLW_PORTS_MAX && config.first_rank < config.ranks &&
           config.ports <= config.ranks - config.first_rank && config.window >= 1 && config.window <= SLW_WINDOW_MAX &&
           config.udp_port >= 1 && config.udp_port <= 65535 && spec.heap_bytes >= 2 * heap_reserved_bytes &&
           spec.heap_bytes <= segment_length_max && spec.heap_bytes % SLW_BLOCK_BYTES == 0 &&
           spec.transport <= TransportKind::kXdp && spec.agent_mode <= AgentMode::kBlock &&
           spec.interface[sizeof(spec.interface) - 1] == '\0';
}

}  // namespace

Daemon::Daemon(const Options& options) : options_(options) {
    clear_stale(options_.address);
    listener_ = Channel::listen(options_.address, 0666);
    epoll_.reset(::epoll_create1(EPOLL_CLOEXEC));
    stop_event_.reset(::eventfd(0, EFD_NONBLOCK | EFD_CLOEXEC));
    timer_.reset(::timerfd_create(CLOCK_MONOTONIC, TFD_NONBLOCK | TFD_CLOEXEC));
    if (!epoll_ || !stop_event_ || !timer_) {
        fail_errno(SYNCLINE_ERR_SYSTEM, "synclined cannot create its event loop");
    }
    watch(listener_.get());
    watch(stop_event_.get());
    watch(timer_.get());
}

Daemon::~Daemon() {
    if (!options_.address.empty() && options_.address[0] != '@') {
        ::unlink(options_.address.c_str());
    }
}

void Daemon::watch(int fd) const {
    epoll_event event = {};
    event.events = EPOLLIN;
    event.data.fd = fd;
    if (::epoll_ctl(epoll_.get(), EPOLL_CTL_ADD, fd, &event) != 0) {
        fail_errno(SYNCLINE_ERR_SYSTEM, "synclined cannot watch a descriptor");
    }
}

void Daemon::stop() {
    signal_event(stop_event_.get());
}

void Daemon::run() {
    while (!stopping_ && !(options_.end_with_jobs && had_job_ && jobs_.empty())) {
        do_work(-1);
    }
}

int Daemon::do_work(int timeout_ms) {
    epoll_event events[32];
    const int count = ::epoll_wait(epoll_.get(), events, 32, timeout_ms);
    for (int i = 0; i < count; i++) {
        const int fd = events[i].data.fd;
        if (fd == listener_.get()) {
            accept_client();
        } else if (fd == stop_event_.get()) {
            stopping_ = true;
        } else if (fd == timer_.get()) {
            run_timers();
        } else if (const auto client = clients_.find(fd); client != clients_.end()) {
            serve(client->second.get());
        }
    }
    return count;
}

void Daemon::run_timers() {
    uint64_t ticks;
    (void)!::read(timer_.get(), &ticks, sizeof(ticks));
    const uint64_t now = now_ns();
    for (const auto& [id, job] : jobs_) {
        job->do_work(now);
    }
}

void Daemon::accept_client() {
    UniqueFd fd(::accept4(listener_.get(), nullptr, nullptr, SOCK_CLOEXEC | SOCK_NONBLOCK));
    if (!fd) {
        return;
    }
    auto client = std::make_unique<Client>();
    socklen_t length = sizeof(client->credentials);
    if (::getsockopt(fd.get(), SOL_SOCKET, SO_PEERCRED, &client->credentials, &length) != 0) {
        return;
    }
    const int number = fd.get();
    if (clients_.size() >= clients_max) {
        spdlog::warn("more than {} clients: process {} is turned away", clients_max, client->credentials.pid);
        return;
    }
    watch(number);
    client->channel = Channel(std::move(fd));
    clients_[number] = std::move(client);
}

void Daemon::serve(Client* client) {
    const int fd = client->channel.fd();
    Message request;
    switch (client->channel.receive(&request, false)) {
        case Channel::Received::kNothing:
            return;
        case Channel::Received::kMessage:
            if (answer(client, request)) {
                return;
            }
            [[fallthrough]];
        case Channel::Received::kNonsense:
            spdlog::warn("a client (process {}) does not speak this protocol: dropped", client->credentials.pid);
            break;
        case Channel::Received::kClosed:
            break;
    }
    drop(fd);
}

void Daemon::drop(int fd) {
    const auto found = clients_.find(fd);
    const std::unique_ptr<Client> client = std::move(found->second);
    clients_.erase(found);
    if (client->attached && !client->detached && client->resting) {
        client->attached->close_port(client->port);
    } else if (client->attached && !client->detached) {
        spdlog::info("PE {} is gone without saying so", client->attached->job().spec.config.first_rank + client->port);
        client->attached->port_died(client->port);
    }
    if (client->created) {
        jobs_.erase(client->created->id());
        // Processes of the job that are still connected learn it by being hung up on.
        std::vector<int> processes;
        for (const auto& [other_fd, other] : clients_) {
            if (other->attached == client->created) {
                other->detached = true;  // there is nothing left to recover
                processes.push_back(other_fd);
            }
        }
        for (const int process : processes) {
            if (clients_.contains(process)) {
                drop(process);  // it may have created a job itself
            }
        }
        if (jobs_.empty()) {
            ::timerfd_settime(timer_.get(), 0, &no_tick, nullptr);
        }
    }
}

bool Daemon::answer(Client* client, const Message& request) {
    Message reply;
    std::vector<int> fds;
    reply.type = request.type;
    if (!client->greeted && request.type != MessageType::kHello) {
        return false;
    }
    try {
        switch (request.type) {
            case MessageType::kHello:
                client->greeted = request.version == daemon_version;
                break;
            case MessageType::kCreateJob:
                create_job(client, request);
                break;
            case MessageType::kAttach:
                attach(client, request, &reply, &fds);
                break;
            case MessageType::kStat: {
                const std::string text = statistics(*client);
                reply.append(text.data(), text.size());
                break;
            }
            case MessageType::kAgentMode: {
                AgentModeRequest mode;
                if (!request.read(&mode) || mode.mode > static_cast<uint32_t>(AgentMode::kBlock) || !client->created ||
                    client->created->id() != mode.job) {
                    return false;
                }
                client->created->set_agent_mode(static_cast<AgentMode>(mode.mode));
                break;
            }
            case MessageType::kAbort:
                abort_job(*client, request);
                return true;  // asks for no answer
            default:
                if (!client->attached || !answer_process(client, request, &reply, &fds)) {
                    return false;
                }
        }
    } catch (const Failure& failure) {
        reply = {};
        fds.clear();
        reply.type = request.type;
        reply.status = failure.status();
        reply.append(failure.what(), std::strlen(failure.what()));
    } catch (const std::exception& exception) {
        reply = {};
        fds.clear();
        reply.type = request.type;
        reply.status = SYNCLINE_ERR_NO_MEMORY;
        reply.append(exception.what(), std::strlen(exception.what()));
    }
    return client->channel.send(reply, fds);
}

void Daemon::create_job(Client* client, const Message& request) {
    Job job;
    if (client->credentials.uid != 0 && client->credentials.uid != ::geteuid()) {
        fail(SYNCLINE_ERR_PERMISSION, "user {} may not create jobs at this daemon; ask its owner",
             client->credentials.uid);
    }
    if (client->created || !request.read(&job.spec) || (request.body.size() - sizeof(JobSpec)) % sizeof(JobNode) != 0) {
        fail(SYNCLINE_ERR_PROTOCOL, "the description of the job is too short, or it is this connection's second");
    }
    job.nodes.resize((request.body.size() - sizeof(JobSpec)) / sizeof(JobNode));
    for (size_t i = 0; i < job.nodes.size(); i++) {
        (void)request.read(&job.nodes[i], sizeof(JobSpec) + i * sizeof(JobNode));
    }
    if (!sane(job)) {
        fail(SYNCLINE_ERR_INVALID, "the description of the job is out of bounds: {} nodes, {} ranks, {} ports here",
             job.nodes.size(), job.spec.config.ranks, job.spec.config.ports);
    }
    if (jobs_.contains(job.spec.config.job)) {
        fail(SYNCLINE_ERR_BUSY, "job {:08x} runs here already", job.spec.config.job);
    }
    client->created = std::make_shared<NodeJob>(std::move(job));
    jobs_[client->created->id()] = client->created;
    had_job_ = true;
    if (client->created->has_timer()) {
        ::timerfd_settime(timer_.get(), 0, &tick, nullptr);
    }
}

void Daemon::attach(Client* client, const Message& request, Message* reply, std::vector<int>* fds) {
    AttachRequest wanted;
    if (!request.read(&wanted) || client->attached) {
        fail(SYNCLINE_ERR_PROTOCOL, "the request to attach is too short, or it is this connection's second");
    }
    const auto job = jobs_.find(wanted.job);
    if (job == jobs_.end()) {
        fail(SYNCLINE_ERR_NOT_FOUND, "job {:08x} does not run here, or no longer", wanted.job);
    }
    if (client->credentials.uid != 0 && client->credentials.uid != job->second->job().spec.owner_uid) {
        fail(SYNCLINE_ERR_PERMISSION, "job {:08x} belongs to another user", wanted.job);
    }
    job->second->attach(wanted, reply, fds, &client->port);
    client->attached = job->second;
}

bool Daemon::answer_process(Client* client, const Message& request, Message* reply, std::vector<int>* fds) {
    SegmentAnswer segment = {};
    if (request.type == MessageType::kSegment || request.type == MessageType::kDeregister) {
        SegmentRequest wanted;
        if (!request.read(&wanted)) {
            return false;
        }
        if (request.type == MessageType::kDeregister) {
            if (wanted.port != client->port) {
                fail(SYNCLINE_ERR_PERMISSION, "only the PE itself may end a registration of port {}", wanted.port);
            }
            client->attached->deregister_segment(client->port, wanted.segment);
        } else {
            fds->push_back(client->attached->segment(wanted, &segment));
            reply->append(segment);
        }
        return true;
    }
    if (request.type == MessageType::kRegister) {
        RegisterRequest wanted;
        if (!request.read(&wanted)) {
            return false;
        }
        fds->push_back(client->attached->register_segment(client->port, wanted.bytes, &segment));
        reply->append(segment);
        return true;
    }
    if (request.type == MessageType::kRest) {
        RestRequest wanted;
        if (!request.read(&wanted) || wanted.rests > 1) {
            return false;
        }
        client->resting = wanted.rests != 0;
        return true;
    }
    if (request.type == MessageType::kDetach) {
        client->detached = true;
        client->attached->close_port(client->port);
        return true;
    }
    return false;
}

void Daemon::abort_job(const Client& client, const Message& request) {
    for (const auto& [fd, other] : clients_) {
        if (other->created && other->created == client.attached) {
            (void)other->channel.send(request);
        }
    }
}

std::string Daemon::statistics(const Client& client) {
    std::string text = "[";
    for (const auto& [id, job] : jobs_) {
        if (client.credentials.uid == 0 || client.credentials.uid == job->job().spec.owner_uid) {
            text += (text.size() > 1 ? "," : "") + job->statistics();
        }
    }
    return text + "]";
}

}  // namespace syncline
