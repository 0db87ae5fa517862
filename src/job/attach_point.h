// SPDX-License-Identifier: BSD-3-Clause
// Where an XDP program for the packets of an interface goes.
#pragma once

#include <string>

namespace syncline {

// The interface itself; of a VLAN's interface, the one below it, where the frames come with their tags and the driver
// may run the program natively. That is so only where neither end's card takes the tags out of the frames: offloads of
// VLAN tags are off below. Else the program runs at the VLAN's interface, in generic mode, which needs nothing.
std::string attach_point_of(const std::string& interface);

}  // namespace syncline
