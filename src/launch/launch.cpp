// SPDX-License-Identifier: BSD-3-Clause
#include "launch/launch.h"

#include <poll.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <csignal>

#include "base/clock.h"
#include "base/failure.h"
#include "base/interruption.h"
#include "base/trace.h"
#include "launch/remarks.h"

namespace syncline {
namespace {

constexpr size_t traced_events_shown = 200;    // of a job that ends by an error
constexpr uint64_t answer_ns = 60 * ns_per_s;  // until a daemon has answered

}  // namespace

Launch::Launch(LaunchOptions options)
    : options_(std::move(options)),
      pes_(options_, &output_),
      plan_(make_plan(options_)),
      daemons_(options_, &plan_, [this](int fd) { await(fd); }),
      ending_(options_, &pes_) {
    print_remarks(options_, plan_);
    try {
        daemons_.start();
        prove_xdp();
        statistics_server_.listen(plan_.job.spec);
        pmix_.listen(plan_, first_ranks(options_));
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
    print_remarks(options_, plan_);
    daemons_.start();
}

Launch::~Launch() {
    pes_.end();
    pmix_.end(8 * ns_per_s);
    daemons_.end(2 * ns_per_s);
}

// Returns when a daemon's descriptor can be read. A daemon may be stopped: signals are served meanwhile, and one to end
// throws while there is no PE that it could be passed on to.
void Launch::await(int fd) {
    for (const uint64_t start = now_ns(); now_ns() - start < answer_ns;) {
        pollfd polled[] = {{fd, POLLIN, 0}, {signals_.fd(), POLLIN, 0}};
        if (::poll(polled, 2, 100) > 0 && polled[0].revents != 0) {
            return;
        }
        if (polled[1].revents != 0) {
            read_signals();
        }
        if (!started_ && ending_.signal() != 0) {
            throw Interrupted(ending_.signal());
        }
        if (started_ && pes_.alive() == 0) {
            fail(SYNCLINE_ERR_NODE, "the job has ended");
        }
        ending_.kill_when_patience_ends();
    }
    fail(SYNCLINE_ERR_TIMEOUT, "a daemon of the job has not answered for {} s; is it stopped", answer_ns / ns_per_s);
}

void Launch::start() {
    started_ = true;
    for (uint32_t rank = 0; rank < plan_.job.map.ranks(); rank++) {
        pes_.start(plan_, rank, environment_of(rank));
    }
}

std::vector<std::string> Launch::environment_of(uint32_t rank) const {
    const uint32_t node = plan_.job.map.node_of(rank);
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

int Launch::run() {
    while (do_work(-1)) {
    }
    return exit_code();
}

bool Launch::do_work(int timeout_ms) {
    if (pes_.alive() != 0) {
        serve_descriptors(timeout_ms);
    }
    take_kept_notices();
    ending_.look();
    if (ending_.is_asked_for()) {
        take_notices();
        ending_.end_if_settled();
    }
    if (pes_.alive() == 0) {
        ending_.all_ended();
        hear_daemons();
        output_.finish();
        print_traces();
    }
    if (output_.failed()) {
        ending_.output_lost(output_.failure());
    }
    return pes_.alive() != 0;
}

// Answers `syncline stat` and `syncline top`.
Message Launch::answer_to(const Message& request) {
    Message answer;
    if (TracesRequest wanted; request.type == MessageType::kTraces && request.read(&wanted)) {
        answer = daemons_.traces_of(wanted);
    } else if (request.type == MessageType::kStat) {
        const std::string text = statistics();
        answer.append(text.data(), text.size());
    }
    answer.type = request.type;
    return answer;
}

// For a job that has ended by an error: the daemons still have the traces of PEs that are gone.
void Launch::print_traces() {
    if (exit_code() == 0 || !options_.prints_traces) {
        return;
    }
    if (const std::string text = render_traces(daemons_.traces(), now_ns(), traced_events_shown); !text.empty()) {
        fmt::print(stderr, "syncline: the trace of job {:08x}, which ended by an error:\n{}", plan_.job.spec.config.job,
                   text);
    }
}

// Waits for signals, `syncline stat`, daemons and output, and serves those that have come.
void Launch::serve_descriptors(int timeout_ms) {
    std::vector<pollfd> polled = {{signals_.fd(), POLLIN, 0}, {statistics_server_.fd(), POLLIN, 0}};
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
    if (::poll(polled.data(), polled.size(), ending_.patience_ms(timeout_ms)) <= 0) {
        return;
    }
    if (polled[0].revents != 0) {
        read_signals();
    }
    if (polled[1].revents != 0) {
        statistics_server_.serve([this](const Message& request) { return answer_to(request); });
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
        ending_.end(Members::Verdict{failure.what(), 1});
    }
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

void Launch::read_signals() {
    while (const std::optional<int> signal = signals_.take()) {
        if (*signal == SIGCHLD) {
            reap();
        } else {
            ending_.take_signal(*signal);
        }
    }
    reap();
}

void Launch::reap() {
    while (reap_process() || reap_daemon()) {
    }
    reap_mpi();
}

// The notices and reports about a process are here when it has ended.
bool Launch::reap_process() {
    const std::optional<PeProcesses::Ended> ended = pes_.reap();
    if (ended) {
        take_notices();
        take_reports();
        ending_.process_ended(ended->rank, ended->status);
    }
    return ended.has_value();
}

bool Launch::reap_daemon() {
    const std::optional<Daemons::Ended> ended = daemons_.reap();
    if (ended) {
        daemons_.controls()[ended->node].close();  // it has been heard
        const std::string sentence = Daemons::sentence_of(*ended);
        if (!started_) {
            fail(SYNCLINE_ERR_SYSTEM, "{}", sentence);  // there is no job yet that could end
        }
        ending_.daemon_ended(sentence);
    }
    return ended.has_value();
}

void Launch::reap_mpi() {
    if (const std::optional<int> status = pmix_.reap(); status && pes_.alive() != 0) {
        take_reports();
        ending_.end(Members::Verdict{
            fmt::format("the job's PMIx server ended ({} {})", WIFSIGNALED(*status) ? "signal" : "exit code",
                        WIFSIGNALED(*status) ? WTERMSIG(*status) : WEXITSTATUS(*status)),
            1});
    }
}

// Those that came while an answer was awaited are older than what the connection holds.
void Launch::take_kept_notices() {
    for (Channel& control : daemons_.controls()) {
        for (const Message& message : control.take_unasked()) {
            ending_.take_notice(message);
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
            ending_.take_notice(message);
        }
    }
}

// The PMIx server reports before it answers the PE: when a process has ended, all is here.
void Launch::take_reports() {
    while (const std::optional<PmixReport> report = pmix_.take_report()) {
        ending_.take_report(*report);
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
    ending_.note_failure(1);
    if (!ending_.has_begun() && !await_daemon(node)) {
        ending_.daemon_lost(why);
    }
}

void Launch::read_control(uint32_t node) {
    Channel& control = daemons_.controls()[node];
    Message message;
    switch (control.receive(&message, false)) {
        case Channel::Received::kMessage:
            ending_.take_notice(message);
            break;
        case Channel::Received::kClosed:
        case Channel::Received::kNonsense:
            lose_daemon(node);
            break;
        case Channel::Received::kNothing:
            break;
    }
}

}  // namespace syncline
