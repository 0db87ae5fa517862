// SPDX-License-Identifier: BSD-3-Clause
// The daemon's dispatch program below libxdp's dispatcher, which runs several XDP programs of an interface one after
// the other. The daemon's is the first of them: frames of jobs end there, and all others go on to the next program.
//
// libxdp pins programs in /sys/fs/bpf, where the daemon's program outlives a daemon that is killed. The kernel then
// empties the program's table of jobs' programs, so that it passes all frames on; the next daemon with a job there
// removes it.
//
// libxdp needs CAP_SYS_ADMIN, to ask the kernel for programs by number, and to write to /sys/fs/bpf. It is loaded at
// run time.
#pragma once

#include <memory>
#include <string>

#include "base/unique_fd.h"

struct dispatch_bpf;
struct xdp_program;

namespace syncline {

class LibxdpSeat {
  public:
    // Returns whether libxdp's dispatcher is on the interface.
    static bool is_for(unsigned index);
    // Returns why libxdp's dispatcher does not take our program; "" if it does. It asks the kernel, and changes
    // nothing.
    static std::string why_not(unsigned index);
    // Removes the programs of daemons that were killed, and with the last program the dispatcher.
    static void clear(unsigned index);

    // Throws Failure.
    explicit LibxdpSeat(unsigned index);
    ~LibxdpSeat();
    LibxdpSeat(const LibxdpSeat&) = delete;
    LibxdpSeat& operator=(const LibxdpSeat&) = delete;

    const dispatch_bpf& skeleton() const { return *skeleton_; }

  private:
    const unsigned index_;
    const std::unique_ptr<dispatch_bpf, void (*)(dispatch_bpf*)> skeleton_;
    xdp_program* program_ = nullptr;
};

}  // namespace syncline
