// SPDX-License-Identifier: BSD-3-Clause
// The fact about its link that a node on veth must know for xdp.
#pragma once

#include <string>

namespace syncline {

bool is_veth(const std::string& interface);

// Returns true for a veth end, in the caller's network namespace, whose other end runs no (native) XDP program. The
// kernel puts an answer that a NIC program sends by XDP_TX into the other end's ring, and tells that end to look there
// only if it has a program: until some other frame comes, the answer stays there. Drivers of network cards transmit
// such frames at once.
//
// The other end may be in a namespace that the caller cannot see. But while a program runs there, the kernel makes
// segmentation unavailable at this end, and that is visible. Returns false also if the kernel does not tell.
bool veth_swallows_answers(const std::string& interface);

// Returns that fact as the second half of a message, with the remedy.
std::string swallowed_answers_text(const std::string& interface);

}  // namespace syncline
