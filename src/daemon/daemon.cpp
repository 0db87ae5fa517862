// SPDX-License-Identifier: BSD-3-Clause
#include "daemon/daemon.h"

#include <fcntl.h>
#include <sched.h>
#include <spdlog/spdlog.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/stat.h>
#include <sys/timerfd.h>
#include <unistd.h>

#include <algorithm>

#include "base/clock.h"
#include "base/counted.h"
#include "base/failure.h"
#include "base/os.h"
#include "daemon/addresses.h"
#include "daemon/node_offer.h"
#include "job/job_description.h"

#ifndef SO_PASSRIGHTS
#define SO_PASSRIGHTS 83  // from Linux 6.16; an older kernel does not know it
#endif

namespace syncline {
namespace {

// Less than the timer's intervals, which are not exact.
constexpr uint64_t job_work_ns = 5 * ns_per_ms;
constexpr uint64_t silence_check_ns = 400 * ns_per_ms;

void log_line(LimitedLog::Kind kind, const std::string& line) {
    using Kind = LimitedLog::Kind;
    const bool is_news = kind == Kind::kGone || kind == Kind::kRefused || kind == Kind::kJob;
    const spdlog::level::level_enum level = is_news                        ? spdlog::level::info
                                            : kind == Kind::kNoDescriptors ? spdlog::level::err
                                                                           : spdlog::level::warn;
    spdlog::log(level, "{}", line);
}

// A daemon that was killed leaves its socket's name behind; a living daemon answers.
void clear_stale(const std::string& address) {
    struct stat found = {};
    if (address.empty() || address[0] == '@' || ::lstat(address.c_str(), &found) != 0) {
        return;
    }
    if (!S_ISSOCK(found.st_mode)) {
        fail(SYNCLINE_ERR_INVALID, "'{}', where the daemon is to listen, exists and is no socket", address);
    }
    try {
        Channel::connect(address);
    } catch (const Failure&) {
        ::unlink(address.c_str());
        return;
    }
    fail(SYNCLINE_ERR_BUSY, "another synclined listens at '{}'", address);
}

// read_job() has checked the nodes and ranks.
bool sane(const JobSpec& spec) {
    const fw_config& config = spec.config;
    return config.job != 0 && config.window >= 1 && config.window <= SLW_WINDOW_MAX && config.udp_port >= 1 &&
           config.udp_port <= 65535 && spec.heap_bytes >= 2 * heap_reserved_bytes &&
           spec.heap_bytes <= segment_length_max && spec.heap_bytes % SLW_BLOCK_BYTES == 0 &&
           is_transport(spec.transport) && spec.agent_mode <= AgentMode::kBlock && spec.agent_cpu >= -1 &&
           spec.agent_cpu < CPU_SETSIZE && spec.interface[sizeof(spec.interface) - 1] == '\0';
}

}  // namespace

Daemon::Daemon(const Options& options)
    : options_(options),
      settings_(options.settings),
      memory_(settings_.memory_limit, "/proc", settings_.memory_of_user),
      programs_(!options_.end_with_jobs),
      admission_(options.admission, ::geteuid()),
      connections_(options.admission.connections),
      log_(log_line),
      spare_(::open("/dev/null", O_RDONLY | O_CLOEXEC)) {
    clear_stale(options_.address);
    listener_ = Channel::listen(options_.address, 0666);
    epoll_.reset(::epoll_create1(EPOLL_CLOEXEC));
    signal_event_.reset(::eventfd(0, EFD_NONBLOCK | EFD_CLOEXEC));
    timer_.reset(::timerfd_create(CLOCK_MONOTONIC, TFD_NONBLOCK | TFD_CLOEXEC));
    ::fcntl(listener_.get(), F_SETFL, O_NONBLOCK);
    if (options_.refuses_descriptors && !options_.end_with_jobs) {
        const int none = 0;  // connections inherit the option
        (void)::setsockopt(listener_.get(), SOL_SOCKET, SO_PASSRIGHTS, &none, sizeof(none));
    }
    if (!epoll_ || !signal_event_ || !timer_ || !spare_) {
        fail_errno(SYNCLINE_ERR_SYSTEM, "synclined cannot create its event loop");
    }
    watch(listener_.get());
    watch(signal_event_.get());
    watch(timer_.get());
    watch(builder_.fd());
    if (options_.prepares_for_xdp) {
        builder_.add_first([this, interfaces = settings_.interfaces] { prepare_for_xdp(interfaces); });
    }
}

// Loads the NIC program, so that jobs need not wait for the verifier. If a job cannot have xdp, it reports the reason
// itself.
void Daemon::prepare_for_xdp(const std::vector<std::string>& interfaces) {
    try {
        const std::string interface = interface_with_xdp(interfaces);
        if (!interface.empty()) {
            programs_.prepare(interface, longest_packet_over(interface));
        }
    } catch (const std::exception& failure) {
        spdlog::debug("no NIC program is loaded ahead: {}", failure.what());
    }
}

Daemon::~Daemon() {
    for (auto& [fd, client] : clients_) {
        hang_up(client.get());
    }
    turn_away_all();
    listener_.reset();  // before a process of the undertaker could inherit it
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
    stop_asked_ = true;
    signal_event(signal_event_.get());
}

void Daemon::ask_to_reload() {
    reload_asked_ = true;
    signal_event(signal_event_.get());
}

void Daemon::take_signal() {
    drain_event(signal_event_.get());
    stopping_ = stopping_ || stop_asked_;
    if (reload_asked_.exchange(false) && options_.reload) {
        options_.reload(this);
    }
}

void Daemon::change(const Settings& settings) {
    settings_ = settings;
    memory_.set_limits(settings_.memory_limit, settings_.memory_of_user);
}

void Daemon::run() {
    try {
        while (!stopping_ && !(options_.end_with_jobs && had_job_ && jobs_.empty())) {
            do_work(-1);
        }
    } catch (const std::exception& exception) {
        say_goodbye(fmt::format("ended: {}", exception.what()));
        throw;
    }
    say_goodbye("was stopped");
}

// A client that does not receive the message learns the end when the daemon hangs up.
void Daemon::say_goodbye(const std::string& end) {
    for (const auto& [fd, client] : clients_) {
        if (const NodeJob* const job = client->job(); job != nullptr && !client->detached) {
            Message goodbye;
            goodbye.type = MessageType::kStop;
            const std::string sentence = fmt::format("the daemon of node {} {}", job->job().spec.config.node, end);
            goodbye.append(sentence.data(), sentence.size());
            (void)client->channel.send(goodbye);
        }
    }
}

int Daemon::do_work(int timeout_ms) {
    epoll_event events[32];
    const int count = ::epoll_wait(epoll_.get(), events, 32, timeout_ms);
    for (int i = 0; i < count; i++) {
        const int fd = events[i].data.fd;
        if (fd == listener_.get()) {
            accept_clients();
        } else if (fd == signal_event_.get()) {
            take_signal();
        } else if (fd == timer_.get()) {
            run_timers();
        } else if (fd == builder_.fd()) {
            take_built();
        } else if (const auto client = clients_.find(fd); client != clients_.end()) {
            serve(client->second.get(), (events[i].events & EPOLLHUP) != 0);
        }
    }
    plan_ticks();
    return count;
}

void Daemon::run_timers() {
    uint64_t ticks;
    (void)!::read(timer_.get(), &ticks, sizeof(ticks));
    const uint64_t now = now_ns();
    if (now >= jobs_worked_ns_ + job_work_ns) {
        jobs_worked_ns_ = now;
        for (const auto& [id, job] : jobs_) {
            job->do_work(now);
        }
    }
    release_segments();
    undertaker_.do_work();
    resume_all();
    if (now >= looked_for_silent_ns_ + silence_check_ns) {
        looked_for_silent_ns_ = now;
        drop_silent(now);
        log_.summarise(now);
        admission_.forget_idle(now);
    }
}

void Daemon::drop(int fd) {
    const auto found = clients_.find(fd);
    const std::unique_ptr<Client> client = std::move(found->second);
    clients_.erase(found);
    give_up_place(client.get());
    builder_.forget(fd);
    (void)::epoll_ctl(epoll_.get(), EPOLL_CTL_DEL, fd, nullptr);
    hang_up(client.get());
    if (client->attached && !client->detached && client->resting) {
        client->attached->close_port(client->port);  // the launcher knows that the PE has left
    } else if (client->attached && !client->detached) {
        log_.write(LimitedLog::Kind::kGone, client->credentials.uid, now_ns(), "PE {} is gone without saying so",
                   rank_of(*client));
        tell_member(*client, MemberState::kGone);  // the launcher hears the cause before its consequences
        client->attached->port_died(client->port);
    }
    if (client->created) {
        jobs_.erase(client->created->id());
        tell_of_end(*client->created);
        job_requests_.erase(client->created->id());
        // Processes of the job that are still connected learn the end when the daemon hangs up.
        std::vector<int> processes;
        for (const auto& [other_fd, other] : clients_) {
            if (other->attached == client->created) {
                other->detached = true;  // there is nothing left to recover
                processes.push_back(other_fd);
            }
        }
        for (const int process : processes) {
            if (clients_.contains(process)) {
                drop(process);  // the process may have created a job itself
            }
        }
    }
    end_deserted();
}

bool Daemon::answer(Client* client, Message request) {
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
                client->may_say_much = client->greeted && may_create_jobs(*client);
                break;
            case MessageType::kCreateJob:
                create_job(client, request);
                if (client->building) {
                    return true;  // take_built() answers
                }
                break;
            case MessageType::kLendProgram:
                if (!client->created || !lend_program(&reply, &fds)) {
                    return false;
                }
                break;
            case MessageType::kUseProgram:
                if (!is_trusted(*client) || !use_program(&request)) {
                    return false;
                }
                break;
            case MessageType::kOffer:
                check_user(*client);
                append_offer(&reply);
                break;
            case MessageType::kProve:
                if (client->job() == nullptr) {
                    return false;
                }
                (client->created ? client->created : client->made ? client->made : client->attached)->prove(&reply);
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
                if (AbortRequest abort; client->attached && request.read(&abort)) {
                    Message passed_on;
                    passed_on.type = MessageType::kAbort;
                    passed_on.append(AbortRequest{abort.code, rank_of(*client)});
                    tell_launcher(client->attached, passed_on);
                }
                return true;  // it asks for no answer
            default:
                if (!client->attached || !answer_process(client, request, &reply, &fds)) {
                    return false;
                }
                if (client->released) {
                    return true;  // release_segments() answers
                }
        }
    } catch (const Failure& failure) {
        reply = {};
        fds.clear();
        reply.type = request.type;
        reply.status = failure.status();
        reply.append(failure.what(), std::strlen(failure.what()));
        log_.write(LimitedLog::Kind::kRefused, client->credentials.uid, now_ns(),
                   "process {} of user {} is refused: {}", client->credentials.pid, client->credentials.uid,
                   failure.what());
    } catch (const std::exception& exception) {
        reply = {};
        fds.clear();
        reply.type = request.type;
        reply.status = SYNCLINE_ERR_NO_MEMORY;
        reply.append(exception.what(), std::strlen(exception.what()));
    }
    return send_answer(client, reply, fds);
}

