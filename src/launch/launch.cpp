// SPDX-License-Identifier: BSD-3-Clause
#include "launch/launch.h"

#include <fcntl.h>
#include <poll.h>
#include <sys/signalfd.h>
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
      daemons_(options_, &plan_, [this](int fd) { await(fd); }),
      members_(options_.ranks),
      mpi_members_(options_.ranks) {
    std::signal(SIGPIPE, SIG_IGN);
    std::signal(SIGCHLD, SIG_DFL);  // ignored by some parents, it would leave nothing to wait for
    signals_ = catch_signals();
    remark();
    try {
        daemons_.start();
        prove_xdp();
        statistics_server_.listen(plan_.job.spec);
        pmix_.listen(plan_, first_ranks());
    } catch (...) {
        daemons_.end(0);
        throw;
    }
}

// If replies do not arrive, a job whose user has left the choice to Syncline begins again, over udp.
void Launch::prove_xdp() {
    const std::string why = daemons_.why_not_xdp();
    if (why.empty()) {
        return;
    }
    if (options_.transport) {
        fail(SYNCLINE_ERR_UNSUPPORTED, "{}; --transport udp needs no NIC program", why);
    }
    daemons_.dismiss();
    options_.transport = TransportKind::kUdp;
    plan_.binding = {};  // its claims would be in the way of the next one's
    plan_ = make_plan(options_);
    plan_.remark = "this job goes over udp, not xdp: " + why;
    remark();
    daemons_.start();
}

void Launch::remark() const {
    if (options_.report_bindings) {
        for (const std::string& line : describe(plan_.binding, plan_.job.map)) {
            fmt::print(stderr, "syncline: {}\n", line);
        }
    }
    if (options_.quiet) {
        return;
    }
    if (!plan_.remark.empty()) {
        fmt::print(stderr, "syncline: {}\n", plan_.remark);
    }
    if (const size_t shared = plan_.binding.placement.on_claimed_cores; shared != 0) {
        fmt::print(stderr, "syncline: PEs on cores that other jobs have claimed: {}\n", shared);
    }
    if (!options_.authenticate && plan_.job.spec.properties().between_nodes) {
        fmt::print(stderr, "syncline: warning: --no-auth: every machine on the network can write this job's memory\n");
    }
}

