// SPDX-License-Identifier: BSD-3-Clause
// Programs on the switch's ports, for either kind of switch.
#pragma once

#include <cstdint>
#include <vector>

#include "base/unique_fd.h"

namespace syncline::testbed {

// How an XDP program stays on its ports. kHeld: bpf_link descriptors hold it, so it goes with its process. kLasting:
// the devices themselves hold it, so it goes with the switch namespace. Nothing is pinned, so no file system has to be
// mounted for it.
enum class Attachment { kHeld, kLasting };

// All calls are made in the switch namespace, where the calling thread must be; a port is an interface's index.

// Returns the links that hold the program; none if it is lasting.
std::vector<UniqueFd> attach_program(int program_fd, const std::vector<uint32_t>& ports, Attachment attachment);
// Attaches the program of a bridge's ports (bridge_port.bpf.c).
std::vector<UniqueFd> attach_bridge_program(const std::vector<uint32_t>& ports, Attachment attachment);
// Attaches a tc program for incoming frames. The devices hold it, so it goes with the switch namespace.
void attach_filter(int program_fd, const std::vector<uint32_t>& ports);
// Returns the number of the XDP program on a port. Throws SYNCLINE_ERR_NOT_FOUND if there is none.
uint32_t program_on(uint32_t port);

}  // namespace syncline::testbed
