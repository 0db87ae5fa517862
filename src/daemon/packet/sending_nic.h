// SPDX-License-Identifier: BSD-3-Clause
// A NIC of the node that only sends: through it the daemon makes the firmware send messages of barriers.
#pragma once

#include "firmware/native.h"
#include "job/job.h"

namespace syncline {

class SendingNic {
  public:
    using Emit = void (*)(void* context, uint32_t node, const uint8_t* packet, uint32_t length);

    // `emit` as in fw_nic. All arguments outlive the object.
    SendingNic(const Job& job, fw_barrier* barriers, Emit emit, void* context) {
        nic_.config = &job.spec.config;
        nic_.ranks = job.map.ranks_of(job.spec.config.node).data();
        nic_.barriers = barriers;
        nic_.counters = &counters_;
        nic_.emit = emit;
        nic_.emit_context = context;
    }
    SendingNic(const SendingNic&) = delete;
    SendingNic& operator=(const SendingNic&) = delete;

    fw_nic* get() { return &nic_; }

  private:
    fw_counters counters_ = {};
    fw_nic nic_ = {};
};

}  // namespace syncline
