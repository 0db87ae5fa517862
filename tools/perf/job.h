// SPDX-License-Identifier: BSD-3-Clause
// The job that `syncline perf` runs in: its end of it, the memory that operations use, the way in which PEs meet
// without disturbing those that measure, and where the PEs are.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "tools/perf/operation.h"
#include "tools/perf/record.h"

namespace syncline::perf {

struct Node {
    std::vector<int> pes;
    std::string host;
};

class Job {
  public:
    // Joins it; at least two PEs. Throws Failure, as the other functions do.
    Job();
    Job(const Job&) = delete;
    Job& operator=(const Job&) = delete;

    int rank() const { return rank_; }
    int size() const { return size_; }
    bool is_first() const { return rank_ == 0; }
    // PE 0 knows their hosts behind prepare().
    const std::vector<Node>& nodes() const { return nodes_; }
    static int node_of(int pe);
    // Between nodes, or between the PEs of the pair: shm, udp or xdp.
    std::string transport() const { return nodes_.size() > 1 ? syncline_transport() : "shm"; }
    std::string transport(Pair pair) const;
    // The executor of operations by pair.from on memory of pair.to: "the CPU of PE 0", "the NIC of node 1", "an agent
    // of node 1".
    std::string executor(Pair pair) const;

    // Collective: the memory for data, and where `with_locks`, a lock with its home at each PE of `homes`.
    void prepare(uint64_t area_bytes, const std::vector<int>& homes);
    const Ground& ground() const { return ground_; }
    syncline_lock_t* lock_at(int home) const;

    // Collective: returns when all PEs are here. Those that wait sleep, a fiftieth of a second at most at a time.
    void meet();

    // A record for PE 0, by the PE that has measured. PE 0 takes it between the next meet() and the one after.
    void deliver(const Record& record) const;
    Record take() const;

    // Collective: the end.
    void leave();

  private:
    void find_nodes();
    void tell_hosts();

    int rank_ = 0;
    int size_ = 0;
    std::vector<Node> nodes_;
    Ground ground_;
    syncline_address_t hosts_ = 0;
    syncline_address_t record_ = 0;
    syncline_barrier_t meeting_ = nullptr;
    std::vector<int> homes_;
    std::vector<syncline_lock_t*> locks_;
};

}  // namespace syncline::perf
