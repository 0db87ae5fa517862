// SPDX-License-Identifier: BSD-3-Clause
// Predicts how long a barrier takes, in order to choose its algorithm (Buntinas, Panda, Sadayappan: "Fast NIC-Based
// Barrier over Myrinet/GM", 2001, section 2.2).
//
// The model gathers the paper's terms into values that a process can measure. `send` is Send + SDMA of equation 1, the
// host's work until the NIC has the message. `network` is the paper's Network. `message` is Recv or Xmit, an executor's
// work for a message at either end. A step of pairwise exchange then takes network + 2 message. A level of a tree of
// dimension d takes network + (1 + d) message, upwards and downwards, because a parent takes its children one after the
// other. Hosts pay `send` for each message, NICs once (equations 1 and 2).
//
// If all nodes are parts of one machine, their steps do not run side by side any more: no barrier is quicker than all
// its messages' work divided by the CPUs.
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
    uint32_t shared_cpus = 0;  // 0: each node has CPUs of its own

    double exchange_ns(uint32_t nodes, bool host) const;
    double tree_ns(uint32_t nodes, uint32_t dimension, bool host) const;

    // Returns the quickest schedule; of equally quick ones, the one with the fewest messages. `algorithm`:
    // SYNCLINE_BARRIER_AUTO, or _TREE for the best tree.
    Schedule choose(uint32_t nodes, bool host, int algorithm) const;
};

// Medians of gets of one word from another node, as a process sees them.
struct RoundTrips {
    double alone_ns;     // of gets one after the other
    double together_ns;  // of each get while several are in flight
    double call_ns;      // of the call that starts a get
};

// A round trip is send + 2 network + 4 message, because each of the two messages is work at both ends. With many in
// flight, each takes an executor 2 messages. If the call lasts as long as the round trip, the sender's CPU does all of
// the work itself (veth): there is no network then, and the five pieces of work cannot be told apart.
LatencyModel fit_latency_model(const RoundTrips& measured, uint32_t shared_cpus);

}  // namespace syncline
