// SPDX-License-Identifier: BSD-3-Clause
// The network interfaces of this namespace, and the modes of XDP that they take.
#pragma once

#include <string>
#include <vector>

namespace syncline::tools {

struct Interface {
    std::string name;
    std::string driver;
    int mtu = 0;
    std::string xdp;       // "native", "native (not for jobs: no XDP_TX)", "generic only", or why it is not known
    std::string attached;  // "" or the mode of a program that is attached now
};

std::vector<Interface> list_interfaces();

}  // namespace syncline::tools
