// SPDX-License-Identifier: BSD-3-Clause
// The proof, before a job over xdp begins, that replies of the nodes' NICs arrive. Each node's daemon greets the NICs
// of a few others (daemon/neighbours.h); who has it make the job asks it again and again whose answers are missing.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "job/channel.h"

namespace syncline {

constexpr uint32_t proof_ms = 1000;  // after which a node's NIC is silent

// One node's part.
struct Proof {
    std::vector<uint32_t> silent;  // nodes whose NICs' answers do not arrive here
    std::string link;              // what is wrong with the node's own link; "" if nothing seems to be
};

// Asks these nodes' daemons, which have all made their parts, until no answer is missing, for proof_ms at most. A link
// that is wrong now, while all NIC programs run, ends the wait for its node. Throws Failure if a daemon does.
std::vector<Proof> prove_replies(const std::vector<Channel*>& daemons, const Channel::Await& await = {});

// The sentence that says why, by all nodes' proofs, the job cannot go over xdp; "" if it can. `name` is a node's.
std::string why_unproven(const std::vector<Proof>& proofs, const std::function<std::string(uint32_t node)>& name);

}  // namespace syncline
