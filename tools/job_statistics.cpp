// SPDX-License-Identifier: BSD-3-Clause
#include "tools/job_statistics.h"

#include <fstream>
#include <set>
#include <string>

#include "base/failure.h"
#include "job/bootstrap.h"
#include "job/channel.h"

namespace syncline::tools {
namespace {

using nlohmann::json;

// The launchers' abstract sockets of this network namespace.
std::vector<std::string> running_jobs() {
    std::vector<std::string> names;
    std::ifstream sockets("/proc/net/unix");
    for (std::string line; std::getline(sockets, line);) {
        const size_t at = line.find("@syncline/job-");
        // Only listening sockets (flag 00010000); accepted connections carry the same name.
        if (at != std::string::npos && line.find(" 00010000 ") != std::string::npos) {
            names.push_back(line.substr(at));
        }
    }
    return names;
}

json ask(const std::string& address, bool is_daemon = false) {
    Channel channel = Channel::connect(address);
    if (is_daemon) {
        channel.call(Message{});
    }
    Message request;
    request.type = MessageType::kStat;
    return json::parse(channel.call(request).text());
}

// The parts that this node's service has, each as a job of one node, but for jobs of launchers that have told of them.
void add_parts_of_service(std::vector<json>* jobs) {
    std::set<json> known;
    for (const json& nodes : *jobs) {
        known.insert(nodes.at(0).at("job"));
    }
    try {
        for (const json& node : ask(address_of_service(), true)) {
            if (!known.contains(node.at("job"))) {
                jobs->push_back(json::array({node}));
            }
        }
    } catch (const Failure&) {
        // There is no service here.
    }
}

}  // namespace

std::vector<json> statistics_of_jobs() {
    std::vector<json> jobs;
    for (const std::string& address : running_jobs()) {
        try {
            if (json nodes = ask(address); !nodes.empty()) {
                jobs.push_back(std::move(nodes));
            }
        } catch (const Failure& failure) {
            continue;  // another user's, or ended meanwhile
        }
    }
    add_parts_of_service(&jobs);
    return jobs;
}

}  // namespace syncline::tools
