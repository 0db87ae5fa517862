// SPDX-License-Identifier: BSD-3-Clause
#include "launch/pmix_service.h"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <climits>
#include <csignal>
#include <optional>
#include <utility>

#include "base/clock.h"
#include "base/failure.h"
#include "base/random.h"
#include "testbed/netns.h"

namespace syncline {
namespace {

// Invalid where there is no such address.
UniqueFd listen_on_loopback(uint16_t* port) {
    UniqueFd listener(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0));
    sockaddr_in address = {};
    address.sin_family = AF_INET;
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    socklen_t length = sizeof(address);
    auto* const any = reinterpret_cast<sockaddr*>(&address);
    if (!listener || ::bind(listener.get(), any, length) != 0 || ::listen(listener.get(), SOMAXCONN) != 0 ||
        ::getsockname(listener.get(), any, &length) != 0) {
        return {};
    }
    *port = ntohs(address.sin_port);
    return listener;
}

std::string name_of_machine() {
    char name[HOST_NAME_MAX + 1] = {};
    ::gethostname(name, sizeof(name) - 1);
    return name;
}

}  // namespace

void PmixService::listen(const Plan& plan, std::vector<uint32_t> programs) {
    const JobSpec& spec = plan.job.spec;
    std::array<uint64_t, 2> secret;
    fill_random(&secret);
    job_.name = fmt::format("syncline-{:08x}-{:016x}{:016x}", spec.config.job, secret[0], secret[1]);
    job_.server = fmt::format("syncline-{:08x}", spec.config.job);
    job_.machine = name_of_machine();
    job_.ranks = spec.config.ranks;
    job_.programs = std::move(programs);
    if (spec.owner_uid != ::geteuid()) {
        job_.user = spec.owner_uid;
    }
    for (const PlannedNode& node : plan.nodes) {
        if (listeners_.contains(node.netns)) {
            continue;
        }
        std::optional<testbed::NetnsScope> scope;
        if (node.netns >= 0) {
            scope.emplace(node.netns);
        }
        Listener& listener = listeners_[node.netns];
        listener.fd = listen_on_loopback(&listener.port);
    }
}

// As PMIx_server_setup_fork() makes them, which can be asked only once the server is there. The library takes the first
// of the URIs whose version it knows.
std::vector<std::string> PmixService::environment_of(uint32_t rank, const PlannedNode& node) const {
    const auto listener = listeners_.find(node.netns);
    if (listener == listeners_.end() || listener->second.port == 0) {
        return {};
    }
    std::vector<std::string> variables = {"PMIX_NAMESPACE=" + job_.name, fmt::format("PMIX_RANK={}", rank),
                                          "PMIX_HOSTNAME=" + job_.machine, "PMIX_SECURITY_MODE=native",
                                          "PMIX_GDS_MODULE=hash", "PMIX_BFROP_BUFFER_TYPE=PMIX_BFROP_BUFFER_NON_DESC",
                                          // Open MPI 4 asks PMIx only below launchers that it knows by name, or if
                                          // none of those that look for a name is there.
                                          "OMPI_MCA_schizo=ompi"};
    for (const char* const version : {"41", "4", "3", "21", "2"}) {
        variables.push_back(
            fmt::format("PMIX_SERVER_URI{}={}.0;tcp4://127.0.0.1:{}", version, job_.server, listener->second.port));
    }
    return variables;
}

std::vector<int> PmixService::fds() const {
    if (control_) {
        return {control_.get()};
    }
    std::vector<int> all;
    for (const auto& [netns, listener] : listeners_) {
        if (listener.fd) {
            all.push_back(listener.fd.get());
        }
    }
    return all;
}

void PmixService::serve() {
    if (control_ || listeners_.empty()) {
        return;
    }
    const std::vector<int> listening = fds();
    int ends[2];
    if (::socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, ends) != 0) {
        fail_errno(SYNCLINE_ERR_SYSTEM, "cannot create a socket");
    }
    control_.reset(ends[0]);
    UniqueFd servers(ends[1]);
    server_ = ::fork();
    if (server_ < 0) {
        server_ = 0;
        fail_errno(SYNCLINE_ERR_SYSTEM, "cannot start the PMIx server of the job");
    }
    if (server_ == 0) {
        be_pmix_server(job_, std::move(servers), listening);
    }
    for (auto& [netns, listener] : listeners_) {
        listener.fd.reset();
    }
}

std::optional<PmixReport> PmixService::take_report() {
    PmixReport report;
    if (!control_ || ::recv(control_.get(), &report, sizeof(report), MSG_DONTWAIT) != sizeof(report)) {
        return std::nullopt;
    }
    report.text[sizeof(report.text) - 1] = '\0';
    return report;
}

std::optional<int> PmixService::reap() {
    int status = 0;
    if (server_ == 0 || ::waitpid(server_, &status, WNOHANG) != server_) {
        return std::nullopt;
    }
    server_ = 0;
    return status;
}

void PmixService::end(uint64_t patience_ns) {
    control_.reset();
    listeners_.clear();
    const uint64_t patience = now_ns() + patience_ns;
    while (server_ != 0 && ::waitpid(server_, nullptr, WNOHANG) == 0) {
        if (now_ns() >= patience) {
            ::kill(server_, SIGKILL);
        }
        ::usleep(1000);
    }
    server_ = 0;
}

}  // namespace syncline
