// SPDX-License-Identifier: BSD-3-Clause
#include "daemon/node_jobs.h"

#include <spdlog/spdlog.h>

#include <algorithm>

#include "base/clock.h"
#include "base/counted.h"
#include "daemon/addresses.h"
#include "daemon/node_offer.h"

namespace syncline {

NodeJobs::NodeJobs(const Settings& settings, bool resident, const RateLimit& requests, LimitedLog* log)
    : memory_(settings.memory_limit, "/proc", settings.memory_of_user),
      programs_(resident),
      resident_(resident),
      request_rate_(requests),
      log_(log) {}

void NodeJobs::change(const Settings& settings) {
    memory_.set_limits(settings.memory_limit, settings.memory_of_user);
}

void NodeJobs::prepare_for_xdp(const std::vector<std::string>& interfaces) {
    builder_.add_first([this, interfaces] {
        try {
            const std::string interface = interface_with_xdp(interfaces);
            if (!interface.empty()) {
                programs_.prepare(interface, longest_packet_over(interface));
            }
        } catch (const std::exception& failure) {
            spdlog::debug("no NIC program is loaded ahead: {}", failure.what());
        }
    });
}

void NodeJobs::build(int connection, Job job) {
    builder_.add(connection, std::make_shared<NodeJob>(std::move(job), &memory_, &programs_));
}

void NodeJobs::begin(const std::shared_ptr<NodeJob>& job) {
    jobs_[job->id()] = job;
    const JobSpec& spec = job->job().spec;
    log_->write(LimitedLog::Kind::kJob, spec.owner_uid, now_ns(),
                "job {:08x} of user {} begins: {} here, {} in all on {}, over {}", job->id(), spec.owner_uid,
                counted(spec.config.ports, "PE"), spec.config.ranks, counted(spec.config.nodes, "node"),
                transport_name(spec.transport));
    // Each PE asks for the heap of each PE of the node.
    const uint64_t ports = spec.config.ports;
    requests_.insert_or_assign(job->id(), request_rate_.deeper(ports * ports));
    had_any_ = true;
}

void NodeJobs::tell_of_end(const NodeJob& job) {
    const uid_t user = job.job().spec.owner_uid;
    log_->write(LimitedLog::Kind::kJob, user, now_ns(), "job {:08x} of user {} has ended", job.id(), user);
}

void NodeJobs::end(uint32_t id) {
    end_if([id](const NodeJob& job) { return job.id() == id; });
}

void NodeJobs::end_if(const std::function<bool(const NodeJob&)>& is_over) {
    std::erase_if(jobs_, [&](const auto& entry) {
        const bool over = is_over(*entry.second);
        if (over) {
            tell_of_end(*entry.second);
            requests_.erase(entry.first);
        }
        return over;
    });
}

std::shared_ptr<NodeJob> NodeJobs::find(uint32_t id) const {
    const auto found = jobs_.find(id);
    return found == jobs_.end() ? nullptr : found->second;
}

uint32_t NodeJobs::count_of(uid_t user) const {
    const auto running = std::count_if(jobs_.begin(), jobs_.end(),
                                       [&](const auto& entry) { return entry.second->job().spec.owner_uid == user; });
    return static_cast<uint32_t>(running) + builder_.count_of(user);
}

uint32_t NodeJobs::expected(uid_t user) const {
    uint32_t pes = 0;
    for (const auto& [id, job] : jobs_) {
        pes += job->job().spec.owner_uid == user ? job->expected() : 0;
    }
    return pes;
}

bool NodeJobs::may_ask(uint32_t id, uint64_t now) {
    const auto requests = requests_.find(id);
    return requests == requests_.end() || requests->second.take(now);
}

// The message has room for a limited number of waits.
std::string NodeJobs::statistics(uid_t user) {
    const size_t waits = std::clamp<size_t>(512 / std::max<size_t>(1, jobs_.size()), 1, 32);
    std::string text = "[";
    for (const auto& [id, job] : jobs_) {
        if (user == 0 || user == job->job().spec.owner_uid) {
            text += (text.size() > 1 ? "," : "") + job->statistics(waits);
        }
    }
    return text + "]";
}

void NodeJobs::do_work(uint64_t now) {
    for (const auto& [id, job] : jobs_) {
        job->do_work(now);
    }
}

bool NodeJobs::have_timers() const {
    return std::any_of(jobs_.begin(), jobs_.end(), [](const auto& entry) { return entry.second->has_timer(); });
}

}  // namespace syncline
