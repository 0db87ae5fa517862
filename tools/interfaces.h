// SPDX-License-Identifier: BSD-3-Clause
// The network interfaces of this namespace, and the modes of XDP that they support.
#pragma once

#include <string>
#include <vector>

namespace syncline::tools {

struct Interface {
    std::string name;
    std::string driver;
    int mtu = 0;
    std::string xdp;       // "native", "native (not for jobs: no XDP_TX)", "generic only", or why the mode is not known
    std::string attached;  // the mode of the attached program; "" if there is none
};

std::vector<Interface> list_interfaces();

}  // namespace syncline::tools
