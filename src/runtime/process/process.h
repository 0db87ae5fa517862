// SPDX-License-Identifier: BSD-3-Clause
// The state of a PE's process on which all front-ends stand: its identity, its side of the job's operations, its heap,
// and the collective calls that need no group. A process has one such object; lifetime.h makes it and takes it away.
//
// Threads: any; collective calls and the heap's allocator run one at a time, under `collective_`.
#pragma once

#include <map>
#include <memory>
#include <mutex>
#include <vector>

#include "runtime/collective/fence_barrier.h"
#include "runtime/collective/job_barrier.h"
#include "runtime/endpoint/endpoint.h"
#include "runtime/memory/heap.h"

namespace syncline {

class Process {
  public:
    struct Options {
        int wait_mode = SYNCLINE_WAIT_POLL;
        uint32_t peer_timeout_ms = 0;        // 0: the job's timeout
        std::vector<uint32_t> members = {};  // as in syncline_options_t; empty: all processes
    };

    // Attaches to the job of the environment, or makes a job of one PE. Throws Failure.
    explicit Process(const Options& options);
    // The parts of a PE that is attached already, as the PEs of the deterministic simulation are.
    struct Parts {
        std::unique_ptr<Attachment> attachment;
        std::unique_ptr<Fabrics> fabrics;
    };
    Process(Parts parts, int wait_mode);
    ~Process();

    Endpoint& endpoint() { return *endpoint_; }
    const Job& job() const { return endpoint_->attachment().job(); }
    uint32_t rank() const { return endpoint_->rank(); }
    uint32_t size() const { return endpoint_->size(); }
    // Returns the name of the transport between nodes.
    const char* transport_name() const { return job().spec.properties().name; }
    bool daemon_alive() const { return endpoint_->attachment().daemon_alive(); }
    bool blocks() const { return blocks_; }  // whether a waiting thread sleeps

    // The job's software barrier, after a quiet. Returns OK, _PEER or _NODE.
    int barrier();
    // Called after the last barrier(); see JobBarrier::part().
    void part();
    BarrierHistory& barrier_history() { return barrier_history_; }
    int fence_barrier(Barrier* barrier, std::span<const uint32_t> members, int algorithm);

    // The symmetric heap: collective calls, of which allocate() ends and free() begins in a barrier. An address is the
    // same at all PEs. Return OK, _NO_MEMORY, _ADDRESS, or the barrier's status.
    int allocate(size_t bytes, size_t alignment, syncline_address_t* address);
    int free(syncline_address_t address);
    Heap& heap() { return *heap_; }

    // Keeps an object that was made collectively, such as a lock, until forget() or the end of the job.
    void keep(std::shared_ptr<void> object);
    void forget(const void* object);
    void forget_all();

  private:
    static Parts attach(const Options& options);

    const bool blocks_;
    std::unique_ptr<Heap> heap_;
    std::unique_ptr<Endpoint> endpoint_;
    BarrierHistory barrier_history_;
    std::unique_ptr<JobBarrier> job_barrier_;
    std::unique_ptr<FenceBarrier> fence_barrier_;
    std::mutex collective_;  // guards barriers and the heap
    // Destroyed before the endpoint, because the objects' threads use it.
    std::map<const void*, std::shared_ptr<void>> kept_;
    std::mutex kept_guard_;
};

}  // namespace syncline