bool Daemon::send_answer(Client* client, const Message& reply, const std::vector<int>& fds) {
    client->takes = client->channel.send(reply, fds) || client->channel.is_hung_up();
    return client->takes;
}

void Daemon::create_job(Client* client, const Message& request) {
    check_user(*client);
    if (client->created || client->made || client->building) {
        fail(SYNCLINE_ERR_PROTOCOL, "this connection has created a job already");
    }
    Job job = read_job(request, 0);
    if (!sane(job.spec)) {
        fail(SYNCLINE_ERR_INVALID,
             "the description of job {:08x} is out of bounds: window {}, UDP port {}, heaps of {} bytes, transport {}",
             job.spec.config.job, job.spec.config.window, job.spec.config.udp_port, job.spec.heap_bytes,
             static_cast<uint32_t>(job.spec.transport));
    }
    check_job_of_user(*client, job);
    client->hearer->name_node(job.spec.config.node);
    if (jobs_.contains(job.spec.config.job) || builder_.has(job.spec.config.job)) {
        fail(SYNCLINE_ERR_BUSY, "job {:08x} runs here already", job.spec.config.job);
    }
    complete(&job.spec);
    auto made = std::make_shared<NodeJob>(std::move(job), &memory_, &programs_);
    builder_.add(client->channel.fd(), std::move(made));
    client->building = true;
}

