// SPDX-License-Identifier: BSD-3-Clause
// A PE's connection to its node: everything that the daemon has handed over, mapped. Outside a job, this process makes
// the same tables for itself.
#pragma once

#include <array>
#include <atomic>
#include <map>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "base/mapping.h"
#include "base/trace.h"
#include "base/unique_fd.h"
#include "job/attachment/memory_move.h"
#include "job/job.h"
#include "job/launchers/launcher.h"
#include "job/protocol/channel.h"
#include "job/trace_text.h"

namespace syncline {

// The tables of a node, which every fabric needs and all PEs of the node share, as addresses in this process.
struct NodeTables {
    fw_port* ports = nullptr;              // [ports]
    const fw_segment* segments = nullptr;  // [SLW_PORTS_MAX * SLW_SEGMENTS_MAX]
    fw_barrier* barriers = nullptr;        // [SLW_BARRIERS_MAX]
};

// Descriptors of what a PE needs besides to exchange packets, if has_packets(): fabric/packet/tables.h maps the tables.
struct PacketDescriptors {
    UniqueFd completions, requests, sources, directory;
};

// Maps memory of a daemon. Throws Failure, which names `what`.
void map_shared(Mapping* mapping, int fd, uint64_t bytes, const char* what, bool writable = true);

class Attachment {
  public:
    // Joins the job of the environment, or makes a job of one PE if there is none. `members` as in syncline_options_t;
    // empty: all processes. Throws Failure.
    static std::unique_ptr<Attachment> create(const std::vector<uint32_t>& members = {});
    // For a PE whose node is in this process, too: the caller does the work of the daemon, and owns tables and memory
    // (`heaps`: the heap of each port) and the events.
    Attachment(Job job, uint32_t rank, const NodeTables& tables, const std::vector<uint8_t*>& heaps,
               std::vector<UniqueFd> events);

    const Job& job() const { return job_; }
    const fw_config& config() const { return job_.spec.config; }
    uint32_t rank() const { return rank_; }
    uint32_t port() const { return job_.map.port_of(rank_); }
    bool alone() const { return !channel_.valid(); }
    // Returns whether `syncline run` has started this process, and so reports why the job ends. Other launchers do not
    // know why.
    bool is_watched() const { return is_watched_; }

    const Trace& trace() const { return trace_; }
    // Switches the trace on, which then has room for so many events, a power of two. Throws Failure.
    void begin_trace(uint32_t events);
    // Returns the traces of this node's part of the job, or of this PE if no daemon answers; none without a trace.
    std::vector<ReadTrace> traces() const;

    const NodeTables& tables() const { return tables_; }
    // Returns where the segments of this node's ports are mapped: [port * SLW_SEGMENTS_MAX + segment], or NULL.
    uint8_t** bases() { return bases_.data(); }
    // Returns whether PEs of this job execute requests, and so write the slot tables, which others only read.
    bool executes() const { return job_.spec.properties().processes_execute; }

    // Maps a segment of another port of this node that was registered meanwhile. Returns false if there is none.
    bool map_segment(uint32_t port, uint32_t segment);

    // See syncline_register(). kNew: the memory holds only zeros, and is not read. Throw Failure.
    enum class Contents { kKept, kNew };  // kNew: nothing but zeros, and not looked at
    uint32_t register_memory(void* base, uint64_t bytes, Contents contents = Contents::kKept, UniqueFd* file = nullptr);
    // Moves pages of the program to a new segment (memory_move.h). The segment is mapped a second time, as a whole;
    // that mapping is its base. Throws Failure.
    uint32_t move_memory(const std::vector<MemoryRun>& runs);
    void deregister_memory(uint32_t segment);

    PacketDescriptors take_packets() { return std::move(packets_); }
    std::vector<UniqueFd> take_sockets() { return std::move(sockets_); }
    int wake_ring() const { return wake_ring_.get(); }
    int event(uint32_t port) const { return events_[port].get(); }
    int daemon_fd() const { return channel_.fd(); }
    // Marks all records of the wake ring as read.
    void empty_wake_ring();

    // Returns false once the daemon is gone. It is cheap enough for a wait loop's slow turn.
    bool daemon_alive();
    // For a caller that does the work of the daemon: from now on the daemon counts as gone.
    void lose_daemon() { daemon_gone_.store(true, std::memory_order_relaxed); }

    // Tells the daemon whether the PE rests: while it does, its end does not count as a death. Throws Failure.
    void rest(bool rests);
    // Asks for the end of the job, with this exit code. If the daemon is gone, says so on stderr.
    void abort_job(int code);
    // In a child of fork(): the connection to the daemon belongs to the parent alone, and so do heaps, the parent's and
    // those of other PEs: this unmaps them, and nothing will be mapped in their place.
    void disown();
    // Returns whether a heap was at this address before disown().
    bool was_heap(const void* address) const;
    void detach();

  private:
    Attachment() = default;
    void join_together(std::unique_ptr<Launcher> launcher);
    void leave_together();
    void join(Channel daemon, uint32_t rank, uint32_t job, uint64_t token);
    void take_answer(Message* answer);
    void fetch_events();
    void map_tables(const UniqueFd* fds);
    void map_wake_ring(UniqueFd fd);
    void make_alone();
    void promise_alone(uint64_t bytes);
    void show_tables();
    void fetch_segment(uint32_t port, uint32_t segment);
    uint32_t register_alone(void* base, uint64_t bytes, Contents contents);
    Message ask_for_segment(uint64_t bytes, uint32_t* segment);

    Job job_;
    Trace trace_;
    UniqueFd trace_file_;      // of a PE that is alone: `syncline top` finds it among the process's descriptors
    uint64_t promisable_ = 0;  // for a PE that is alone: memory that its heap and its registrations may take besides
    uint32_t rank_ = 0;
    Channel channel_;
    bool is_watched_ = false;
    std::unique_ptr<Launcher> launcher_;  // that has started this process and others; NULL for `syncline run`
    std::atomic<bool> daemon_gone_{false};
    NodeTables tables_;
    Mapping ports_, segments_, barriers_, ring_consumer_, ring_producer_;
    PacketDescriptors packets_;
    UniqueFd wake_ring_;
    std::vector<UniqueFd> events_;
    std::vector<UniqueFd> sockets_;
    std::vector<Mapping> memory_;
    std::map<uint32_t, std::span<uint8_t>> grown_;  // by own segment: memory that heaps have grown by
    std::array<uint8_t*, SLW_PORTS_MAX * SLW_SEGMENTS_MAX> bases_ = {};
};

}  // namespace syncline
