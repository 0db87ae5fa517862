// SPDX-License-Identifier: BSD-3-Clause
// The proof, before a job over xdp begins, that replies of the nodes' NICs arrive. Each node's daemon greets the NICs
// of a few others (daemon/packet/neighbours.h); the process that has the daemon make the job asks it again and again
// which answers are missing.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "job/protocol/channel.h"

namespace syncline {

constexpr uint32_t proof_ms = 1000;  // after which a node's NIC counts as silent

// One node's part of the proof.
struct Proof {
    std::vector<uint32_t> silent;  // nodes whose NICs' answers do not arrive here
    std::string link;              // the fault of the node's own link; "" if there seems to be none
};

// Asks these nodes' daemons, which have all made their parts, until no answer is missing, for at most proof_ms. A link
// that has a fault now, while all NIC programs run, ends the wait for its node. Throws Failure if a daemon reports one.
std::vector<Proof> prove_replies(const std::vector<Channel*>& daemons, const Channel::Await& await = {});

// Returns the message that says why, by all nodes' proofs, the job cannot go over xdp; "" if it can. `name` returns a
// node's name.
std::string why_unproven(const std::vector<Proof>& proofs, const std::function<std::string(uint32_t node)>& name);

}  // namespace syncline
