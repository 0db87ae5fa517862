// SPDX-License-Identifier: BSD-3-Clause
// A daemon that a signal ends says so to its clients: which signal, as the Stop of PROTOCOL.md, before the kernel
// closes the connections. SIGKILL alone leaves no time for words, and its clients conclude that from their absence.
//
// The daemon's thread writes who the clients are, and the handler, which may run in any thread, reads it: each entry is
// one atomic word. An entry is erased before its descriptor is closed, so that it never names another file.
#pragma once

#include <atomic>
#include <cstdint>

namespace syncline {

// The handler for each signal that would end the process as it is now. The signal then ends it as before.
void leave_last_words();

// A client that hears the last words, until the end of this object. One whose descriptor is 65536 or more does not.
class Hearer {
  public:
    explicit Hearer(int fd);
    ~Hearer();
    Hearer(const Hearer&) = delete;
    Hearer& operator=(const Hearer&) = delete;

    // It has a job, in which this machine is that node.
    void name_node(uint32_t node);

  private:
    std::atomic<uint32_t>* const entry_;
};

}  // namespace syncline
