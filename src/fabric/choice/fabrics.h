// SPDX-License-Identifier: BSD-3-Clause
// The fabrics of a PE, and which of them serves each PE of the job. Only the .cpp knows them by name.
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

class Fabrics {
  public:
    struct Options {
        uint32_t peer_timeout_ms = 5000;
        bool direct = true;  // false: PEs of this node are reached by packets, too
    };

    // Those that the job asks for. Throws Failure.
    Fabrics(Attachment* attachment, uint32_t peer_timeout_ms);
    // With this transport, or none, for packets.
    Fabrics(Attachment* attachment, std::unique_ptr<Transport> transport, const Options& options);
    ~Fabrics();

    Fabric& of(int rank) const { return *(here_[static_cast<size_t>(rank)] != 0 ? memory_ : packets_); }
    LocalMemory& local_memory() { return local_memory_; }
    Nic& nic() { return nic_; }
    // For all fabrics at once; see Fabric.
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
    std::unique_ptr<Fabric> memory_;
    std::unique_ptr<Fabric> packets_;  // or none: all PEs are served by memory
    std::vector<Fabric*> moving_;      // those in which operations are under way after a call
    std::vector<uint8_t> here_;        // per rank: 1: memory reaches it
};

}  // namespace syncline
