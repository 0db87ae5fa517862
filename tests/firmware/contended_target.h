// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <gtest/gtest.h>

#include "contended.h"
#include "native_target.h"
#include "packet.h"

namespace syncline::test {

// Has the firmware of contended.h execute a request, with this NIC's tables and memory. Returns the reply's header.
inline slw_header deliver_contended(NativeTarget* target, Bytes packet) {
    const uint32_t length = fw_packet_length(packet.data());
    packet.resize(SLW_PACKET_MAX);
    uint32_t reply_length = 0;
    EXPECT_EQ(contended_execute_packet(&target->target(), packet.data(), length, &reply_length), FW_REPLY);
    return header_of(packet);
}

}  // namespace syncline::test
