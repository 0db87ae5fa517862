// SPDX-License-Identifier: BSD-3-Clause
#include "runtime/process/lifetime.h"

#include <pthread.h>
#include <unistd.h>

#include <algorithm>
#include <csignal>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/failure.h"
#include "base/interruptions.h"
#include "base/os.h"
#include "base/variables.h"
#include "job/attachment/moved_memory.h"
#include "runtime/ground/error_text.h"
#include "runtime/ground/own_trace.h"

// The part of this node that inlined calls of syncline.h reach without the library. It is written while the process
// joins, rests, resumes or leaves. Inlined calls read it; the program must not make them meanwhile.
struct syncline_view_ syncline_view_ = {};

namespace syncline {
namespace {

Process* resting = nullptr;
Process* parents = nullptr;  // in a child made by fork(); never deleted, because its threads are the parent's
bool finalized = false;
std::vector<const char*> users;
uint32_t ranks_in_view = 0;

// Never deleted: threads of a program may still call while it exits.
std::vector<syncline_port_>& ports_in_view() {
    static auto* const ports = new std::vector<syncline_port_>;
    return *ports;
}

syncline_port_ port_in_view(Attachment& attachment, uint32_t port) {
    static constexpr uint64_t no_length = 0;
    if (port == SLW_PORTS_MAX) {
        return {nullptr, &no_length, nullptr};  // the PE is on another node
    }
    const uint32_t heap = port * SLW_SEGMENTS_MAX;
    return {attachment.bases()[heap], &attachment.tables().segments[heap].length,
            &attachment.tables().ports[port].waiting};
}

void publish_view() {
    Endpoint& endpoint = process->endpoint();
    const RankMap& map = process->job().map;
    const std::vector<uint16_t> ports = map.ports_seen_from(endpoint.config().node);
    const auto here = map.ranks_of(endpoint.config().node);
    const auto [first, last] = std::minmax_element(here.begin(), here.end());
    ports_in_view().clear();
    for (uint32_t rank = *first; rank <= *last; rank++) {
        ports_in_view().push_back(port_in_view(endpoint.attachment(), ports[rank]));
    }
    ranks_in_view = endpoint.memory().maps_node() ? *last - *first + 1u : 0;
    syncline_view_ = {*first, ranks_in_view, ports_in_view().data()};
}

// In a child: prints a message for an access to memory that was the parent's heap.
void explain_fault(int signal, siginfo_t* info, void*) {
    if (parents->endpoint().attachment().was_heap(info->si_addr)) {
        static constexpr char sentence[] =
            "syncline: this process is a fork() child of a PE: only the PE itself may access the symmetric heap\n";
        (void)!::write(STDERR_FILENO, sentence, sizeof(sentence) - 1);
    }
    ::signal(signal, SIG_DFL);  // now the access faults again
}

// If a program handles the signal, its handler stays.
void watch_faults() {
    struct sigaction action = {};
    if (::sigaction(SIGSEGV, nullptr, &action) == 0 && (action.sa_flags & SA_SIGINFO) == 0 &&
        action.sa_handler == SIG_DFL) {
        action.sa_sigaction = explain_fault;
        action.sa_flags = SA_SIGINFO | SA_ONSTACK;
        ::sigaction(SIGSEGV, &action, nullptr);
    }
}

// Between the first handler and the last no signal handler may run, because it might fork as well, and the thread may
// not be cancelled, because fork() does not handle cancellation.
Interruptions before_forking;  // under the lock of MovedMemory

void before_fork() {
    const Interruptions before = stop_interruptions();
    MovedMemory::of_process().before_fork();
    before_forking = before;
}

void after_fork_in_parent() {
    const Interruptions before = before_forking;
    MovedMemory::of_process().after_fork_in_parent();
    allow_interruptions(before);
}

void after_fork_in_child() {
    const Interruptions before = before_forking;
    MovedMemory::of_process().after_fork_in_child();
    Process* const own = process != nullptr ? process : resting;
    if (own != nullptr) {
        keep_own_trace(nullptr);
        own->endpoint().attachment().disown();
        syncline_view_.ranks = 0;
        parents = own;
        process = resting = nullptr;
        watch_faults();
    }
    allow_interruptions(before);
}

// Runs when the library is loaded: handlers that a program registers later find that memory in the child is the
// child's.
__attribute__((constructor)) void watch_forks() {
    (void)::pthread_atfork(before_fork, after_fork_in_parent, after_fork_in_child);
}

int read_wait_mode(int given, int* mode) {
    *mode = given;
    if (given != SYNCLINE_WAIT_POLL && given != SYNCLINE_WAIT_BLOCK) {
        return error(SYNCLINE_ERR_INVALID, "{} is no wait mode", given);
    }
    try {
        if (const std::optional<std::string> text = text_in("SYNCLINE_WAIT")) {
            *mode = *text == "block" ? SYNCLINE_WAIT_BLOCK : SYNCLINE_WAIT_POLL;
        }
        return SYNCLINE_OK;
    } catch (const Failure& failure) {
        return error(failure.status(), "{}", failure.what());
    }
}

}  // namespace

Lifetime lifetime() {
    return process != nullptr   ? Lifetime::kJoined
           : parents != nullptr ? Lifetime::kForked
           : resting != nullptr ? Lifetime::kResting
           : finalized          ? Lifetime::kFinalized
                                : Lifetime::kAbsent;
}

std::string why_absent() {
    switch (lifetime()) {
        case Lifetime::kForked:
            return "this process is a fork() child of a PE; only the PE itself may call the library";
        case Lifetime::kResting:
        case Lifetime::kFinalized:
            return "the job was finalized";
        default:
            return "the process has not joined its job yet";
    }
}

int join_job(const Process::Options& options) {
    switch (lifetime()) {
        case Lifetime::kAbsent:
            break;
        case Lifetime::kForked:
            return error(SYNCLINE_ERR_NOT_INITIALIZED, "{}", why_absent());
        default:
            return error(SYNCLINE_ERR_INVALID, "called a second time");
    }
    Process::Options chosen = options;
    if (const int status = read_wait_mode(options.wait_mode, &chosen.wait_mode); status != SYNCLINE_OK) {
        return status;
    }
    try {
        process = new Process(chosen);
    } catch (const Failure& failure) {
        return error(failure.status(), "{}", failure.what());
    } catch (const std::exception& exception) {
        return error(SYNCLINE_ERR_NO_MEMORY, "{}", exception.what());
    }
    keep_own_trace(&process->endpoint().attachment());
    publish_view();
    return SYNCLINE_OK;
}

int leave_job() {
    if (!users.empty()) {
        return error(SYNCLINE_ERR_BUSY, "{} still uses the job; finalize that first", users.back());
    }
    int status = process->endpoint().posting().quiet();
    if (const int passed = process->barrier(); status == SYNCLINE_OK) {
        status = passed;
    }
    if (const int late = process->endpoint().posting().quiet(); status == SYNCLINE_OK) {
        status = late;
    }
    if (status == SYNCLINE_OK) {
        process->part();
    }
    syncline_view_.ranks = 0;
    process->forget_all();
    keep_own_trace(nullptr);
    process->endpoint().attachment().detach();
    delete process;
    process = nullptr;
    finalized = true;
    return status;
}

void rest_in_job() {
    process->forget_all();
    process->endpoint().attachment().rest(true);
    syncline_view_.ranks = 0;
    resting = std::exchange(process, nullptr);
}

void resume_job() {
    resting->endpoint().attachment().rest(false);
    process = std::exchange(resting, nullptr);
    syncline_view_.ranks = ranks_in_view;
}

void hold_job(const char* name) {
    users.push_back(name);
}

void let_go_of_job(const char* name) {
    std::erase(users, name);
}

bool is_used_beside(const char* name) {
    return std::any_of(users.begin(), users.end(), [name](const char* user) { return user != name; });
}

void abort_job(int code) {
    if (Process* const own = process != nullptr ? process : resting; own != nullptr) {
        print_traces_at_abort();
        own->endpoint().attachment().abort_job(code);
    }
    end_process(code);
}

}  // namespace syncline
