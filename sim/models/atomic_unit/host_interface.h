// SPDX-License-Identifier: BSD-3-Clause
// The bus between NIC and host (Underwood 2008: HyperTransport). It has one link each way, with a latency and a
// bandwidth. A request to the host carries a tag, of which there are few. Commands of the processors share the link to
// the NIC with responses.
//
//   read     waits for a tag, crosses, is served by memory, and its response crosses back: then the tag is free
//   write    waits for a tag, crosses: then the tag is free (equation 6 counts WrLat once). It is visible in memory
//            write_visible_ns later. A read that arrives in between does not see it: that is the hazard of section
//            III.B. The acknowledgement leaves when it is visible.
//   flush    crosses; its response leaves when all writes before it are visible
//   message  a write whose arrival the host interface reports to a processor
//
// With write_credits (PCI Express), writes and messages need a credit instead of a tag. The credit comes back when the
// write has crossed and the news of that has crossed back. All requests are sent in order.
//
//   command  from a processor to the NIC: posted, needs no tag
#pragma once

#include <cstdint>
#include <deque>

#include "sim/kernel/kernel.h"
#include "sim/models/atomic_unit/memory.h"

namespace syncline::sim::atomic_unit {

struct HostParameters {
    double latency_ns = 250;  // each way
    double bandwidth_gbps = 2.3;
    double read_request_bytes = 8;  // Underwood 2008, equation 3
    double write_request_bytes = 16;
    double response_bytes = 12;
    double acknowledgement_bytes = 0;  // the paper's equations count none
    double command_bytes = 32;
    double write_visible_ns = 70;
    uint64_t tags = 32;
    uint64_t queue = 32;
    bool tag_until_acknowledged = false;
    uint64_t write_credits = 0;  // 0: writes take tags
};

// The NIC and the processors, to the bus.
class HostClient {
  public:
    virtual void read_done(uint32_t ticket, uint64_t value) = 0;
    virtual void write_acknowledged(uint64_t word) = 0;
    virtual void flushed() = 0;
    virtual void host_moved() = 0;  // the queue to the host has become shorter
    virtual void command_arrived(uint64_t command) = 0;
    virtual void message_visible(uint64_t message) = 0;  // at the host

  protected:
    ~HostClient() = default;
};

class HostInterface final : public Component {
  public:
    HostInterface(Kernel* kernel, const HostParameters& parameters, Memory* memory, HostClient* client);

    bool full() const { return queue_.size() >= parameters_.queue; }
    size_t queued() const { return queue_.size(); }

    void read(uint64_t word, uint32_t ticket) { request({Kind::kRead, ticket, word, 0}); }
    void write(uint64_t word, uint64_t value) { request({Kind::kWrite, 0, word, value}); }
    void flush() { request({Kind::kFlush, 0, 0, 0}); }
    void message(uint64_t message) { request({Kind::kMessage, 0, message, 0}); }
    void command(uint64_t command);

    void handle(uint64_t what) override;

    struct Statistics {
        uint64_t reads = 0, writes = 0, flushes = 0, messages = 0, commands = 0;
        uint64_t tags_most = 0;
        Time to_host_busy = 0, to_nic_busy = 0;
        Time tag_time = 0;  // time in use, summed over all tags
    };
    const Statistics& statistics() const { return statistics_; }

  private:
    enum class Kind : uint8_t { kRead, kWrite, kFlush, kMessage, kCommand };
    struct Transfer {
        Kind kind;
        uint32_t ticket;
        uint64_t word;
        uint64_t value;
    };
    enum Event : uint64_t { kToHostFree, kAtHost, kServed, kVisible, kToNicFree, kAtNic, kAcknowledged, kCredit };

    void request(const Transfer& transfer);
    bool is_posted(Kind kind) const;
    bool may_send(Kind kind) const;
    void send_to_host();
    void send_to_nic();
    void arrive_at_host();
    void write_arrived(Kind kind);
    void serve();
    void become_visible();
    void arrive_at_nic(std::deque<Transfer>* from);
    void release_tag();
    void note_tags();
    void count(Kind kind);
    Time time_to_host(Kind kind) const;
    Time time_to_nic(Kind kind) const;

    Kernel* const kernel_;
    const HostParameters parameters_;
    Memory* const memory_;
    HostClient* const client_;
    const Time latency_;
    const Time visible_;

    // Every stage takes one time for all transfers, or serves in order, so that each stage is a queue.
    std::deque<Transfer> queue_, crossing_, memory_queue_, visible_queue_, responses_, commands_, returning_;
    std::deque<Transfer> acknowledgements_;  // these have no bytes of their own, so they do not wait for the link
    bool to_host_busy_ = false, to_nic_busy_ = false;
    bool commands_turn_ = false;
    uint64_t tags_used_ = 0, credits_used_ = 0;
    Time tags_changed_ = 0;
    Statistics statistics_;
};

}  // namespace syncline::sim::atomic_unit
