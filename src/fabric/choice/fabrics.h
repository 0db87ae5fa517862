// SPDX-License-Identifier: BSD-3-Clause
// The fabrics of a PE, and which of them serves each PE of the job. Only the .cpp knows the fabrics by name.
//
// Threads: any; the choice never changes.
#pragma once

#include <memory>
#include <vector>

#include "fabric/fabric.h"
#include "fabric/node/local_memory.h"
#include "fabric/node/nic.h"

namespace syncline {

class Transport;
struct PacketTables;

class Fabrics {
  public:
    struct Options {
        uint32_t peer_timeout_ms = 5000;
        bool direct = true;  // false: packets reach PEs of this node, too
    };

    // Makes the fabrics that the job asks for. Throws Failure.
    Fabrics(Attachment* attachment, uint32_t peer_timeout_ms);
    // Makes fabrics whose packets go over this transport, by these tables; NULL: no packets.
    Fabrics(Attachment* attachment, std::unique_ptr<PacketTables> tables, std::unique_ptr<Transport> transport,
            const Options& options);
    ~Fabrics();

    Fabric& of(int rank) const { return *(here_[static_cast<size_t>(rank)] != 0 ? memory_ : packets_); }
    LocalMemory& local_memory() { return local_memory_; }
    Nic& nic() { return nic_; }
    // Do the call of Fabric for all fabrics at once.
    void flush() {
        for (Fabric* const fabric : moving_) {
            if (__builtin_expect(fabric->is_gathering(), 0)) {
                fabric->flush();
            }
        }
    }
    void progress() {
        for (Fabric* const fabric : moving_) {
            fabric->progress();
        }
    }
    uint64_t retry(uint64_t now);
    bool is_quiet();
    void forget(Completion* completion);
    std::string trouble() const;
    std::vector<int> wait_fds() const;

  private:
    void choose(Attachment* attachment, std::unique_ptr<Transport> transport, const Options& options);

    LocalMemory local_memory_;
    Nic nic_;
    std::unique_ptr<PacketTables> tables_;  // NULL: no packets
    std::unique_ptr<Fabric> memory_;
    std::unique_ptr<Fabric> packets_;  // NULL: memory serves all PEs
    std::vector<Fabric*> moving_;      // fabrics in which operations may be under way after a call
    std::vector<uint8_t> here_;        // for each rank, 1: memory reaches it
};

}  // namespace syncline
