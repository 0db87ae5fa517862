// SPDX-License-Identifier: BSD-3-Clause
// Makes the firmware send messages of barriers for the daemon, and executes nothing.
#pragma once

#include "firmware/native.h"
#include "job/job.h"

namespace syncline {

class BarrierSender {
  public:
    using Emit = void (*)(void* context, uint32_t node, const uint8_t* packet, uint32_t length);

    // `emit` as in fw_target. All arguments outlive the object.
    BarrierSender(const Job& job, fw_barrier* barriers, Emit emit, void* context) {
        target_.config = &job.spec.config;
        target_.ranks = job.map.ranks_of(job.spec.config.node).data();
        target_.barriers = barriers;
        target_.counters = &counters_;
        target_.emit = emit;
        target_.emit_context = context;
    }
    BarrierSender(const BarrierSender&) = delete;
    BarrierSender& operator=(const BarrierSender&) = delete;

    fw_target* get() { return &target_; }

  private:
    fw_counters counters_ = {};
    fw_target target_ = {};
};

}  // namespace syncline
