// SPDX-License-Identifier: BSD-3-Clause
// The one thing about its link that a node on veth must know for xdp.
#pragma once

#include <string>

namespace syncline {

bool is_veth(const std::string& interface);

// True of a veth end, in the caller's network namespace, whose other end runs no (native) XDP program. The kernel puts
// what a NIC program answers by XDP_TX into the other end's ring, and tells that end to look there only if it has a
// program: until some other frame comes, the answer lies there. Drivers of network cards transmit such frames at once.
//
// The other end may be in a namespace that the caller cannot see. But while a program runs there, the kernel makes
// segmentation unavailable at this end, and that is visible. False also if the kernel does not tell.
bool veth_swallows_answers(const std::string& interface);

// That, as the second half of a sentence: what is so, and what to do.
std::string swallowed_answers_text(const std::string& interface);

}  // namespace syncline
