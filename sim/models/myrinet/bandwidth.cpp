// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>

#include "sim/models/myrinet/disturbed_home.h"
#include "sim/models/myrinet/workloads.h"

namespace syncline::sim::myrinet {

namespace {

// Sends messages to node 2, which only receives them. The host hands each message to the NIC once; the NIC fetches and
// sends it packet by packet, two at a time, and then gives the message's token back to the host.
class Stream final : public DisturbedHome {
  public:
    using DisturbedHome::DisturbedHome;

    Results measure() {
        run([this] {
            for (uint64_t i = 0; i < std::min(p_.workload.tokens, p_.workload.repeats); i++) {
                hand_over();
            }
        });
        Results results;
        results.add("payload_mbps", static_cast<double>(p_.workload.repeats * p_.workload.message_bytes) / to_us(end_));
        add_results(&results);
        return results;
    }

  private:
    static constexpr uint64_t buffers = 2;  // number of the NIC's buffers

    Node& home() { return machine_.node(Locker::home); }

    void hand_over() {
        handed_over_++;
        home().host.run(from_ns(p_.host.send_ns), [this] {
            waiting_.push_back(p_.workload.message_bytes);
            fetch();
        });
    }

    // Fetches the next packet, if there is one and a buffer for it.
    void fetch() {
        if (waiting_.empty() || fetched_ == buffers) {
            return;
        }
        const uint64_t bytes = std::min(waiting_.front(), p_.network.packet_bytes);
        waiting_.front() -= bytes;
        const bool last = waiting_.front() == 0;
        if (last) {
            waiting_.pop_front();
        }
        fetched_++;
        const Time transfer = from_ns(p_.host.dma_ns) + transfer_time(static_cast<double>(bytes), p_.host.bus_gbps);
        home().lanai.add(machine_.cycles(p_.lanai.sdma_cycles), [this, transfer, bytes, last] {
            home().dma.add(transfer, [this, bytes, last] {
                home().lanai.add(machine_.cycles(p_.lanai.send_cycles),
                                 [this, bytes, last] { put_on_wire(bytes, last); });
            });
        });
        fetch();
    }

    void put_on_wire(uint64_t bytes, bool last) {
        home().wire.add(transfer_time(static_cast<double>(bytes), p_.network.link_gbps), [this, last] {
            fetched_--;
            fetch();
            if (last) {
                give_back();
            }
        });
    }

    void give_back() {
        home().lanai.add(machine_.cycles(p_.lanai.rdma_cycles), [this] {
            home().dma.add(from_ns(p_.host.dma_ns), [this] {
                home().host.run(from_ns(p_.host.receive_ns), [this] {
                    if (++sent_ == p_.workload.repeats) {
                        done();
                    } else if (handed_over_ < p_.workload.repeats) {
                        hand_over();
                    }
                });
            });
        });
    }

    std::deque<uint64_t> waiting_;  // for each message: its bytes that are not fetched yet
    uint64_t fetched_ = 0;          // number of packets in the NIC's buffers
    uint64_t handed_over_ = 0, sent_ = 0;
};

}  // namespace

Results run_bandwidth(const Parameters& parameters) {
    return Stream(parameters).measure();
}

}  // namespace syncline::sim::myrinet
