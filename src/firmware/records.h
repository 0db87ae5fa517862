// SPDX-License-Identifier: BSD-3-Clause
// A target's records of the requests that it has executed, for a native NIC whose tables are its owner's alone.
#pragma once

#include <vector>

#include "firmware/native.h"

namespace syncline {

struct Records {
    // `room`: rows of the ranks; those that come later wait for more.
    Records(uint32_t ranks, uint32_t window, uint32_t room)
        : sources(ranks), rows{0, room}, slots(uint64_t{ranks} * window) {}

    // `nic` executes requests from now on.
    void give_to(fw_nic* nic) {
        nic->sources = sources.data();
        nic->rows = &rows;
        nic->slots = slots.data();
    }
    // Nothing has been executed.
    void forget() {
        sources.assign(sources.size(), {});
        rows.taken = 0;
        slots.assign(slots.size(), {});
    }

    std::vector<fw_source> sources;
    fw_rows rows;
    std::vector<fw_slot> slots;
};

}  // namespace syncline
