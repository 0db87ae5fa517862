// SPDX-License-Identifier: BSD-3-Clause
// Two PEs of one node and their daemon in one process, each PE with the fabrics under test: memory, packets that the
// initiator executes (shm), packets that the daemon's agent executes (udp), and both with faults.
#pragma once

#include <gtest/gtest.h>

#include <atomic>
#include <functional>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "fabric/choice/fabrics.h"
#include "tests/daemon/daemon_client.h"

namespace syncline {

struct Path {
    const char* name;
    TransportKind transport;
    bool direct;
    bool faults;
};

class PesOfANode : public testing::TestWithParam<Path> {
  public:
    static constexpr syncline_address_t base = heap_reserved_bytes;
    static constexpr uint64_t heap_blocks = 8;

  protected:
    PesOfANode();
    ~PesOfANode() override;

    // Returns the fabric by which PE 0 reaches PE 1.
    Fabric& fabric(int from = 0) { return fabrics_[from]->of(1 - from); }
    Fabrics& fabrics(int rank) { return *fabrics_[rank]; }
    Attachment& attachment(int rank) { return *attachments_[rank]; }
    bool is_memory() const { return GetParam().direct; }

    // Returns a PE's memory.
    template <typename T = uint8_t>
    T* memory(int rank, uint64_t offset = 0) {
        uint8_t* const heap = attachments_[rank]->bases()[attachments_[rank]->port() * SLW_SEGMENTS_MAX];
        return reinterpret_cast<T*>(heap + base + offset);
    }

    // Calls until all parts are started, then waits until they are over. Returns the first error.
    int run(Fabrics* fabrics, Completion* completion, const std::function<int()>& call);
    int run(const std::function<int(Completion*)>& call);
    // Waits until the condition holds, with progress; returns false after a time that no operation should take.
    static bool await(Fabrics* fabrics, const std::function<bool()>& done);

  private:
    void create_job();
    void attach(int rank);

    testing_daemon::InProcess server_{"/fabric"};
    JobSpec job_ = testing_daemon::small_job(0x7f, 2);
    Channel creator_;
    std::thread daemon_;
    std::atomic<bool> stop_{false};
    std::unique_ptr<Attachment> attachments_[2];
    std::unique_ptr<LocalMemory> local_[2];  // memory of the transports
    std::unique_ptr<Fabrics> fabrics_[2];
};

inline const Path all_paths[] = {
    {"memory", TransportKind::kShm, true, false},     {"shm_packets", TransportKind::kShm, false, false},
    {"shm_faults", TransportKind::kShm, false, true}, {"udp", TransportKind::kUdp, false, false},
    {"udp_faults", TransportKind::kUdp, false, true},
};

inline std::string name_of(const testing::TestParamInfo<Path>& path) {
    return path.param.name;
}

}  // namespace syncline
