// SPDX-License-Identifier: BSD-3-Clause
// The tables that a PE needs to send packets, and those in which the processes of a shm job execute them. The daemon
// makes them for jobs whose PEs exchange packets (has_packets()).
//
// Shared words: see fabric/packet/connection/connection.h for completions and images, firmware/tables.h for the others.
#pragma once

#include <array>

#include "job/attachment/attachment.h"

namespace syncline {

struct PacketTables {
    fw_completion* completions = nullptr;  // of this PE
    RequestsHeader* requests = nullptr;    // and the images behind it
    fw_buffers* directory = nullptr;       // the buffers of the node's slots: [ports * nodes * window], four in each
    fw_source* sources = nullptr;          // [ranks]; these three are written only if the process executes requests
    fw_rows* rows = nullptr;               // else NULL
    fw_slot* slots = nullptr;              // else NULL
    std::array<Mapping, 4> memory = {};    // of the tables; empty if they belong to the caller

    // Maps the tables that the daemon has handed over, and closes their descriptors. Throws Failure.
    static PacketTables map(Attachment* attachment);
};

}  // namespace syncline
