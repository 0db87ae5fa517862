// SPDX-License-Identifier: BSD-3-Clause
// Sends requests again on behalf of processes that compute; a process that waits does so itself, before this timer
// would. It reads the request images that the processes share, and never trusts a length in them.
#pragma once

#include <cstdint>
#include <vector>

#include "base/mapping.h"
#include "base/trace.h"
#include "job/job.h"

namespace syncline {

class Retransmitter {
  public:
    // Sends from `socket`, which is bound to the job's UDP port at this node. All three outlive the object.
    Retransmitter(const Job* job, int socket, const Trace* trace);

    void add_port(uint32_t port, int images_fd);

    // Looks at all ports once; returns how many packets it has sent.
    int do_work(uint64_t now);

    // Returns how many packets were sent again since the start: by this timer, and by the process of a port itself.
    uint64_t total() const { return total_; }
    uint64_t by_process(uint32_t port) const;
    // Returns how many bytes the process of a port has asked for or sent, by its own count.
    uint64_t bytes_of(uint32_t port) const;
    // A port's requests to a node that this timer has found under way, and for how long the oldest of them has been.
    struct Wait {
        uint32_t node;
        uint32_t requests;
        uint64_t for_ns;
    };
    std::vector<Wait> waits_of(uint32_t port, uint64_t now) const;
    // Adds the counts that the process of a port keeps itself, if no NIC deposits its replies.
    void add_counters(uint32_t port, fw_counters* sum) const;

    // The first wait of a packet; each later one is twice as long, up to the maximum: many are sent within the peer
    // timeout.
    static constexpr uint64_t interval_ns = 50'000'000;
    static constexpr uint64_t interval_ns_max = 200'000'000;

  private:
    // An image whose packet is under way, since when, as far as this timer has seen, and how long it waits before it
    // sends.
    struct Armed {
        size_t index;
        uint64_t state;
        uint64_t since_ns;
        uint64_t wait_ns;
    };

    struct Port {
        Mapping images;
        std::vector<uint64_t> sent_ns;  // by buffer: when this timer last sent its packet
        std::vector<Armed> armed;       // at the last look, by index
    };

    void note_sent(uint32_t port, uint64_t state) const;
    int scan(uint32_t index, uint64_t now);
    bool send_again(const fw_image& image);

    const Job* const job_;
    const int socket_;
    const Trace* const trace_;
    const uint64_t longest_wait_ns_;
    std::vector<Port> ports_;
    uint64_t total_ = 0;
};

}  // namespace syncline
