// SPDX-License-Identifier: BSD-3-Clause
#include "tools/perf/job.h"

#include <shmem.h>
#include <shmemx.h>
#include <unistd.h>

#include <algorithm>
#include <cstring>

#include "base/clock.h"
#include "base/failure.h"
#include "bench/timing/timed_calls.h"

namespace syncline::perf {
namespace {

using bench::must;

constexpr int meeting_number = 0;
constexpr uint64_t page_bytes = 4096;
constexpr size_t host_bytes = 64;
constexpr uint64_t nap_ns_min = 50 * ns_per_us;
constexpr uint64_t nap_ns_max = 20 * ns_per_ms;

std::string own_host() {
    char name[host_bytes] = {};
    return ::gethostname(name, sizeof(name) - 1) == 0 ? name : "unknown";
}

void sleep_for(uint64_t ns) {
    ::usleep(static_cast<useconds_t>(ns / ns_per_us));
}

}  // namespace

Job::Job() {
    must(syncline_init(nullptr));
    rank_ = syncline_rank();
    size_ = syncline_size();
    find_nodes();
}

void Job::find_nodes() {
    nodes_.resize(static_cast<size_t>(syncline_nodes()));
    for (int pe = 0; pe < size_; pe++) {
        nodes_[static_cast<size_t>(node_of(pe))].pes.push_back(pe);
    }
}

int Job::node_of(int pe) {
    const int node = syncline_node_of(pe);
    must(node);
    return node;
}

std::string Job::transport(Pair pair) const {
    return node_of(pair.from) == node_of(pair.to) ? "shm" : syncline_transport();
}

// The library answers for the caller. Between nodes the answer is one for the whole job, so this PE asks about any PE
// of another node.
std::string Job::executor(Pair pair) const {
    if (node_of(pair.from) == node_of(pair.to)) {
        return fmt::format("the CPU of PE {}", pair.from);
    }
    const int other = nodes_[node_of(rank_) == 0 ? 1 : 0].pes.front();
    const bool by_nic = shmemx_executed_by(syncline_local(ground_.area), other) == SHMEMX_EXECUTED_BY_NIC;
    return fmt::format("{} of node {}", by_nic ? "the NIC" : "an agent", node_of(pair.to));
}

void Job::prepare(uint64_t area_bytes, const std::vector<int>& homes) {
    must(syncline_alloc(area_bytes, page_bytes, &ground_.area));
    ground_.area_bytes = area_bytes;
    must(syncline_alloc(words_bytes, page_bytes, &ground_.words));
    must(syncline_alloc(sizeof(Record), 0, &record_));
    must(syncline_alloc(nodes_.size() * host_bytes, 0, &hosts_));
    shmem_init();  // for signals
    homes_ = homes;
    locks_.resize(homes.size());
    if (!homes.empty()) {
        must(syncline_locks_create(SYNCLINE_LOCK_MCS, homes.data(), static_cast<int>(homes.size()), locks_.data()));
    }
    must(syncline_barrier_open(meeting_number, nullptr, 0, nullptr, &meeting_));
    tell_hosts();
}

// The first PE of each node tells PE 0.
void Job::tell_hosts() {
    const auto node = static_cast<size_t>(node_of(rank_));
    if (nodes_[node].pes.front() == rank_) {
        char name[host_bytes] = {};
        own_host().copy(name, sizeof(name) - 1);
        must(syncline_put(0, hosts_ + node * host_bytes, name, sizeof(name)));
    }
    meet();
    for (size_t i = 0; i < nodes_.size() && is_first(); i++) {
        nodes_[i].host = static_cast<const char*>(syncline_local(hosts_ + i * host_bytes));
    }
}

syncline_lock_t* Job::lock_at(int home) const {
    const auto found = std::find(homes_.begin(), homes_.end(), home);
    return found == homes_.end() ? nullptr : locks_[static_cast<size_t>(found - homes_.begin())];
}

// A nap is a part of the time that has passed, so the last PE of a short measurement is noticed soon.
void Job::meet() {
    const uint64_t begin = now_ns();
    int done = 0;
    must(syncline_barrier_start(meeting_));
    must(syncline_barrier_test(meeting_, &done));
    while (done == 0) {
        sleep_for(std::clamp((now_ns() - begin) / 16, nap_ns_min, nap_ns_max));
        must(syncline_barrier_test(meeting_, &done));
    }
}

void Job::deliver(const Record& record) const {
    must(syncline_put(0, record_, &record, sizeof(record)));
}

Record Job::take() const {
    Record record;
    std::memcpy(&record, syncline_local(record_), sizeof(record));
    return record;
}

void Job::leave() {
    if (meeting_ != nullptr) {
        must(syncline_barrier_close(meeting_));
        shmem_finalize();
    }
    must(syncline_finalize());
}

}  // namespace syncline::perf
