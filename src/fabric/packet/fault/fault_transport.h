// SPDX-License-Identifier: BSD-3-Clause
// Wraps any transport and, from a seed, loses, repeats, delays (and so reorders) and damages packets, both sent and
// received. Replies that the wrapped transport's NIC deposits by itself never pass here; the test bed's switch injects
// faults into those.
#pragma once

#include <deque>
#include <memory>
#include <vector>

#include "base/prng.h"
#include "fabric/packet/transport.h"
#include "job/job.h"

namespace syncline {

class FaultTransport final : public Transport {
  public:
    FaultTransport(std::unique_ptr<Transport> inner, const FaultRates& rates, uint64_t salt);

    const TransportCapabilities& capabilities() const override { return inner_->capabilities(); }
    int send(uint32_t node, const uint8_t* packet, uint32_t length, uint32_t pad_to) override;
    int poll(const Sink& sink) override;
    bool was_too_long(uint32_t node) override { return inner_->was_too_long(node); }
    std::string trouble() const override { return inner_->trouble(); }
    std::vector<int> wait_fds() const override { return inner_->wait_fds(); }

  private:
    struct Held {
        std::vector<uint8_t> bytes;
        uint32_t node;
        uint32_t pad_to;
        uint64_t release_ns;
    };

    // Decides the fate of one packet: returns 0, 1 or 2 copies that go on now; a held copy comes later.
    int copies_now(std::vector<uint8_t>* bytes, uint32_t node, uint32_t pad_to, std::deque<Held>* held);
    void release_sends();

    std::unique_ptr<Transport> inner_;
    FaultRates rates_;
    Prng prng_;
    std::deque<Held> held_sends_;
    std::deque<Held> held_receives_;
};

// Reads "loss=0.1,duplicate=0.05,reorder=0.05,corrupt=0.01,seed=7"; throws Failure that names the wrong part.
FaultRates parse_fault_rates(const char* text);

}  // namespace syncline
