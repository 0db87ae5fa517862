// SPDX-License-Identifier: BSD-3-Clause
// A target's records of the requests that it has executed, for a native NIC whose tables only its owner uses.
#pragma once

#include <vector>

#include "firmware/native.h"

namespace syncline {

struct Records {
    // `room`: number of rows; ranks that come later wait for more room.
    Records(uint32_t ranks, uint32_t window, uint32_t room)
        : sources(ranks), rows{0, room}, slots(uint64_t{ranks} * window) {}

    // Lets `target` execute requests from now on.
    void give_to(fw_target* target) {
        target->sources = sources.data();
        target->rows = &rows;
        target->slots = slots.data();
    }
    // Resets the records: no request has been executed.
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
