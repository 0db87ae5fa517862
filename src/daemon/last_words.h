// SPDX-License-Identifier: BSD-3-Clause
// A daemon that a signal ends tells its clients which signal it is, by the Stop of PROTOCOL.md, before the kernel
// closes the connections. Only SIGKILL leaves no time for that; the clients conclude it from the silence.
//
// The daemon's thread writes which clients there are, and the handler, which may run in any thread, reads it: each
// entry is one atomic word. An entry is erased before its descriptor is closed, so that it never names another file.
#pragma once

#include <atomic>
#include <cstdint>

namespace syncline {

// Installs the handler for each signal that would end the process as it is now. The signal still ends the process
// afterwards.
void leave_last_words();

// A client that gets the last message, until the end of this object. A client whose descriptor is 65536 or more gets
// none.
class Hearer {
  public:
    explicit Hearer(int fd);
    ~Hearer();
    Hearer(const Hearer&) = delete;
    Hearer& operator=(const Hearer&) = delete;

    // Notes that it has a job, in which this machine is that node.
    void name_node(uint32_t node);

  private:
    std::atomic<uint32_t>* const entry_;
};

}  // namespace syncline
