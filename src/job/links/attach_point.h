// SPDX-License-Identifier: BSD-3-Clause
// The interface to which an XDP program for the packets of an interface is attached.
#pragma once

#include <string>

namespace syncline {

// Returns the interface itself; for a VLAN's interface, the one below it, where the frames come with their tags and the
// driver may run the program natively. That works only if no card, at either end, takes the tags out of the frames: the
// offloads of VLAN tags are off at the interface below. Otherwise the program runs at the VLAN's interface, in generic
// mode, which needs nothing.
std::string attach_point_of(const std::string& interface);

}  // namespace syncline
