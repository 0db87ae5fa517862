// SPDX-License-Identifier: BSD-3-Clause
// What a PE holds of its node: everything the daemon handed over, mapped. Or, outside a job, its private twin.
#pragma once

#include <array>
#include <atomic>
#include <memory>
#include <string>
#include <vector>

#include "base/unique_fd.h"
#include "job/channel.h"
#include "job/job.h"
#include "job/mapping.h"

namespace syncline {

class Attachment {
  public:
    // Joins the job of the environment, or makes a job of one PE if there is none. Throws Failure.
    static std::unique_ptr<Attachment> create();

    const Job& job() const { return job_; }
    const fw_config& config() const { return job_.spec.config; }
    uint32_t rank() const { return rank_; }
    uint32_t port() const { return rank_ - config().first_rank; }
    bool alone() const { return !channel_.valid(); }

    fw_port* ports() const { return ports_.at<fw_port>(); }
    const fw_segment* segments() const { return segments_.at<fw_segment>(); }
    fw_barrier* barriers() const { return barriers_.at<fw_barrier>(); }
    fw_completion* completions() const { return completions_.at<fw_completion>(); }
    RequestsHeader* requests_header() const { return requests_.at<RequestsHeader>(); }
    RequestImage* requests() const { return requests_.at<RequestImage>(sizeof(RequestsHeader)); }

    // Where the segments of this node's ports are mapped: [port * SLW_SEGMENTS_MAX + segment], or NULL.
    uint8_t** bases() { return bases_.data(); }
    // The node's slot tables: to execute requests with, in jobs whose processes do that (else NULL); to look at.
    fw_slot* slots() const { return executes() ? slots_.at<fw_slot>() : nullptr; }
    const fw_slot* slot_tables() const { return slots_.at<fw_slot>(); }

    // Maps a segment of another port of this node that was registered meanwhile. False if there is none.
    bool map_segment(uint32_t port, uint32_t segment);

    // See syncline_register(). Throw Failure.
    uint32_t register_memory(void* base, uint64_t bytes);
    void deregister_memory(uint32_t segment);

    std::vector<UniqueFd> take_sockets() { return std::move(sockets_); }
    int wake_ring() const { return wake_ring_.get(); }
    int event(uint32_t port) const { return events_[port].get(); }
    int daemon_fd() const { return channel_.fd(); }
    // Says that everything in the wake ring has been read.
    void empty_wake_ring();

    // False once the daemon is gone. Cheap enough for a wait loop's slow turn.
    bool daemon_alive();

    void abort_job(int code);
    void detach();

  private:
    bool executes() const { return job_.spec.transport == TransportKind::kShm; }
    void join(const std::string& address, uint32_t rank, uint32_t job, uint64_t token);
    void take_answer(Message* answer);
    void map_all(std::vector<UniqueFd>* fds, uint32_t flags);
    void make_alone();
    void fetch_segment(uint32_t port, uint32_t segment);

    Job job_;
    uint32_t rank_ = 0;
    Channel channel_;
    std::atomic<bool> daemon_gone_{false};
    Mapping ports_, segments_, completions_, requests_, barriers_, slots_, ring_consumer_, ring_producer_;
    UniqueFd wake_ring_;
    std::vector<UniqueFd> events_;
    std::vector<UniqueFd> sockets_;
    std::vector<Mapping> memory_;
    std::array<uint8_t*, SLW_PORTS_MAX * SLW_SEGMENTS_MAX> bases_ = {};
};

}  // namespace syncline
