// SPDX-License-Identifier: BSD-3-Clause
// A prediction of how long a barrier takes (Buntinas, Panda, Sadayappan: "Fast NIC-Based Barrier over Myrinet/GM",
// 2001, section 2.2), to choose its algorithm by.
//
// The paper's terms, gathered into what can be measured from a process: `send` is Send + SDMA of equation 1, what the
// host does until the NIC has the message; `network` is its Network; `message` is Recv or Xmit, what an executor is
// busy with a message at either end. A step of pairwise exchange is then network + 2 message; a level of a tree of
// dimension d is network + (1 + d) message, upwards and downwards, for a parent takes its children one after the other.
// Hosts pay `send` for each message, NICs once (equations 1 and 2).
//
// Where all nodes are parts of one machine, their steps are no longer side by side: no barrier is quicker than all its
// messages' work divided by the CPUs.
#pragma once

#include <cstdint>

namespace syncline {

struct Schedule {
    int algorithm;  // enum syncline_barrier_algorithm
    uint32_t dimension;
};

struct LatencyModel {
    double send_ns = 0;
    double network_ns = 0;
    double message_ns = 0;
    uint32_t shared_cpus = 0;  // 0: each node has its own

    double exchange_ns(uint32_t nodes, bool host) const;
    double tree_ns(uint32_t nodes, uint32_t dimension, bool host) const;

    // The quickest one; of equals the one with the fewest messages. `algorithm`: SYNCLINE_BARRIER_AUTO, or _TREE for
    // the best tree.
    Schedule choose(uint32_t nodes, bool host, int algorithm) const;
};

// Medians of gets of one word from another node, as a process sees them.
struct RoundTrips {
    double alone_ns;     // one after the other
    double together_ns;  // each of several in flight
    double call_ns;      // of the call that starts one
};

// A round trip is send + 2 network + 4 message, for each of the two messages is work at both ends; of many in flight
// each takes an executor 2 messages. Where the call lasts as long as the round trip, the sender's CPU does all of the
// work itself (veth): there is no network then, and its five pieces cannot be told apart.
LatencyModel fit_latency_model(const RoundTrips& measured, uint32_t shared_cpus);

}  // namespace syncline
