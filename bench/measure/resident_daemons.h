// SPDX-License-Identifier: BSD-3-Clause
// A `synclined` on each node, for jobs that another launcher starts. They end with the object, and with this process.
#pragma once

#include <sys/types.h>

#include <string>
#include <vector>

#include "testbed/testbed.h"

namespace syncline::bench {

class ResidentDaemons {
  public:
    // Starts a daemon on each of these nodes of a test bed; if there are none, one on this machine. Returns when all
    // listen. Throws Failure.
    explicit ResidentDaemons(const std::vector<testbed::Node>& nodes);
    ~ResidentDaemons();
    ResidentDaemons(const ResidentDaemons&) = delete;
    ResidentDaemons& operator=(const ResidentDaemons&) = delete;

    // Returns the address of each daemon: an abstract name, which belongs to a network namespace.
    const std::string& socket() const { return socket_; }

  private:
    void start(int netns, const std::string& interface);
    void end();

    const std::string socket_;
    std::vector<pid_t> processes_;
};

}  // namespace syncline::bench
