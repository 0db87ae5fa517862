// SPDX-License-Identifier: BSD-3-Clause
// The XDP switch from user space: loading and attaching it, its fault runs, its counters.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "base/unique_fd.h"
#include "testbed/testbed.h"

struct switch_bpf;
struct switch_control;

namespace syncline::testbed {

// How the program stays on its ports.
// kHeld: through bpf_link descriptors of this object, so that it goes with its process.
// kLasting: through the devices themselves, so that it goes with the switch namespace. Nothing is pinned:
// open() finds the maps again through the program, and no file system has to be mounted for them.
enum class Attachment { kHeld, kLasting };

class XdpSwitch {
  public:
    // Both in the switch namespace, where the calling thread must be: devmaps take their devices from there.
    static std::unique_ptr<XdpSwitch> attach(const std::vector<uint32_t>& ports, Attachment attachment);
    static std::unique_ptr<XdpSwitch> open(uint32_t port);

    ~XdpSwitch();
    XdpSwitch(const XdpSwitch&) = delete;
    XdpSwitch& operator=(const XdpSwitch&) = delete;

    void set_faults(const Faults& faults);
    Faults faults() const;
    Counters counters() const;

  private:
    XdpSwitch(UniqueFd control, UniqueFd counts, UniqueFd stash);
    void hold(int program_fd, uint32_t port);

    UniqueFd counts_;
    UniqueFd stash_;
    std::vector<UniqueFd> links_;
    switch_control* control_ = nullptr;  // mapped memory, shared with the program
};

}  // namespace syncline::testbed
