// SPDX-License-Identifier: BSD-3-Clause
#include "tools/job_statistics.h"

#include <poll.h>

#include <fstream>
#include <set>
#include <string>
#include <string_view>

#include "base/failure.h"
#include "job/bootstrap.h"

namespace syncline::tools {
namespace {

using nlohmann::json;

constexpr std::string_view job_prefix = "@syncline/job-";

constexpr int patience_s = 2;

// Adds the parts that this node's resident daemon has, each as a job of one node, except parts of jobs that a launcher
// has already reported.
void add_parts_of_service(JobStatistics* found) {
    std::set<json> known;
    for (const json& nodes : found->jobs) {
        known.insert(nodes.at(0).at("job"));
    }
    try {
        for (const json& node : ask_for_statistics(address_of_service(), true).nodes) {
            if (!known.contains(node.at("job"))) {
                found->jobs.push_back(json::array({node}));
            }
        }
    } catch (const Failure& failure) {
        if (failure.status() == SYNCLINE_ERR_TIMEOUT) {
            found->silent.emplace_back("this node's synclined does not answer");
        }  // else there is no resident daemon
    }
}

}  // namespace

std::vector<std::string> sockets_of_launchers() {
    std::vector<std::string> names;
    std::ifstream sockets("/proc/net/unix");
    for (std::string line; std::getline(sockets, line);) {
        const size_t at = line.find(job_prefix);
        // Only listening sockets (flag 00010000); accepted connections carry the same name.
        if (at != std::string::npos && line.find(" 00010000 ") != std::string::npos) {
            names.push_back(line.substr(at));
        }
    }
    return names;
}

void await_answer(int fd) {
    pollfd polled = {fd, POLLIN, 0};
    if (::poll(&polled, 1, patience_s * 1000) == 0) {
        fail(SYNCLINE_ERR_TIMEOUT, "no answer within {} s", patience_s);
    }
}

Informant ask_for_statistics(const std::string& address, bool is_daemon) {
    Informant informant = {Channel::connect(address, patience_s), {}};
    if (is_daemon) {
        informant.channel.call(Message{}, await_answer);
    }
    Message request;
    request.type = MessageType::kStat;
    informant.nodes = json::parse(informant.channel.call(request, await_answer).text());
    return informant;
}

JobStatistics statistics_of_jobs() {
    JobStatistics found;
    for (const std::string& address : sockets_of_launchers()) {
        try {
            if (json nodes = ask_for_statistics(address, false).nodes; !nodes.empty()) {
                found.jobs.push_back(std::move(nodes));
            }
        } catch (const Failure& failure) {
            if (failure.status() == SYNCLINE_ERR_TIMEOUT) {
                found.silent.push_back(address.substr(job_prefix.size()) +
                                       " does not answer: its `syncline run` or one of its daemons is stopped");
            }  // else the job is another user's, or has ended meanwhile
        }
    }
    add_parts_of_service(&found);
    return found;
}

}  // namespace syncline::tools
