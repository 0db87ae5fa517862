// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>

#include "sim/models/myrinet/disturbed_home.h"
#include "sim/models/myrinet/workloads.h"

namespace syncline::sim {

namespace {

// Sends messages to node 2, which only takes them in. Each is handed to the NIC once, which fetches and sends it packet
// by packet, two at a time, and then gives its token back to the host.
class Stream final : public DisturbedHome {
  public:
    using DisturbedHome::DisturbedHome;

    Results measure() {
        run([this] {
            for (uint64_t i = 0; i < std::min(p_.tokens, p_.repeats); i++) {
                hand_over();
            }
        });
        Results results;
        results.add("payload_mbps", static_cast<double>(p_.repeats * p_.message_bytes) / to_us(end_));
        add_results(&results);
        return results;
    }

  private:
    static constexpr uint64_t buffers = 2;  // of the NIC

    MyrinetNode& home() { return machine_.node(Locker::home); }

    void hand_over() {
        handed_over_++;
        home().host.run(from_ns(p_.host_send_ns), [this] {
            waiting_.push_back(p_.message_bytes);
            fetch();
        });
    }

    // The next packet, if there is one and a buffer for it.
    void fetch() {
        if (waiting_.empty() || fetched_ == buffers) {
            return;
        }
        const uint64_t bytes = std::min(waiting_.front(), p_.packet_bytes);
        waiting_.front() -= bytes;
        const bool last = waiting_.front() == 0;
        if (last) {
            waiting_.pop_front();
        }
        fetched_++;
        const Time transfer = from_ns(p_.dma_ns) + transfer_time(static_cast<double>(bytes), p_.bus_gbps);
        home().lanai.add(machine_.cycles(p_.sdma_cycles), [this, transfer, bytes, last] {
            home().dma.add(transfer, [this, bytes, last] {
                home().lanai.add(machine_.cycles(p_.send_cycles), [this, bytes, last] { put_on_wire(bytes, last); });
            });
        });
        fetch();
    }

    void put_on_wire(uint64_t bytes, bool last) {
        home().wire.add(transfer_time(static_cast<double>(bytes), p_.link_gbps), [this, last] {
            fetched_--;
            fetch();
            if (last) {
                give_back();
            }
        });
    }

    void give_back() {
        home().lanai.add(machine_.cycles(p_.rdma_cycles), [this] {
            home().dma.add(from_ns(p_.dma_ns), [this] {
                home().host.run(from_ns(p_.host_receive_ns), [this] {
                    if (++sent_ == p_.repeats) {
                        done();
                    } else if (handed_over_ < p_.repeats) {
                        hand_over();
                    }
                });
            });
        });
    }

    std::deque<uint64_t> waiting_;  // bytes of each message that is not fetched yet
    uint64_t fetched_ = 0;          // packets in the NIC's buffers
    uint64_t handed_over_ = 0, sent_ = 0;
};

}  // namespace

Results run_bandwidth(const MyrinetParameters& parameters) {
    return Stream(parameters).measure();
}

}  // namespace syncline::sim
