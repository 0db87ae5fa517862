// SPDX-License-Identifier: BSD-3-Clause
#include "daemon/request_handlers.h"

#include <sched.h>

#include <algorithm>
#include <cstring>

#include "base/clock.h"
#include "base/failure.h"
#include "daemon/node_offer.h"
#include "daemon/users.h"
#include "job/protocol/job_description.h"

namespace syncline {
namespace {

// read_job() has checked the nodes and ranks.
bool sane(const JobSpec& spec) {
    const fw_config& config = spec.config;
    return config.job != 0 && config.window >= 1 && config.window <= SLW_WINDOW_MAX && config.udp_port >= 1 &&
           config.udp_port <= 65535 && spec.heap_bytes >= 2 * heap_reserved_bytes &&
           spec.heap_bytes <= segment_length_max && spec.heap_bytes % SLW_BLOCK_BYTES == 0 &&
           is_transport(spec.transport) && spec.agent_mode <= AgentMode::kBlock && spec.agent_cpu >= -1 &&
           spec.agent_cpu < CPU_SETSIZE && spec.interface[sizeof(spec.interface) - 1] == '\0';
}

void check_bounds(const JobSpec& spec) {
    if (!sane(spec)) {
        fail(SYNCLINE_ERR_INVALID,
             "the description of job {:08x} is out of bounds: window {}, UDP port {}, heaps of {} bytes, transport {}",
             spec.config.job, spec.config.window, spec.config.udp_port, spec.heap_bytes,
             static_cast<uint32_t>(spec.transport));
    }
}

}  // namespace

std::span<const RequestHandlers::Handler> RequestHandlers::handlers() {
    using Type = MessageType;
    using Here = RequestHandlers;
    static constexpr Handler all[] = {
        {Type::kHello, Sender::kStranger, &Here::hello},
        {Type::kCreateJob, Sender::kGreeted, &Here::create_job},
        {Type::kLendProgram, Sender::kCreator, &Here::lend_program},
        {Type::kUseProgram, Sender::kTrusted, &Here::use_program},
        {Type::kOffer, Sender::kGreeted, &Here::offer},
        {Type::kProve, Sender::kOfJob, &Here::prove},
        {Type::kAttach, Sender::kGreeted, &Here::attach},
        {Type::kStat, Sender::kGreeted, &Here::statistics},
        {Type::kAgentMode, Sender::kCreator, &Here::set_agent_mode},
        {Type::kAbort, Sender::kGreeted, &Here::pass_abort_on},
        {Type::kSegment, Sender::kPe, &Here::segment},
        {Type::kRegister, Sender::kPe, &Here::register_segment},
        {Type::kDeregister, Sender::kPe, &Here::deregister},
        {Type::kEvents, Sender::kPe, &Here::events},
        {Type::kTrace, Sender::kPe, &Here::trace},
        {Type::kTraces, Sender::kGreeted, &Here::traces},
        {Type::kRest, Sender::kPe, &Here::rest},
        {Type::kDetach, Sender::kPe, &Here::detach},
    };
    return all;
}

bool RequestHandlers::is_sender(const Client& client, Sender sender) {
    if (!client.greeted) {
        return sender == Sender::kStranger;
    }
    switch (sender) {
        case Sender::kStranger:
        case Sender::kGreeted:
            return true;
        case Sender::kTrusted:
            return is_trusted(client);
        case Sender::kCreator:
            return client.created != nullptr;
        case Sender::kOfJob:
            return client.job() != nullptr;
        case Sender::kPe:
            return client.attached != nullptr;
    }
    return false;
}

bool RequestHandlers::answer(Client* client, Message request) {
    Exchange exchange = {client, std::move(request), {}, {}};
    exchange.reply.type = exchange.request.type;
    Outcome outcome = Outcome::kAnswer;
    try {
        outcome = handle(&exchange);
    } catch (const Failure& failure) {
        exchange.refuse(failure.status(), failure.what());
        log_->write(LimitedLog::Kind::kRefused, client->credentials.uid, now_ns(),
                    "process {} of user {} is refused: {}", client->credentials.pid, client->credentials.uid,
                    failure.what());
    } catch (const std::exception& exception) {
        exchange.refuse(SYNCLINE_ERR_NO_MEMORY, exception.what());
    }
    return outcome == Outcome::kAnswer ? client->send_answer(exchange.reply, exchange.fds)
                                       : outcome == Outcome::kNoAnswer;
}

void RequestHandlers::Exchange::refuse(int status, const char* sentence) {
    fds.clear();
    reply = {};
    reply.type = request.type;
    reply.status = status;
    reply.append(sentence, std::strlen(sentence));
}

RequestHandlers::Outcome RequestHandlers::handle(Exchange* exchange) {
    const std::span<const Handler> all = handlers();
    const auto handler =
        std::find_if(all.begin(), all.end(), [&](const Handler& one) { return one.type == exchange->request.type; });
    return handler != all.end() && is_sender(*exchange->client, handler->sender) ? (this->*handler->handle)(exchange)
                                                                                 : Outcome::kHangUp;
}

RequestHandlers::Outcome RequestHandlers::hello(Exchange* exchange) {
    Client* const client = exchange->client;
    client->greeted = exchange->request.version == daemon_version;
    client->may_say_much = client->greeted && may_create_jobs(*client, settings_);
    return Outcome::kAnswer;
}

RequestHandlers::Outcome RequestHandlers::create_job(Exchange* exchange) {
    Client* const client = exchange->client;
    check_user(*client, settings_);
    if (client->created || client->made || client->building) {
        fail(SYNCLINE_ERR_PROTOCOL, "this connection has created a job already");
    }
    Job job = read_job(exchange->request, 0);
    const fw_config& config = job.spec.config;
    check_bounds(job.spec);
    check_job_of_user(*client, job, settings_, jobs_->count_of(client->credentials.uid));
    client->hearer->name_node(config.node);
    if (jobs_->has(config.job)) {
        fail(SYNCLINE_ERR_BUSY, "job {:08x} runs here already", config.job);
    }
    complete_spec(&job.spec, settings_);
    jobs_->build(client->channel.fd(), std::move(job));
    client->building = true;
    return Outcome::kNoAnswer;
}

// Writes an empty answer if there is no program that others could use.
RequestHandlers::Outcome RequestHandlers::lend_program(Exchange* exchange) {
    const NicPrograms* const programs = jobs_->programs();
    if (jobs_->are_resident() || programs == nullptr) {
        return Outcome::kHangUp;
    }
    if (LentProgram lent; programs->lend(&lent, &exchange->fds)) {
        exchange->reply.append(lent);
    }
    return Outcome::kAnswer;
}

RequestHandlers::Outcome RequestHandlers::use_program(Exchange* exchange) {
    LentProgram lent;
    NicPrograms* const programs = jobs_->programs();
    return programs != nullptr && exchange->request.read(&lent) && programs->use(lent, std::move(exchange->request.fds))
               ? Outcome::kAnswer
               : Outcome::kHangUp;
}

RequestHandlers::Outcome RequestHandlers::offer(Exchange* exchange) {
    check_user(*exchange->client, settings_);
    const Offer offer = make_offer(settings_.interfaces, settings_.udp_ports);
    exchange->reply.append(offer.head);
    exchange->reply.append(offer.address.bytes().data(), offer.address.bytes().size());
    exchange->reply.append(offer.xdp_obstacle.data(), offer.xdp_obstacle.size());
    return Outcome::kAnswer;
}

RequestHandlers::Outcome RequestHandlers::prove(Exchange* exchange) {
    const Client& client = *exchange->client;
    (client.created ? client.created : client.made ? client.made : client.attached)->prove(&exchange->reply);
    return Outcome::kAnswer;
}

RequestHandlers::Outcome RequestHandlers::attach(Exchange* exchange) {
    Client* const client = exchange->client;
    AttachRequest wanted;
    if (!exchange->request.read(&wanted) || client->attached) {
        fail(SYNCLINE_ERR_PROTOCOL, "the request to attach is too short, or it is this connection's second");
    }
    const std::shared_ptr<NodeJob> job = jobs_->find(wanted.job);
    if (!job) {
        fail(SYNCLINE_ERR_NOT_FOUND, "job {:08x} does not run here, or no longer", wanted.job);
    }
    if (client->credentials.uid != 0 && client->credentials.uid != job->job().spec.owner_uid) {
        fail(SYNCLINE_ERR_PERMISSION, "job {:08x} belongs to another user", wanted.job);
    }
    job->attach(wanted, &exchange->reply, &exchange->fds, &client->port);
    client->attached = job;
    client->hearer->name_node(job->job().spec.config.node);
    client->made.reset();
    tell_member(clients_, *client, MemberState::kJoined);
    return Outcome::kAnswer;
}

RequestHandlers::Outcome RequestHandlers::statistics(Exchange* exchange) {
    const std::string text = jobs_->statistics(exchange->client->credentials.uid);
    exchange->reply.append(text.data(), text.size());
    return Outcome::kAnswer;
}

RequestHandlers::Outcome RequestHandlers::set_agent_mode(Exchange* exchange) {
    NodeJob* const job = exchange->client->created.get();
    AgentModeRequest wanted;
    if (!exchange->request.read(&wanted) || wanted.mode > static_cast<uint32_t>(AgentMode::kBlock) ||
        wanted.job != job->id()) {
        return Outcome::kHangUp;
    }
    job->set_agent_mode(static_cast<AgentMode>(wanted.mode));
    return Outcome::kAnswer;
}

// The PE asks for no answer.
RequestHandlers::Outcome RequestHandlers::pass_abort_on(Exchange* exchange) {
    const Client& client = *exchange->client;
    if (AbortRequest abort; client.attached && exchange->request.read(&abort)) {
        Message passed_on;
        passed_on.type = MessageType::kAbort;
        passed_on.append(AbortRequest{abort.code, client.rank()});
        tell_launcher(clients_, client.attached.get(), passed_on);
    }
    return Outcome::kNoAnswer;
}

RequestHandlers::Outcome RequestHandlers::segment(Exchange* exchange) {
    SegmentRequest wanted;
    SegmentAnswer found = {};
    if (!exchange->request.read(&wanted)) {
        return Outcome::kHangUp;
    }
    exchange->fds.push_back(exchange->client->attached->segment(wanted, &found));
    exchange->reply.append(found);
    return Outcome::kAnswer;
}

RequestHandlers::Outcome RequestHandlers::register_segment(Exchange* exchange) {
    Client* const client = exchange->client;
    RegisterRequest wanted;
    SegmentAnswer made = {};
    if (!exchange->request.read(&wanted)) {
        return Outcome::kHangUp;
    }
    exchange->fds.push_back(client->attached->register_segment(client->port, wanted.bytes, &made));
    exchange->reply.append(made);
    return Outcome::kAnswer;
}

RequestHandlers::Outcome RequestHandlers::deregister(Exchange* exchange) {
    Client* const client = exchange->client;
    SegmentRequest wanted;
    if (!exchange->request.read(&wanted)) {
        return Outcome::kHangUp;
    }
    if (wanted.port != client->port) {
        fail(SYNCLINE_ERR_PERMISSION, "only the PE itself may end a registration of port {}", wanted.port);
    }
    client->attached->deregister_segment(client->port, wanted.segment);
    client->released = wanted.segment;
    return Outcome::kNoAnswer;
}

RequestHandlers::Outcome RequestHandlers::events(Exchange* exchange) {
    EventsRequest wanted;
    if (!exchange->request.read(&wanted)) {
        return Outcome::kHangUp;
    }
    exchange->client->attached->add_events(wanted.first, &exchange->fds);
    return Outcome::kAnswer;
}

RequestHandlers::Outcome RequestHandlers::trace(Exchange* exchange) {
    Client* const client = exchange->client;
    TraceRequest wanted;
    if (!exchange->request.read(&wanted)) {
        return Outcome::kHangUp;
    }
    const auto process = static_cast<uint32_t>(client->credentials.pid);
    exchange->fds.push_back(client->attached->begin_trace(client->port, wanted.events, process));
    return Outcome::kAnswer;
}

// As with Stat, a job of another user is not there.
RequestHandlers::Outcome RequestHandlers::traces(Exchange* exchange) {
    const uid_t user = exchange->client->credentials.uid;
    TracesRequest wanted;
    if (!exchange->request.read(&wanted)) {
        return Outcome::kHangUp;
    }
    const std::shared_ptr<NodeJob> job = jobs_->find(wanted.job);
    if (!job || (user != 0 && user != job->job().spec.owner_uid)) {
        fail(SYNCLINE_ERR_NOT_FOUND, "job {:08x} does not run here, or no longer", wanted.job);
    }
    exchange->reply.append(TracesAnswer{job->add_traces(wanted.first, &exchange->fds), 0});
    return Outcome::kAnswer;
}

RequestHandlers::Outcome RequestHandlers::rest(Exchange* exchange) {
    Client* const client = exchange->client;
    RestRequest wanted;
    if (!exchange->request.read(&wanted) || wanted.rests > 1) {
        return Outcome::kHangUp;
    }
    client->resting = wanted.rests != 0;
    tell_member(clients_, *client, client->resting ? MemberState::kLeft : MemberState::kJoined);
    return Outcome::kAnswer;
}

RequestHandlers::Outcome RequestHandlers::detach(Exchange* exchange) {
    Client* const client = exchange->client;
    client->detached = true;
    client->attached->close_port(client->port);
    tell_member(clients_, *client, MemberState::kLeft);
    return Outcome::kAnswer;
}

}  // namespace syncline