void Daemon::own(Client* client, const std::shared_ptr<NodeJob>& made) {
    jobs_[made->id()] = made;
    const JobSpec& spec = made->job().spec;
    log_.write(LimitedLog::Kind::kJob, spec.owner_uid, now_ns(),
               "job {:08x} of user {} begins: {} here, {} in all on {}, over {}", made->id(), spec.owner_uid,
               counted(spec.config.ports, "PE"), spec.config.ranks, counted(spec.config.nodes, "node"),
               transport_name(spec.transport));
    // Each PE asks for the heap of each PE of the node.
    const uint64_t ports = made->job().spec.config.ports;
    job_requests_.insert_or_assign(made->id(), options_.admission.job_requests.deeper(ports * ports));
    had_job_ = true;
    (made->job().spec.held_by_pes != 0 ? client->made : client->created) = made;
}

// Takes the jobs that have been built, for connections that have not ended meanwhile.
void Daemon::take_built() {
    drain_event(builder_.fd());
    for (std::optional<JobBuilder::Outcome> built; (built = builder_.take());) {
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
            own(client, built->job);
            give_up_place(client);
        }
        built.reset();  // a job that failed is gone before its client hears that
        client->last_ns = now_ns();
        resume(client);
        if (!send_answer(client, reply)) {
            drop(found->first);
        }
    }
}