Launch::~Launch() {
    signal_all(SIGKILL);
    for (const auto& [pid, process] : processes_) {
        if (!process.ended) {
            ::waitpid(pid, nullptr, 0);
        }
    }
    pmix_.end(8 * ns_per_s);
    daemons_.end(2 * ns_per_s);
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

void Launch::kill_when_patience_ends() {
    if (now_ns() > kill_at_ns_) {
        kill_all();
        kill_at_ns_ = UINT64_MAX;
    }
}

void Launch::start() {
    started_ = true;
    for (uint32_t rank = 0; rank < plan_.job.map.ranks(); rank++) {
        start_process(rank, plan_.job.map.node_of(rank));
    }
}

std::vector<std::string> Launch::environment_of(uint32_t rank, uint32_t node) const {
    const JobSpec& spec = plan_.job.spec;
    std::vector<std::string> environment;
    environment.push_back("SYNCLINE_SOCKET=" + daemons_.address_of(node));
    environment.push_back(fmt::format("SYNCLINE_RANK={}", rank));
    environment.push_back(fmt::format("SYNCLINE_JOB={:x}", spec.config.job));
    environment.push_back(fmt::format("SYNCLINE_TOKEN={:x}", spec.token));
    for (std::string& variable : pmix_.environment_of(rank, plan_.nodes[node])) {
        environment.push_back(std::move(variable));
    }
    return environment;
}

// The first rank of each program.
std::vector<uint32_t> Launch::first_ranks() const {
    uint32_t next = options_.ranks;
    for (const ProgramPart& part : options_.more_programs) {
        next -= part.ranks;
    }
    std::vector<uint32_t> firsts = {0};
    for (const ProgramPart& part : options_.more_programs) {
        firsts.push_back(next);
        next += part.ranks;
    }
    return firsts;
}

ProgramPart Launch::part_of(uint32_t rank) const {
    const std::vector<uint32_t> firsts = first_ranks();
    const auto number = static_cast<size_t>(std::upper_bound(firsts.begin(), firsts.end(), rank) - firsts.begin()) - 1;
    return number == 0 ? ProgramPart{options_.ranks, options_.program, options_.environment, options_.directory}
                       : options_.more_programs[number - 1];
}

void Launch::start_process(uint32_t rank, uint32_t node) {
    ChildSpec child;
    const ProgramPart part = part_of(rank);
    child.argv = part.program;
    child.environment = environment_of(rank, node);
    child.environment.insert(child.environment.begin(), part.environment.begin(), part.environment.end());
    child.directory = part.directory;
    child.netns = plan_.nodes[node].netns;
    child.kept = true;
    child.open_files = &open_files_;
    child.cpus = plan_.binding.placement.of_rank(rank);
    child.uid = plan_.job.spec.owner_uid;
    child.change_user = child.uid != ::geteuid();
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
    if (alive_ != 0) {
        serve_descriptors(timeout_ms);
    }
    take_kept_notices();
    kill_when_patience_ends();
    if (members_.must_look()) {
        end_job(members_.look(now_ns()));
    }
    if (mpi_members_.must_look()) {
        end_job(mpi_members_.look(now_ns()));
    }
    if (abort_code_) {
        abort_job(*abort_code_);
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

// Waits for signals, `syncline stat`, daemons and output, and serves those that have come.
void Launch::serve_descriptors(int timeout_ms) {
    std::vector<pollfd> polled = {{signals_.get(), POLLIN, 0}, {statistics_server_.fd(), POLLIN, 0}};
    for (const Channel& control : daemons_.controls()) {
        polled.push_back({control.fd(), POLLIN, 0});
    }
    const size_t outputs = polled.size();
    for (const int fd : output_.fds()) {
        polled.push_back({fd, POLLIN, 0});
    }
    const size_t mpi = polled.size();
    for (const int fd : pmix_.fds()) {
        polled.push_back({fd, POLLIN, 0});
    }
    if (::poll(polled.data(), polled.size(), patience_ms(timeout_ms)) <= 0) {
        return;
    }
    if (polled[0].revents != 0) {
        read_signal();
    }
    if (polled[1].revents != 0) {
        statistics_server_.serve([this] { return statistics(); });
        take_kept_notices();
    }
    for (uint32_t node = 0; node < options_.nodes; node++) {
        if (polled[2 + node].revents != 0 && daemons_.controls()[node].valid()) {
            read_control(node);
        }
    }
    for (size_t i = outputs; i < mpi; i++) {
        if (polled[i].revents != 0) {
            output_.read(polled[i].fd);
        }
    }
    if (std::any_of(polled.begin() + mpi, polled.end(), [](const pollfd& entry) { return entry.revents != 0; })) {
        serve_mpi();
    }
}

// Without a server the PEs wait in MPI_Init, so that the job ends.
void Launch::serve_mpi() {
    try {
        pmix_.serve();
        take_reports();
    } catch (const Failure& failure) {
        end_job(Members::Verdict{failure.what(), 1});
    }
}

// The caller's timeout, or less while something may become due that no descriptor tells.
int Launch::patience_ms(int timeout_ms) const {
    if (abort_code_) {
        return 5;
    }
    const bool must_look = members_.must_look() || mpi_members_.must_look();
    return kill_at_ns_ != UINT64_MAX || must_look ? 100 : timeout_ms;
}

// PEs may have ended because their daemon has, which is then still to be said.
void Launch::hear_daemons() {
    reap();
    for (uint32_t node = 0; node < options_.nodes; node++) {
        const Channel& control = daemons_.controls()[node];
        pollfd polled = {control.fd(), POLLIN, 0};
        if (control.valid() && ::poll(&polled, 1, 0) > 0) {
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
    while (reap_process() || reap_daemon()) {
    }
    reap_mpi();
}

// By name, not by -1: a caller may have children of its own.
bool Launch::reap_process() {
    for (auto& [pid, process] : processes_) {
        if (!process.ended && has_ended(pid)) {
            int status = 0;
            ::waitpid(pid, &status, 0);
            process_ended(&process, status);
            return true;
        }
    }
    return false;
}

bool Launch::reap_daemon() {
    const std::optional<Daemons::Ended> ended = daemons_.reap();
    if (ended) {
        daemon_ended(ended->node, ended->status);
    }
    return ended.has_value();
}

void Launch::reap_mpi() {
    if (const std::optional<int> status = pmix_.reap(); status && alive_ != 0) {
        take_reports();
        end_job(Members::Verdict{
            fmt::format("the job's PMIx server ended ({} {})", WIFSIGNALED(*status) ? "signal" : "exit code",
                        WIFSIGNALED(*status) ? WTERMSIG(*status) : WEXITSTATUS(*status)),
            1});
    }
}

void Launch::process_ended(Process* process, int status) {
    take_notices();
    take_reports();
    process->ended = true;
    alive_--;
    const std::optional<Members::Verdict> of_mpi = mpi_members_.process_ended(process->rank, status);
    const std::optional<Members::Verdict> of_job = members_.process_ended(process->rank, status, now_ns());
    const std::optional<Members::Verdict>& verdict = of_mpi ? of_mpi : of_job;
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
    daemons_.controls()[node].close();  // it has been heard
    if (!started_) {
        fail(SYNCLINE_ERR_SYSTEM, "{}", Daemons::sentence_of({node, status}));  // there is no job yet that could end
    }
    if (!std::exchange(end_is_said_, true)) {  // by the daemon itself, it may be
        fmt::print(stderr, "syncline: {}: ending the job\n", Daemons::sentence_of({node, status}));
    }
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
    if (message.type == MessageType::kStop) {
        end_is_said_ = end_is_said_ || !aborted_;
        end_job(Members::Verdict{message.text(), 1});
    }
}

// A PE may abort because another has just died. The status of that one, which is about to be known, is the job's.
void Launch::abort_job(int code) {
    take_notices();
    if (members_.must_look() && alive_ != 0 && now_ns() < abort_at_ns_ + status_patience_ns) {
        return;
    }
    note_failure(code);
    abort_code_.reset();
    kill_all();
}

// Those that came while an answer was awaited are older than what the connection holds.
void Launch::take_kept_notices() {
    for (Channel& control : daemons_.controls()) {
        for (const Message& message : control.take_unasked()) {
            take_unasked(message);
        }
    }
}

// A daemon says that a PE has joined or left before it answers the PE: when a process has ended, all is here.
void Launch::take_notices() {
    take_kept_notices();
    Message message;
    for (Channel& control : daemons_.controls()) {
        while (control.valid() && !control.is_owed_an_answer() &&
               control.receive(&message, false) == Channel::Received::kMessage) {
            take_unasked(message);
        }
    }
}

// The PMIx server reports before it answers the PE: when a process has ended, all is here.
void Launch::take_reports() {
    while (const std::optional<PmixReport> report = pmix_.take_report()) {
        take_report(*report);
    }
}

void Launch::take_report(const PmixReport& report) {
    switch (report.event) {
        case PmixReport::kBegun:
            end_job(mpi_members_.begun(report.rank));
            break;
        case PmixReport::kFinished:
            mpi_members_.finished(report.rank);
            break;
        case PmixReport::kLost:
            mpi_members_.lost(report.rank, now_ns());
            break;
        case PmixReport::kAborted:
            abort_code_ = abort_code_.value_or(report.code & 255);
            abort_at_ns_ = now_ns();
            mpi_members_.aborted(report.rank);
            members_.aborted(report.rank);
            break;
        case PmixReport::kFailed:
            end_job(Members::Verdict{
                fmt::format("a PE calls MPI_Init, and its PMIx server does not start: {}", report.text), 1});
            break;
    }
}

// A private daemon whose socket has closed is about to end. Waits until it has, for how it ended is what there is to
// say; false if it has not, or is no child of ours.
bool Launch::await_daemon(uint32_t node) {
    if (!daemons_.is_private(node)) {
        return false;
    }
    for (int patience = 0; patience < 200; patience++) {
        reap();
        if (!daemons_.is_private(node)) {
            return true;
        }
        ::usleep(5000);
    }
    return false;
}

void Launch::lose_daemon(uint32_t node) {
    Channel& control = daemons_.controls()[node];
    const std::string why = control.why_closed();
    control.close();
    note_failure(1);
    if (!aborted_ && !await_daemon(node)) {
        fmt::print(stderr, "syncline: {}: ending the job\n", why);
    }
    kill_all();
}

void Launch::read_control(uint32_t node) {
    Channel& control = daemons_.controls()[node];
    Message message;
    switch (control.receive(&message, false)) {
        case Channel::Received::kMessage:
            take_unasked(message);
            break;
        case Channel::Received::kClosed:
        case Channel::Received::kNonsense:
            lose_daemon(node);
            break;
        case Channel::Received::kNothing:
            break;
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
