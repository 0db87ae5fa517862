// SPDX-License-Identifier: BSD-3-Clause
// Makes a link's receive path, and with it the XDP program, run in a kernel thread on a chosen CPU. Otherwise a veth
// runs the program on the CPU that sent the packet.
#pragma once

#include <string>

namespace syncline::bench {

class ThreadedNapi {
  public:
    // Throws Failure if this kernel has no such threads (Linux 5.12), or hides them.
    ThreadedNapi(int netns_fd, std::string interface, int cpu);
    ~ThreadedNapi();  // restores the former setting
    ThreadedNapi(const ThreadedNapi&) = delete;
    ThreadedNapi& operator=(const ThreadedNapi&) = delete;

  private:
    void set(const char* value) const;

    const int netns_fd_;
    const std::string interface_;
};

}  // namespace syncline::bench
