// SPDX-License-Identifier: BSD-3-Clause
#include "tools/job_traces.h"

#include <fcntl.h>
#include <sys/socket.h>

#include <algorithm>
#include <charconv>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <string>

#include "base/failure.h"
#include "base/trace.h"
#include "base/unique_fd.h"
#include "job/bootstrap.h"
#include "job/protocol/traces.h"
#include "tools/job_statistics.h"

namespace syncline::tools {
namespace {

using nlohmann::json;

// Returns the process that listens at the other end.
pid_t listener_of(const Channel& channel) {
    ucred peer = {};
    socklen_t length = sizeof(peer);
    return ::getsockopt(channel.fd(), SOL_SOCKET, SO_PEERCRED, &peer, &length) == 0 ? peer.pid : 0;
}

bool has(const std::vector<ReadTrace>& traces, pid_t process) {
    return std::any_of(traces.begin(), traces.end(), [process](const ReadTrace& trace) {
        return trace.owner.process == static_cast<uint32_t>(process);
    });
}

std::vector<ReadTrace> traces_of_node(Informant* informant, const json& node) {
    const auto text = node.at("job").get<std::string>();
    uint32_t job = 0;
    std::from_chars(text.data(), text.data() + text.size(), job, 16);
    return ask_for_traces(&informant->channel, job, node.at("node").get<uint32_t>(), await_answer);
}

// Returns nothing unless the process belongs to the launcher's job.
std::vector<ReadTrace> traces_from_launcher(const std::string& address, pid_t process) {
    Informant launcher = ask_for_statistics(address, false);
    std::vector<ReadTrace> all;
    for (const json& node : launcher.nodes) {
        std::vector<ReadTrace> found = traces_of_node(&launcher, node);
        std::move(found.begin(), found.end(), std::back_inserter(all));
    }
    return listener_of(launcher.channel) == process || has(all, process) ? all : std::vector<ReadTrace>();
}

std::vector<ReadTrace> traces_from_service(pid_t process) {
    Informant daemon = ask_for_statistics(address_of_service(), true);
    for (const json& node : daemon.nodes) {
        std::vector<ReadTrace> found = traces_of_node(&daemon, node);
        if (has(found, process)) {
            return found;
        }
    }
    return {};
}

// A PE without a daemon keeps the file of its trace open. The kernel lets its user and root open it.
std::vector<ReadTrace> traces_from_descriptors(pid_t process) {
    std::error_code error;
    const std::string folder = "/proc/" + std::to_string(process) + "/fd";
    for (std::filesystem::directory_iterator entry(folder, error), end; !error && entry != end;
         entry.increment(error)) {
        const std::string target = std::filesystem::read_symlink(entry->path(), error).string();
        if (target.find(std::string("memfd:") + trace_file_name) == std::string::npos) {
            continue;
        }
        const UniqueFd file(::open(entry->path().c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK));
        if (std::optional<ReadTrace> found = file ? read_trace(file.get()) : std::nullopt) {
            return {std::move(*found)};
        }
    }
    return {};
}

template <typename Ask>
std::vector<ReadTrace> or_nothing(Ask&& ask) {
    try {
        return ask();
    } catch (const Failure&) {
        return {};  // it belongs to another user, has ended, or does not answer
    }
}

}  // namespace

std::vector<ReadTrace> traces_of_process(pid_t process) {
    std::vector<ReadTrace> found;
    for (const std::string& address : sockets_of_launchers()) {
        if (found.empty()) {
            found = or_nothing([&] { return traces_from_launcher(address, process); });
        }
    }
    if (found.empty()) {
        found = or_nothing([&] { return traces_from_service(process); });
    }
    if (found.empty()) {
        found = traces_from_descriptors(process);
    }
    if (found.empty()) {
        fail(
            SYNCLINE_ERR_NOT_FOUND,
            "process {} is no PE of yours that keeps a trace, and starts none: set SYNCLINE_TRACE=1 in the environment "
            "of its job",
            process);
    }
    return found;
}

}  // namespace syncline::tools
