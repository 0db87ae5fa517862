// SPDX-License-Identifier: BSD-3-Clause
// A job's counters and waits on this node, for `syncline stat` and `syncline top`.
#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "base/clock.h"
#include "daemon/node_job.h"

namespace syncline {
namespace {

using Json = nlohmann::ordered_json;

// Keeps the longest waits, because they tell where a job hangs.
Json longest(std::vector<Json> waits, size_t most) {
    const auto longer = [](const Json& one, const Json& other) {
        return one.at("ms").get<uint64_t>() > other.at("ms").get<uint64_t>();
    };
    std::sort(waits.begin(), waits.end(), longer);
    waits.resize(std::min(waits.size(), most));
    return waits;
}

}  // namespace

std::string NodeJob::statistics(size_t waits) {
    const fw_config& config = job_.spec.config;
    Json json;
    json["job"] = fmt::format("{:08x}", config.job);
    json["node"] = config.node;
    json["transport"] = transport_name(job_.spec.transport);
    json["executor"] = target_->description();
    json["ranks"] = job_.map.ranks_of(config.node);
    json["user"] = job_.spec.owner_uid;
    json["authenticated"] = config.authenticate != 0;
    const auto count = [&](auto&& is) { return std::count_if(ports_.begin(), ports_.end(), is); };
    json["attached"] = count([](const Port& port) { return port.attached; });
    json["dead"] = count([](const Port& port) { return port.dead; });
    add_counters(&json);
    add_waits(&json, waits);
    return json.dump();
}

void NodeJob::add_counters(Json* json) {
    fw_counters counters = target_->counters();
    uint64_t retransmitted = 0;
    uint64_t bytes = 0;
    for (uint32_t port = 0; packets_ && port < ports_.size(); port++) {
        const Retransmitter& timer = packets_->retransmitter();
        retransmitted += timer.by_process(port);
        bytes += timer.bytes_of(port);
        timer.add_counters(port, &counters);
    }
    (*json)["retransmitted_by_daemon"] = packets_ ? packets_->retransmitter().total() : 0;
    (*json)["retransmitted_by_processes"] = retransmitted;
    (*json)["bytes"] = bytes;
    for (uint32_t i = 0; i < FW_COUNTER_COUNT; i++) {
        (*json)["counters"][fw_counter_names[i]] = counters.value[i];
    }
}

void NodeJob::add_waits(Json* json, size_t most) {
    const uint64_t now = now_ns();
    const uint32_t here = job_.spec.config.node;
    std::vector<Json> requests;
    std::vector<Json> barriers;
    uint32_t asleep = 0;
    for (uint32_t port = 0; port < ports_.size(); port++) {
        asleep += __atomic_load_n(&target_->ports()[port].waiting, __ATOMIC_RELAXED) != 0 ? 1 : 0;
        for (const auto& wait :
             packets_ ? packets_->retransmitter().waits_of(port, now) : std::vector<Retransmitter::Wait>()) {
            requests.push_back({{"rank", job_.map.rank_at(here, port)},
                                {"node", wait.node},
                                {"requests", wait.requests},
                                {"ms", wait.for_ns / ns_per_ms}});
        }
    }
    for (const auto& wait : packets_ ? packets_->barrier_timer().waits(now) : std::vector<BarrierTimer::Wait>()) {
        barriers.push_back({{"barrier", wait.barrier}, {"node", wait.node}, {"ms", wait.for_ns / ns_per_ms}});
    }
    (*json)["asleep"] = asleep;
    (*json)["waits"] = longest(std::move(requests), most);
    (*json)["barrier_waits"] = longest(std::move(barriers), most);
}

}  // namespace syncline
