// SPDX-License-Identifier: BSD-3-Clause
#include "launch/pmix_server.h"

#include <fcntl.h>
#include <poll.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <utility>

#include "base/clock.h"
#include "base/failure.h"
#include "launch/child.h"
#include "launch/pmix_library.h"
#include "launch/relay.h"
#include "launch/session_directory.h"

namespace syncline {
namespace {

constexpr uint64_t end_patience_ns = 3 * ns_per_s;  // with PEs that end with the launcher, and with the library then
constexpr unsigned end_s = 20;                      // for all of this

int launcher_fd;  // the library's threads write to it, a packet at a time

void report(PmixReport::Event event, uint32_t rank, int code = 0, const char* text = "") {
    PmixReport report = {};
    report.event = event;
    report.rank = rank;
    report.code = code;
    std::strncpy(report.text, text, sizeof(report.text) - 1);
    (void)::send(launcher_fd, &report, sizeof(report), MSG_NOSIGNAL);
}

// The library's calls. PMIX_OPERATION_SUCCEEDED says that all is done, and that no callback follows.

pmix_status_t on_begin(const pmix_proc_t* pe, void*, pmix_op_cbfunc_t, void*) {
    report(PmixReport::kBegun, pe->rank);
    return PMIX_OPERATION_SUCCEEDED;
}

pmix_status_t on_finish(const pmix_proc_t* pe, void*, pmix_op_cbfunc_t, void*) {
    report(PmixReport::kFinished, pe->rank);
    return PMIX_OPERATION_SUCCEEDED;
}

pmix_status_t on_abort(const pmix_proc_t* pe, void*, int code, const char[], pmix_proc_t[], size_t, pmix_op_cbfunc_t,
                       void*) {
    report(PmixReport::kAborted, pe->rank, code);
    return PMIX_OPERATION_SUCCEEDED;
}

// Every PE is this server's: the data of these are the data of all.
pmix_status_t on_fence(const pmix_proc_t[], size_t, const pmix_info_t[], size_t, char* data, size_t size,
                       pmix_modex_cbfunc_t done, void* context) {
    done(PMIX_SUCCESS, data, size, context, [](void* bytes) { std::free(bytes); }, data);
    return PMIX_SUCCESS;
}

// The library itself notes files that it is to remove, if there is such a function.
pmix_status_t on_job_control(const pmix_proc_t*, const pmix_proc_t[], size_t, const pmix_info_t[], size_t,
                             pmix_info_cbfunc_t, void*) {
    return PMIX_ERR_NOT_SUPPORTED;
}

void on_lost(size_t, pmix_status_t, const pmix_proc_t* source, pmix_info_t[], size_t, pmix_info_t*, size_t,
             pmix_event_notification_cbfunc_fn_t done, void* context) {
    report(PmixReport::kLost, source->rank);
    if (done != nullptr) {
        done(PMIX_EVENT_ACTION_COMPLETE, nullptr, 0, nullptr, nullptr, context);
    }
}

pmix_server_module_t make_module() {
    pmix_server_module_t module = {};
    module.client_connected = on_begin;
    module.client_finalized = on_finish;
    module.abort = on_abort;
    module.fence_nb = on_fence;
    module.job_control = on_job_control;
    return module;
}

// Another launcher may have started this one, by PMIx.
void forget_variables() {
    std::vector<std::string> names;
    for (char** variable = environ; *variable != nullptr; variable++) {
        if (std::strncmp(*variable, "PMIX_", 5) == 0) {
            names.emplace_back(*variable, std::strcspn(*variable, "="));
        }
    }
    for (const std::string& name : names) {
        ::unsetenv(name.c_str());
    }
}

void close_others(std::vector<int> kept) {
    std::sort(kept.begin(), kept.end());
    unsigned first = 0;
    for (const int fd : kept) {
        if (const auto next = static_cast<unsigned>(fd); first < next) {
            ::close_range(first, next - 1, 0);
        }
        first = static_cast<unsigned>(fd) + 1;
    }
    ::close_range(first, ~0U, 0);
}

// The signals of a terminal are the launcher's, whose mask blocks them here too.
void leave_the_launcher(const PmixJob& job, std::vector<int> kept) {
    ::prctl(PR_SET_NAME, "pmix-server");  // `killall -9 syncline` must leave it to do its work
    ::setpgid(0, 0);
    std::signal(SIGPIPE, SIG_IGN);
    const int null = ::open("/dev/null", O_RDWR | O_CLOEXEC);
    for (const int fd : {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO}) {
        ::dup2(null, fd);  // the library complains of every PE that dies
        kept.push_back(fd);
    }
    close_others(kept);
    if (job.user) {
        become_user(*job.user);
    }
    forget_variables();
}

void accept_all(const pollfd* polled, size_t count, Relay* relay) {
    for (size_t i = 0; i < count; i++) {
        if (polled[i].revents != 0) {
            if (UniqueFd client(::accept4(polled[i].fd, nullptr, nullptr, SOCK_CLOEXEC)); client) {
                relay->add(std::move(client));
            }
        }
    }
}

// Until the launcher has hung up and, for as long as patience lasts, the PEs have.
void relay_connections(const std::vector<int>& listeners, Relay* relay) {
    for (uint64_t end_ns = UINT64_MAX; end_ns == UINT64_MAX || (!relay->all_ended() && now_ns() < end_ns);) {
        const bool ending = end_ns != UINT64_MAX;
        const bool must_look = ending || relay->tell_of_deaths(now_ns());
        std::vector<pollfd> polled = {{ending ? -1 : launcher_fd, POLLIN, 0}};
        for (const int listener : listeners) {
            polled.push_back({listener, POLLIN, 0});
        }
        relay->append_to(&polled);
        if (::poll(polled.data(), polled.size(), must_look ? 100 : -1) <= 0) {
            continue;
        }
        if (polled[0].revents != 0) {
            end_ns = now_ns() + end_patience_ns;
            ::alarm(end_s);
        }
        relay->serve(polled.data() + 1 + listeners.size());
        accept_all(polled.data() + 1, listeners.size(), relay);
    }
}

void serve(const PmixJob& job, const std::vector<int>& listeners) {
    const SessionDirectory directory;
    std::vector<std::string> directories = {directory.add("job")};
    for (uint32_t rank = 0; rank < job.ranks; rank++) {
        directories.push_back(directory.add("job/" + std::to_string(rank)));
    }
    PmixLibrary library(job, directory.path(), make_module());
    library.watch(on_lost);
    library.add_job(job, directories);
    Relay relay(library.port(job));
    relay_connections(listeners, &relay);
    library.end(job, end_patience_ns);
}

}  // namespace

void be_pmix_server(const PmixJob& job, UniqueFd launcher, const std::vector<int>& listeners) {
    std::vector<int> kept = listeners;
    kept.push_back(launcher.get());
    leave_the_launcher(job, kept);
    launcher_fd = launcher.get();
    sigset_t alarm;
    sigemptyset(&alarm);
    sigaddset(&alarm, SIGALRM);
    std::signal(SIGALRM, SIG_DFL);
    ::sigprocmask(SIG_UNBLOCK, &alarm, nullptr);
    try {
        serve(job, listeners);
    } catch (const std::exception& failure) {
        report(PmixReport::kFailed, 0, 0, failure.what());
        char byte;
        (void)!::read(launcher_fd, &byte, 1);  // the PEs wait for their connections, until the launcher ends them
        ::_exit(1);
    }
    ::_exit(0);
}

}  // namespace syncline
