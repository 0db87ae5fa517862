// SPDX-License-Identifier: BSD-3-Clause
// The yardstick for a fetch&add over xdp: a bare round trip of its frames over links of the same kind, without any
// work.
//
// A process sends the frames as the library does (src/fabric/packet/node_sockets.cpp): by a connected UDP socket, with
// one send() for each. The programs of bench/programs/bare.bpf.c turn the frames round at node 1 and deposit them at
// node 0.
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
    // Makes two nodes, whose links have this MTU. Throws Failure.
    explicit BareRoundTrip(int mtu);
    ~BareRoundTrip();
    BareRoundTrip(const BareRoundTrip&) = delete;
    BareRoundTrip& operator=(const BareRoundTrip&) = delete;

    // Returns the times, in ns, of `count` round trips of a process on that CPU. Throws Failure, and Interrupted when a
    // signal comes that DeferredSignals hold back.
    std::vector<uint32_t> measure(uint64_t count, int cpu);

  private:
    void attach();
    void open_socket();
    void close();

    const Bed bed_;
    bare_bpf* skeleton_ = nullptr;
    bpf_link* turn_ = nullptr;
    bpf_link* arrive_ = nullptr;
    UniqueFd socket_;              // node 0's socket, connected to node 1
    uint64_t* deposit_ = nullptr;  // node 0's mapped word: the sequence number that has come back last
};

}  // namespace syncline::bench