// Writes an empty answer if there is no program that others could use.
bool Daemon::lend_program(Message* reply, std::vector<int>* fds) const {
    if (!options_.end_with_jobs || !builder_.is_idle()) {
        return false;
    }
    LentProgram lent;
    if (programs_.lend(&lent, fds)) {
        reply->append(lent);
    }
    return true;
}

bool Daemon::use_program(Message* request) {
    LentProgram lent;
    return builder_.is_idle() && request->read(&lent) && programs_.use(lent, std::move(request->fds));
}

// A job that its PEs hold ends when none of them is left, nor the connection that made it.
bool Daemon::is_deserted(const NodeJob& job) const {
    return job.job().spec.held_by_pes != 0 && std::none_of(clients_.begin(), clients_.end(), [&](const auto& entry) {
               const Client& client = *entry.second;
               return client.made.get() == &job || (client.attached.get() == &job && !client.detached);
           });
}

void Daemon::tell_of_end(const NodeJob& job) {
    const uid_t user = job.job().spec.owner_uid;
    log_.write(LimitedLog::Kind::kJob, user, now_ns(), "job {:08x} of user {} has ended", job.id(), user);
}

void Daemon::end_deserted() {
    std::erase_if(jobs_, [&](const auto& entry) {
        const bool deserted = is_deserted(*entry.second);
        if (deserted) {
            tell_of_end(*entry.second);
            job_requests_.erase(entry.first);
        }
        return deserted;
    });
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
    client->hearer->name_node(client->attached->job().spec.config.node);
    client->made.reset();
    tell_member(*client, MemberState::kJoined);
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
            client->released = wanted.segment;
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
    if (request.type == MessageType::kEvents) {
        EventsRequest wanted;
        if (!request.read(&wanted)) {
            return false;
        }
        client->attached->add_events(wanted.first, fds);
        return true;
    }
    if (request.type == MessageType::kRest) {
        RestRequest wanted;
        if (!request.read(&wanted) || wanted.rests > 1) {
            return false;
        }
        client->resting = wanted.rests != 0;
        tell_member(*client, client->resting ? MemberState::kLeft : MemberState::kJoined);
        return true;
    }
    if (request.type == MessageType::kDetach) {
        client->detached = true;
        client->attached->close_port(client->port);
        tell_member(*client, MemberState::kLeft);
        return true;
    }
    return false;
}

void Daemon::tell_launcher(const std::shared_ptr<NodeJob>& job, const Message& message) {
    for (const auto& [fd, other] : clients_) {
        if (other->created && other->created == job) {
            (void)other->channel.send(message);
        }
    }
}

uint32_t Daemon::rank_of(const Client& client) {
    const Job& job = client.attached->job();
    return job.map.rank_at(job.spec.config.node, client.port);
}

void Daemon::tell_member(const Client& client, MemberState state) {
    Message notice;
    notice.type = MessageType::kMember;
    notice.append(MemberNotice{rank_of(client), state});
    tell_launcher(client.attached, notice);
}

// The message has room for a limited number of waits.
std::string Daemon::statistics(const Client& client) {
    const size_t waits = std::clamp<size_t>(512 / std::max<size_t>(1, jobs_.size()), 1, 32);
    std::string text = "[";
    for (const auto& [id, job] : jobs_) {
        if (client.credentials.uid == 0 || client.credentials.uid == job->job().spec.owner_uid) {
            text += (text.size() > 1 ? "," : "") + job->statistics(waits);
        }
    }
    return text + "]";
}

}  // namespace syncline
