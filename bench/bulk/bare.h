// SPDX-License-Identifier: BSD-3-Clause
// The yardstick of a fetch&add over xdp: a bare round trip of its frames over links of the same kind, without any work.
//
// A process sends them as the library does (src/fabric/packet/node_sockets.cpp): a connected UDP socket, one send() for
// each. The programs of bench/programs/bare.bpf.c turn them round at node 1 and deposit them at node 0.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "base/unique_fd.h"
#include "bench/measure/bed.h"

struct bare_bpf;
struct bpf_link;

namespace syncline::bench {

class BareRoundTrip {
  public:
    // Two nodes of its own, whose links have this MTU. Throws Failure.
    explicit BareRoundTrip(int mtu);
    ~BareRoundTrip();
    BareRoundTrip(const BareRoundTrip&) = delete;
    BareRoundTrip& operator=(const BareRoundTrip&) = delete;

    // The times of `count` round trips of a process on that CPU, ns. Throws Failure, and Interrupted when a signal
    // comes that DeferredSignals hold back.
    std::vector<uint32_t> measure(uint64_t count, int cpu);

  private:
    void attach();
    void open_socket();
    void close();

    const Bed bed_;
    bare_bpf* skeleton_ = nullptr;
    bpf_link* turn_ = nullptr;
    bpf_link* arrive_ = nullptr;
    UniqueFd socket_;              // node 0's, connected to node 1
    uint64_t* deposit_ = nullptr;  // node 0's, mapped: the sequence number that has come back last
};

}  // namespace syncline::bench
