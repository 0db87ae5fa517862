// SPDX-License-Identifier: BSD-3-Clause
// The XDP switch from user space: loading and attaching it, its fault runs, its counters.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "base/unique_fd.h"
#include "testbed/switch/port_programs.h"
#include "testbed/testbed.h"

struct switch_bpf;
struct switch_control;

namespace syncline::testbed {

class XdpSwitch {
  public:
    // Both are called in the switch namespace, where the calling thread must be. Each port goes to the node of its
    // number. open() finds the maps again through the program on a port.
    static std::unique_ptr<XdpSwitch> attach(const std::vector<uint32_t>& ports, const std::vector<Node>& nodes,
                                             Attachment attachment);
    static std::unique_ptr<XdpSwitch> open(uint32_t port);

    ~XdpSwitch();
    XdpSwitch(const XdpSwitch&) = delete;
    XdpSwitch& operator=(const XdpSwitch&) = delete;

    void set_faults(const Faults& faults);
    Faults faults() const;
    Counters counters() const;

  private:
    XdpSwitch(UniqueFd control, UniqueFd counts);

    UniqueFd counts_;
    std::vector<UniqueFd> links_;
    switch_control* control_ = nullptr;  // mapped memory, shared with the program
};

}  // namespace syncline::testbed
