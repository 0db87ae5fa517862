// SPDX-License-Identifier: BSD-3-Clause
#include "launch/daemons.h"

#include <fcntl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <csignal>
#include <cstring>
#include <thread>

#include "base/clock.h"
#include "job/protocol/job_description.h"
#include "job/protocol/proof.h"
#include "launch/child.h"
#include "testbed/netns.h"

namespace syncline {
namespace {

Message message_of(MessageType type) {
    Message message;
    message.type = type;
    return message;
}

std::string address_of_private(const Plan& plan, uint32_t node) {
    return fmt::format("@syncline/{:08x}/node-{}", plan.job.spec.config.job, node);
}

// A resident daemon is there for other users, or has just ended: the node gets a private one.
bool serves_others(const Failure& failure) {
    return failure.status() == SYNCLINE_ERR_PERMISSION || failure.status() == SYNCLINE_ERR_NODE;
}

}  // namespace

Daemons::Daemons(const LaunchOptions& options, Plan* plan, Channel::Await await)
    : options_(options), plan_(plan), await_(std::move(await)), controls_(options.nodes), addresses_(options.nodes) {}

// A port that was free when it was chosen may be taken before the daemons bind it: then all nodes begin again, with
// another.
void Daemons::start() {
    constexpr int attempts = 10;
    const bool chosen = options_.udp_port == 0 && plan_->job.spec.properties().between_nodes;
    for (int attempt = 1;; attempt++) {
        try {
            start_all();
            return;
        } catch (const Failure& failure) {
            explain(failure);
            if (!chosen || failure.status() != SYNCLINE_ERR_BUSY || attempt == attempts) {
                throw;
            }
        }
        dismiss();
        plan_->job.spec.config.udp_port = choose_udp_port(*plan_);
    }
}

std::string Daemons::sentence_of(const Ended& ended) {
    if (WIFSIGNALED(ended.status)) {
        return fmt::format("the daemon of node {} was ended by signal {} ({})", ended.node, WTERMSIG(ended.status),
                           ::strsignal(WTERMSIG(ended.status)));
    }
    return fmt::format("the daemon of node {} ended with exit code {}", ended.node, WEXITSTATUS(ended.status));
}

// A private daemon that closes its connection is about to end, and how it ends says more than that. Throws, if it does.
void Daemons::explain(const Failure& failure) {
    const uint64_t patience = now_ns() + ns_per_s / 2;
    while (failure.status() == SYNCLINE_ERR_NODE && !private_.empty() && now_ns() < patience) {
        if (const std::optional<Ended> ended = reap()) {
            fail(SYNCLINE_ERR_NODE, "{}", sentence_of(*ended));
        }
        ::usleep(5000);
    }
}

std::string Daemons::why_not_xdp() {
    if (!plan_->job.spec.properties().attaches_interface || options_.nodes == 1) {
        return "";
    }
    std::vector<Channel*> channels;
    for (Channel& control : controls_) {
        channels.push_back(&control);
    }
    try {
        return why_unproven(prove_replies(channels, await_),
                            [](uint32_t node) { return fmt::format("node {}", node); });
    } catch (const Failure& failure) {
        explain(failure);
        throw;
    }
}

// Most of the time goes to the kernel, which verifies the NIC program of the first private daemon. Meanwhile the others
// start; then they use that program, and the kernel has them wait rather than work. Where each node needs its own, a
// few more than there are CPUs are under way at a time, for each verification takes memory.
void Daemons::start_all() {
    uint32_t begun = 0;
    for (uint32_t node = 0; node < options_.nodes; node++) {
        for (; may_begin(begun, node); begun++) {
            begin(begun);
        }
        if (node == 0) {
            start_private_ones();
        }
        finish(node);
        if (lender_ == node) {
            program_ = ask(node, message_of(MessageType::kLendProgram));
        }
    }
    lender_.reset();
    program_.reset();
}

bool Daemons::may_begin(uint32_t node, uint32_t finished) const {
    const uint32_t few = 2 + std::max(1u, std::thread::hardware_concurrency());
    const bool shared = program_ && !program_->body.empty();
    const bool waits = lender_ && !program_;
    return node < options_.nodes && node < finished + (shared ? 4 * few : few) && !waits;
}

void Daemons::start_private_ones() {
    for (uint32_t node = 0; node < options_.nodes; node++) {
        if (!is_private(node) && !has_resident(node)) {
            start_private(node);
        }
    }
}

void Daemons::pass_program_on(uint32_t node) {
    if (!program_ || program_->body.empty()) {
        return;
    }
    if (program_->fds_missing) {
        fail(SYNCLINE_ERR_SYSTEM,
             "cannot take the NIC program's descriptors: raise the limit of open files (ulimit -n)");
    }
    Message use = message_of(MessageType::kUseProgram);
    use.body = program_->body;
    controls_[node].ask(use, numbers_of(program_->fds));
    controls_[node].answer_to(MessageType::kUseProgram, await_);
}

// Has the node's daemon begin with its part.
void Daemons::begin(uint32_t node) {
    if (options_.node_begins) {
        options_.node_begins(node);
    }
    if (ask_resident(node)) {
        return;
    }
    ask_private(node);
    if (!lender_ && options_.nodes > 1 && plan_->job.spec.properties().attaches_interface) {
        lender_ = node;
    }
}

// Returns when the part is made.
void Daemons::finish(uint32_t node) {
    try {
        controls_[node].answer_to(MessageType::kCreateJob, await_);
    } catch (const Failure& failure) {
        if (!has_asked_resident(node) || !serves_others(failure)) {
            throw;  // a private daemon that has ended gets no successor
        }
        ask_private(node);
        controls_[node].answer_to(MessageType::kCreateJob, await_);
    }
    if (options_.node_ready) {
        options_.node_ready(node);
    }
}

void Daemons::dismiss() {
    for (Channel& control : controls_) {
        control.close();
    }
    for (const auto& [pid, node] : private_) {
        ::kill(pid, SIGKILL);
        ::waitpid(pid, nullptr, 0);
    }
    private_.clear();
    ready_.clear();
    lender_.reset();
    program_.reset();
}

void Daemons::end(uint64_t patience_ns) {
    controls_.clear();
    const uint64_t patience = now_ns() + patience_ns;
    for (const auto& [pid, node] : private_) {
        while (::waitpid(pid, nullptr, WNOHANG) == 0) {
            if (now_ns() >= patience) {
                ::kill(pid, SIGKILL);
            }
            ::usleep(1000);
        }
    }
    private_.clear();
}

bool Daemons::has_resident(uint32_t node) const {
    const std::string& address = plan_->nodes[node].daemon_socket;
    return !address.empty() && ::access(address.c_str(), F_OK) == 0;
}

bool Daemons::has_asked_resident(uint32_t node) const {
    return addresses_[node] == plan_->nodes[node].daemon_socket;
}

// False if the node has no resident daemon, or none that serves this user.
bool Daemons::ask_resident(uint32_t node) {
    if (!has_resident(node)) {
        return false;
    }
    try {
        connect(node, plan_->nodes[node].daemon_socket);
        ask_for_job(node);
        return true;
    } catch (const Failure& failure) {
        if (!serves_others(failure)) {
            throw;
        }
        return false;
    }
}

void Daemons::ask_private(uint32_t node) {
    if (!is_private(node)) {
        start_private(node);
    }
    await_private(node);
    // Abstract names belong to a network namespace: the connection is made in the daemon's.
    std::optional<testbed::NetnsScope> scope;
    if (plan_->nodes[node].netns >= 0) {
        scope.emplace(plan_->nodes[node].netns);
    }
    connect(node, address_of_private(*plan_, node));
    pass_program_on(node);
    ask_for_job(node);
}

void Daemons::start_private(uint32_t node) {
    int ready[2];
    if (::pipe(ready) != 0) {
        fail_errno(SYNCLINE_ERR_SYSTEM, "cannot create a pipe");
    }
    UniqueFd reader(ready[0]);
    UniqueFd writer(ready[1]);
    ::fcntl(reader.get(), F_SETFD, FD_CLOEXEC);
    ChildSpec child;
    child.argv = {installed_program("synclined"),   "--private",  "--socket",
                  address_of_private(*plan_, node), "--ready-fd", std::to_string(writer.get())};
    child.netns = plan_->nodes[node].netns;
    child.own_group = true;
    child.cpus = plan_->binding.placement.of_daemon(node);
    private_[start_child(child)] = node;
    ready_[node] = std::move(reader);
}

// A private daemon writes a byte when it listens; the pipe ends without one if the daemon does.
void Daemons::await_private(uint32_t node) {
    const UniqueFd ready = std::move(ready_[node]);
    ready_.erase(node);
    await_(ready.get());
    char byte;
    if (::read(ready.get(), &byte, 1) != 1) {
        fail(SYNCLINE_ERR_NODE, "the daemon of node {} did not start", node);
    }
}

void Daemons::connect(uint32_t node, const std::string& address) {
    controls_[node] = Channel::connect(address);
    ask(node, message_of(MessageType::kHello));
    addresses_[node] = address;
}

void Daemons::ask_for_job(uint32_t node) {
    Message create = message_of(MessageType::kCreateJob);
    append_job(&create, {plan_->spec_of(node), plan_->job.map, plan_->job.addresses});
    controls_[node].ask(create);
}

Message Daemons::ask(uint32_t node, const Message& message) {
    return controls_[node].call(message, await_);
}

bool Daemons::is_private(uint32_t node) const {
    return std::any_of(private_.begin(), private_.end(), [&](const auto& entry) { return entry.second == node; });
}

// By name, not by -1: a caller may have children of its own.
std::optional<Daemons::Ended> Daemons::reap() {
    for (auto entry = private_.begin(); entry != private_.end(); ++entry) {
        if (int status = 0; ::waitpid(entry->first, &status, WNOHANG) == entry->first) {
            const Ended ended = {entry->second, status};
            private_.erase(entry);
            return ended;
        }
    }
    return std::nullopt;
}

void Daemons::set_agent_mode(AgentMode mode, std::optional<uint32_t> node) {
    Message request = message_of(MessageType::kAgentMode);
    request.append(AgentModeRequest{plan_->job.spec.config.job, static_cast<uint32_t>(mode)});
    for (uint32_t i = 0; i < controls_.size(); i++) {
        if (node.value_or(i) == i) {
            ask(i, request);
        }
    }
}

Message Daemons::traces_of(const TracesRequest& request) {
    if (request.node >= controls_.size() || !controls_[request.node].valid()) {
        fail(SYNCLINE_ERR_NOT_FOUND, "node {} has no daemon, or no longer", request.node);
    }
    Message passed_on = message_of(MessageType::kTraces);
    passed_on.append(request);
    return ask(request.node, passed_on);
}

std::vector<ReadTrace> Daemons::traces() {
    std::vector<ReadTrace> all;
    for (uint32_t node = 0; node < controls_.size(); node++) {
        if (!controls_[node].valid()) {
            continue;
        }
        try {
            std::vector<ReadTrace> found = ask_for_traces(&controls_[node], plan_->job.spec.config.job, node, await_);
            std::move(found.begin(), found.end(), std::back_inserter(all));
        } catch (const Failure&) {
            continue;  // the daemon is about to end, or is stopped
        }
    }
    return all;
}

std::string Daemons::statistics() {
    std::string all = "[";
    for (uint32_t node = 0; node < controls_.size(); node++) {
        if (!controls_[node].valid()) {
            continue;
        }
        const std::string of_node = ask(node, message_of(MessageType::kStat)).text();
        if (of_node.size() > 2) {
            all += (all.size() > 1 ? "," : "") + of_node.substr(1, of_node.size() - 2);
        }
    }
    return all + "]";
}

}  // namespace syncline
