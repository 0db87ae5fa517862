// SPDX-License-Identifier: BSD-3-Clause
// One simulated node: the tables and memory that its daemon would own, and its NIC, which is the native firmware.
#pragma once

#include <cstdlib>
#include <memory>
#include <vector>

#include "fabric/packet/tables.h"
#include "firmware/native.h"
#include "firmware/records.h"
#include "job/attachment/attachment.h"
#include "job/job.h"
#include "syncline.h"

namespace syncline::deterministic {

class Node {
  public:
    // `deposits`: the NIC puts replies into the completions; else processes take them from their sockets.
    Node(Job job, bool deposits);
    Node(const Node&) = delete;
    Node& operator=(const Node&) = delete;

    const fw_config& config() const { return job_.spec.config; }
    uint32_t rank_at(uint32_t port) const { return job_.map.rank_at(config().node, port); }
    fw_target* target() { return &target_; }
    std::unique_ptr<Attachment> attach(uint32_t rank);
    std::unique_ptr<PacketTables> tables_for(uint32_t rank);
    // Does what a daemon does when the process of a port has ended, for whatever reason.
    void close_port(uint32_t port);
    // Does what a daemon does with the pairs that a killed process had locked (firmware/pair.h).
    void recover_pairs(uint32_t port);
    // Returns the word of the pair lock that a process holds, or 0 if it holds none.
    uint64_t pair_lock_of(uint32_t port) const;
    uint64_t* word(uint32_t port, syncline_address_t address) const;
    // Returns bytes of a port's heap, or NULL with the reason why there are none.
    uint8_t* find(uint32_t port, syncline_address_t address, uint64_t bytes, int* status) const;
    // Returns the address of a byte of a port's heap.
    syncline_address_t address_of(const uint8_t* byte, uint32_t* port) const;
    void set_waiting(uint32_t port) { __atomic_store_n(&ports_[port].waiting, 1, __ATOMIC_SEQ_CST); }
    // Makes the NIC forget what it has executed, a fault that exactly-once execution must prevent.
    void forget_results();
    // Returns whether no row is left for a rank that may still come. The daemon's timer then makes one.
    bool lacks_rows() const { return records_.rows.taken == records_.rows.room && records_.rows.room < config().ranks; }
    void add_row() { records_.rows.room++; }
    void set_rows(uint32_t room) { records_.rows.room = room; }

  private:
    struct Free {
        void operator()(void* memory) const { std::free(memory); }
    };
    using Memory = std::unique_ptr<uint8_t, Free>;
    static Memory zeroed(size_t bytes);
    template <typename Entry>
    static Entry* at(const Memory& memory) {
        return reinterpret_cast<Entry*>(memory.get());
    }

    Job job_;
    std::vector<fw_port> ports_;
    std::vector<fw_segment> segments_;
    Records records_;
    std::vector<fw_buffers> directory_;
    std::vector<fw_barrier> barriers_;
    std::vector<Memory> completions_, requests_, heaps_;  // one for each port
    std::vector<fw_completion*> completions_of_port_;
    std::vector<const fw_image*> images_of_port_;
    std::vector<uint8_t*> memory_;
    fw_counters counters_ = {};
    fw_target target_ = {};
};

}  // namespace syncline::deterministic
