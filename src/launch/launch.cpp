// SPDX-License-Identifier: BSD-3-Clause
#include "launch/launch.h"

#include <fcntl.h>
#include <poll.h>
#include <sys/signalfd.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <csignal>
#include <cstdlib>

#include "base/clock.h"
#include "base/failure.h"
#include "base/interruption.h"
#include "launch/child.h"
#include "launch/keeper.h"
#include "testbed/netns.h"

namespace syncline {
namespace {

constexpr uint64_t grace_ns = 5 * ns_per_s;               // between a request to end and SIGKILL
constexpr uint64_t answer_ns = 60 * ns_per_s;             // until a daemon has answered
constexpr uint64_t status_patience_ns = 200 * ns_per_ms;  // between the end of a PE's connection and its exit

constexpr int forwarded[] = {SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGUSR1, SIGUSR2, SIGCONT, SIGTSTP};

UniqueFd catch_signals() {
    sigset_t set;
    sigemptyset(&set);
    sigaddset(&set, SIGCHLD);
    for (const int signal : forwarded) {
        sigaddset(&set, signal);
    }
    ::sigprocmask(SIG_BLOCK, &set, nullptr);
    return UniqueFd(::signalfd(-1, &set, SFD_NONBLOCK | SFD_CLOEXEC));
}

// The launcher holds descriptors for each node and PE. The PEs get the limit that the user has set.
const rlimit& raise_open_files() {
    static const rlimit before = [] {
        rlimit limit = {};
        ::getrlimit(RLIMIT_NOFILE, &limit);
        const rlimit all = {limit.rlim_max, limit.rlim_max};
        ::setrlimit(RLIMIT_NOFILE, &all);
        return limit;
    }();
    return before;
}

Message message_of(MessageType type) {
    Message message;
    message.type = type;
    return message;
}

bool has_ended(pid_t pid) {
    siginfo_t info = {};
    return ::waitid(P_PID, static_cast<id_t>(pid), &info, WEXITED | WNOHANG | WNOWAIT) == 0 && info.si_pid == pid;
}

int code_of(int status) {
    return WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
}

}  // namespace

Launch::Launch(LaunchOptions options)
    : options_(std::move(options)),
      open_files_(raise_open_files()),
      plan_(make_plan(options_)),
      members_(options_.ranks) {
    std::signal(SIGPIPE, SIG_IGN);
    std::signal(SIGCHLD, SIG_DFL);  // ignored by some parents, it would leave nothing to wait for
    signals_ = catch_signals();
    controls_.resize(options_.nodes);
    addresses_.resize(options_.nodes);
    if (!plan_.remark.empty() && !options_.quiet) {
        fmt::print(stderr, "syncline: {}\n", plan_.remark);
    }
    if (!options_.authenticate && plan_.job.spec.properties().between_nodes && !options_.quiet) {
        fmt::print(stderr, "syncline: warning: --no-auth: anybody on the network can write this job's memory\n");
    }
    try {
        prepare_nodes();
        statistics_listener_ = Channel::listen(fmt::format("@syncline/job-{:08x}", plan_.job.spec.config.job), 0600);
    } catch (...) {
        end_daemons(0);
        throw;
    }
}

// A port that was free when it was chosen may be taken before the daemons bind it: then all nodes begin again, with
// another.
void Launch::prepare_nodes() {
    constexpr int attempts = 10;
    const bool chosen = options_.udp_port == 0 && plan_.job.spec.properties().has_agent;
    for (int attempt = 1;; attempt++) {
        try {
            for (uint32_t node = 0; node < options_.nodes; node++) {
                prepare_node(node);
            }
            return;
        } catch (const Failure& failure) {
            if (!chosen || failure.status() != SYNCLINE_ERR_BUSY || attempt == attempts) {
                throw;
            }
        }
        dismiss_daemons();
        plan_.job.spec.config.udp_port = choose_udp_port(plan_);
    }
}

void Launch::prepare_node(uint32_t node) {
    if (!use_resident_daemon(node)) {
        start_private_daemon(node);
    }
    if (options_.node_ready) {
        options_.node_ready(node);
    }
}

void Launch::dismiss_daemons() {
    for (Channel& control : controls_) {
        control.close();
    }
    for (const auto& [pid, node] : daemons_) {
        ::kill(pid, SIGKILL);
        ::waitpid(pid, nullptr, 0);
    }
    daemons_.clear();
}

Launch::~Launch() {
    signal_all(SIGKILL);
    for (const auto& [pid, process] : processes_) {
        if (!process.ended) {
            ::waitpid(pid, nullptr, 0);
        }
    }
    end_daemons(2 * ns_per_s);
}

void Launch::end_daemons(uint64_t patience_ns) {
    controls_.clear();  // ends the jobs at resident daemons, and private daemons altogether
    const uint64_t patience = now_ns() + patience_ns;
    for (const auto& [pid, node] : daemons_) {
        while (::waitpid(pid, nullptr, WNOHANG) == 0) {
            if (now_ns() >= patience) {
                ::kill(pid, SIGKILL);
            }
            ::usleep(1000);
        }
    }
    daemons_.clear();
}

// Returns when a daemon's descriptor can be read. A daemon may be stopped: signals are served meanwhile, and one to end
// throws while there is no PE that it could be passed on to.
void Launch::await(int fd) {
    for (const uint64_t start = now_ns(); now_ns() - start < answer_ns;) {
        pollfd polled[] = {{fd, POLLIN, 0}, {signals_.get(), POLLIN, 0}};
        if (::poll(polled, 2, 100) > 0 && polled[0].revents != 0) {
            return;
        }
        if (polled[1].revents != 0) {
            read_signal();
        }
        if (!started_ && ending_signal_ != 0) {
            throw Interrupted(ending_signal_);
        }
        if (started_ && alive_ == 0) {
            fail(SYNCLINE_ERR_NODE, "the job has ended");
        }
        kill_when_patience_ends();
    }
    fail(SYNCLINE_ERR_TIMEOUT, "a daemon of the job has not answered for {} s; is it stopped", answer_ns / ns_per_s);
}

Message Launch::ask(uint32_t node, const Message& message) {
    return controls_[node].call(message, [this](int fd) { await(fd); });
}

void Launch::kill_when_patience_ends() {
    if (now_ns() > kill_at_ns_) {
        kill_all();
        kill_at_ns_ = UINT64_MAX;
    }
}

void Launch::connect_daemon(uint32_t node, const std::string& address) {
    controls_[node] = Channel::connect(address);
    ask(node, message_of(MessageType::kHello));
    addresses_[node] = address;
}

void Launch::create_job(uint32_t node) {
    Message create = message_of(MessageType::kCreateJob);
    create.append(plan_.spec_of(node));
    create.append(plan_.job.nodes.data(), plan_.job.nodes.size() * sizeof(JobNode));
    ask(node, create);
}

// The job on the resident daemon of the node. False if there is none, or none that serves this user.
bool Launch::use_resident_daemon(uint32_t node) {
    const std::string& address = plan_.nodes[node].daemon_socket;
    if (address.empty() || ::access(address.c_str(), F_OK) != 0) {
        return false;
    }
    try {
        connect_daemon(node, address);
        create_job(node);
        return true;
    } catch (const Failure& failure) {
        controls_[node].close();
        if (failure.status() != SYNCLINE_ERR_PERMISSION && failure.status() != SYNCLINE_ERR_NODE) {
            throw;
        }
        return false;
    }
}

void Launch::start_private_daemon(uint32_t node) {
    const PlannedNode& planned = plan_.nodes[node];
    const std::string address = fmt::format("@syncline/{:08x}/node-{}", plan_.job.spec.config.job, node);
    int ready[2];
    if (::pipe(ready) != 0) {
        fail_errno(SYNCLINE_ERR_SYSTEM, "cannot create a pipe");
    }
    UniqueFd reader(ready[0]);
    UniqueFd writer(ready[1]);
    ::fcntl(reader.get(), F_SETFD, FD_CLOEXEC);
    ChildSpec child;
    child.argv = {installed_program("synclined"), "--private", "--socket", address, "--ready-fd",
                  std::to_string(writer.get())};
    child.netns = planned.netns;
    child.own_group = true;
    daemons_[start_child(child)] = node;
    writer.reset();
    await(reader.get());
    char byte;
    if (::read(reader.get(), &byte, 1) != 1) {
        fail(SYNCLINE_ERR_NODE, "the daemon of node {} did not start", node);
    }
    // Abstract names belong to a network namespace: the connection is made in the daemon's.
    std::optional<testbed::NetnsScope> scope;
    if (planned.netns >= 0) {
        scope.emplace(planned.netns);
    }
    connect_daemon(node, address);
    create_job(node);
}

void Launch::start() {
    started_ = true;
    for (uint32_t node = 0; node < options_.nodes; node++) {
        const JobNode& here = plan_.job.nodes[node];
        for (uint32_t port = 0; port < here.ports; port++) {
            start_process(here.first_rank + port, node);
        }
    }
}

void Launch::start_process(uint32_t rank, uint32_t node) {
    const JobSpec& spec = plan_.job.spec;
    ChildSpec child;
    child.argv = options_.program;
    child.environment = options_.environment;
    child.environment.push_back("SYNCLINE_SOCKET=" + addresses_[node]);
    child.environment.push_back(fmt::format("SYNCLINE_RANK={}", rank));
    child.environment.push_back(fmt::format("SYNCLINE_JOB={:x}", spec.config.job));
    child.environment.push_back(fmt::format("SYNCLINE_TOKEN={:x}", spec.token));
    child.netns = plan_.nodes[node].netns;
    child.kept = true;
    child.open_files = &open_files_;
    child.change_user = spec.owner_uid != ::geteuid();
    child.uid = spec.owner_uid;
    UniqueFd null(::open("/dev/null", O_RDONLY | O_CLOEXEC));
    child.stdin_fd = rank == 0 && ::isatty(STDIN_FILENO) == 0 ? -1 : null.get();
    UniqueFd out, err;
    if (options_.prefix) {
        out = output_.add(rank, STDOUT_FILENO);
        err = output_.add(rank, STDERR_FILENO);
        child.stdout_fd = out.get();
        child.stderr_fd = err.get();
    }
    if (options_.child_setup) {
        child.setup = [this, rank] { options_.child_setup(rank); };
    }
    processes_[start_child(child)] = {rank, false};
    alive_++;
}

int Launch::run() {
    while (do_work(-1)) {
    }
    return exit_code_;
}

bool Launch::do_work(int timeout_ms) {
    std::vector<pollfd> polled = {{signals_.get(), POLLIN, 0}, {statistics_listener_.get(), POLLIN, 0}};
    for (const Channel& control : controls_) {
        polled.push_back({control.fd(), POLLIN, 0});
    }
    const size_t outputs = polled.size();
    for (const int fd : output_.fds()) {
        polled.push_back({fd, POLLIN, 0});
    }
    if (kill_at_ns_ != UINT64_MAX || members_.must_look()) {
        timeout_ms = 100;
    }
    if (abort_code_) {
        timeout_ms = 5;
    }
    if (alive_ != 0 && ::poll(polled.data(), polled.size(), timeout_ms) > 0) {
        if (polled[0].revents != 0) {
            read_signal();
        }
        if (polled[1].revents != 0) {
            serve_statistics();
        }
        for (uint32_t node = 0; node < options_.nodes; node++) {
            if (polled[2 + node].revents != 0 && controls_[node].valid()) {
                read_control(node);
            }
        }
        for (size_t i = outputs; i < polled.size(); i++) {
            if (polled[i].revents != 0) {
                output_.read(polled[i].fd);
            }
        }
    }
    for (Channel& control : controls_) {
        for (const Message& message : control.take_unasked()) {
            take_unasked(message);
        }
    }
    kill_when_patience_ends();
    if (members_.must_look()) {
        end_job(members_.look(now_ns()));
    }
    if (abort_code_) {
        abort_job();
    }
    if (alive_ == 0) {
        note_failure(unsettled_code_);
        hear_daemons();
        output_.finish();
    }
    if (output_.failed()) {
        end_without_output();
    }
    return alive_ != 0;
}

// PEs may have ended because their daemon has, which is then still to be said.
void Launch::hear_daemons() {
    reap();
    for (uint32_t node = 0; node < options_.nodes; node++) {
        pollfd polled = {controls_[node].fd(), POLLIN, 0};
        if (controls_[node].valid() && ::poll(&polled, 1, 0) > 0) {
            read_control(node);
        }
    }
}

void Launch::end_without_output() {
    if (!output_lost_) {
        output_lost_ = true;
        fmt::print(stderr, "syncline: {}: ending the job\n", output_.failure());
        note_failure(1);
        kill_all();
    }
}

void Launch::read_signal() {
    signalfd_siginfo info;
    while (::read(signals_.get(), &info, sizeof(info)) == sizeof(info)) {
        const int signal = static_cast<int>(info.ssi_signo);
        if (signal == SIGCHLD) {
            reap();
            continue;
        }
        if (is_ending(signal)) {
            ending_signal_ = signal;
            note_failure(128 + signal);
            if (kill_at_ns_ != UINT64_MAX) {
                kill_all();  // asked twice
                continue;
            }
            kill_at_ns_ = now_ns() + grace_ns;
        }
        signal_all(signal);
    }
    reap();
}

void Launch::reap() {
    for (;;) {
        int status = 0;
        pid_t pid = 0;
        // By name, not by -1: a caller may have children of its own.
        for (auto& [candidate, process] : processes_) {
            if (!process.ended && has_ended(candidate)) {
                pid = ::waitpid(candidate, &status, 0);
                process_ended(&process, status);
                break;
            }
        }
        for (auto& [candidate, node] : daemons_) {
            if (pid == 0 && ::waitpid(candidate, &status, WNOHANG) == candidate) {
                pid = candidate;
                daemon_ended(node, status);
                daemons_.erase(candidate);
                break;
            }
        }
        if (pid == 0) {
            return;
        }
    }
}

void Launch::process_ended(Process* process, int status) {
    take_notices();
    process->ended = true;
    alive_--;
    const std::optional<Members::Verdict> verdict = members_.process_ended(process->rank, status, now_ns());
    if (aborted_) {
        return;
    }
    if (kill_at_ns_ == UINT64_MAX) {
        end_job(verdict);
    }
    if (WIFSIGNALED(status) && !verdict && kill_at_ns_ == UINT64_MAX && exit_code_ == 0 && !options_.quiet) {
        fmt::print(stderr, "syncline: PE {} was killed by signal {} ({})\n", process->rank, WTERMSIG(status),
                   ::strsignal(WTERMSIG(status)));
    }
    if (!WIFSIGNALED(status) && members_.must_await_daemon(process->rank)) {
        unsettled_code_ = unsettled_code_ != 0 ? unsettled_code_ : code_of(status);
    } else if (!members_.has_aborted(process->rank)) {
        note_failure(code_of(status));
    }
    if (options_.end_on_crash && WIFSIGNALED(status)) {
        kill_all();
    }
}

void Launch::daemon_ended(uint32_t node, int status) {
    controls_[node].close();  // it has been heard
    fmt::print(stderr, "syncline: the daemon of node {} ended ({} {}): ending the job\n", node,
               WIFSIGNALED(status) ? "signal" : "exit code",
               WIFSIGNALED(status) ? WTERMSIG(status) : WEXITSTATUS(status));
    note_failure(1);
    kill_all();
}

void Launch::end_job(const std::optional<Members::Verdict>& verdict) {
    if (!verdict || aborted_) {
        return;
    }
    fmt::print(stderr, "syncline: {}: ending the job\n", verdict->sentence);
    note_failure(verdict->code);
    kill_all();
}

void Launch::take_unasked(const Message& message) {
    if (AbortRequest abort; message.type == MessageType::kAbort && message.read(&abort)) {
        abort_code_ = abort_code_.value_or(abort.code & 255);
        abort_at_ns_ = now_ns();
        members_.aborted(abort.rank);
    }
    if (MemberNotice notice; message.type == MessageType::kMember && message.read(&notice)) {
        end_job(members_.notice(notice, now_ns()));
    }
}

// A PE may abort because another has just died. The status of that one, which is about to be known, is the job's.
void Launch::abort_job() {
    take_notices();
    if (members_.must_look() && alive_ != 0 && now_ns() < abort_at_ns_ + status_patience_ns) {
        return;
    }
    note_failure(*abort_code_);
    abort_code_.reset();
    kill_all();
}

// A daemon says that a PE has joined or left before it answers the PE: when a process has ended, all is here.
void Launch::take_notices() {
    Message message;
    for (Channel& control : controls_) {
        while (control.valid() && !control.is_owed_an_answer() &&
               control.receive(&message, false) == Channel::Received::kMessage) {
            take_unasked(message);
        }
    }
}

// A private daemon whose socket has closed is about to end. Waits until it has, for how it ended is what there is to
// say; false if it has not, or is no child of ours.
bool Launch::await_daemon(uint32_t node) {
    const auto is_ours = [&] {
        return std::any_of(daemons_.begin(), daemons_.end(), [&](const auto& entry) { return entry.second == node; });
    };
    if (!is_ours()) {
        return false;
    }
    for (int patience = 0; patience < 200; patience++) {
        reap();
        if (!is_ours()) {
            return true;
        }
        ::usleep(5000);
    }
    return false;
}

void Launch::read_control(uint32_t node) {
    Message message;
    switch (controls_[node].receive(&message, false)) {
        case Channel::Received::kMessage:
            take_unasked(message);
            break;
        case Channel::Received::kClosed:
        case Channel::Received::kNonsense:
            controls_[node].close();
            note_failure(1);
            if (!await_daemon(node)) {
                fmt::print(stderr, "syncline: the daemon of node {} hung up: ending the job\n", node);
            }
            kill_all();
            break;
        case Channel::Received::kNothing:
            break;
    }
}

void Launch::serve_statistics() {
    Channel client(UniqueFd(::accept4(statistics_listener_.get(), nullptr, nullptr, SOCK_CLOEXEC)));
    ucred peer = {};
    socklen_t length = sizeof(peer);
    if (!client.valid() || ::getsockopt(client.fd(), SOL_SOCKET, SO_PEERCRED, &peer, &length) != 0 ||
        (peer.uid != 0 && peer.uid != ::geteuid() && peer.uid != plan_.job.spec.owner_uid)) {
        return;
    }
    const timeval limit = {1, 0};
    ::setsockopt(client.fd(), SOL_SOCKET, SO_RCVTIMEO, &limit, sizeof(limit));
    Message request;
    while (client.receive(&request, true) == Channel::Received::kMessage) {
        Message answer = message_of(request.type);
        if (request.type == MessageType::kStat) {
            try {
                const std::string text = statistics();
                answer.append(text.data(), text.size());
            } catch (const Failure& failure) {
                answer.status = failure.status();
                answer.append(failure.what(), std::strlen(failure.what()));
            }
        }
        if (!client.send(answer)) {
            return;
        }
    }
}

std::string Launch::statistics() {
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

void Launch::set_agent_mode(AgentMode mode, std::optional<uint32_t> node) {
    for (uint32_t i = 0; i < controls_.size(); i++) {
        if (node.value_or(i) != i) {
            continue;
        }
        Message request = message_of(MessageType::kAgentMode);
        request.append(AgentModeRequest{plan_.job.spec.config.job, static_cast<uint32_t>(mode)});
        ask(i, request);
    }
}

void Launch::signal_all(int signal) {
    for (const auto& [pid, process] : processes_) {
        if (!process.ended) {
            signal_kept(pid, signal);
        }
    }
}

// From here on it does not matter how the PEs end.
void Launch::kill_all() {
    aborted_ = true;
    signal_all(SIGKILL);
}

void Launch::note_failure(int code) {
    if (exit_code_ == 0) {
        exit_code_ = code;
    }
}

}  // namespace syncline
