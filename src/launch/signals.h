// SPDX-License-Identifier: BSD-3-Clause
// The launcher's signals, which its loop reads from a descriptor: SIGCHLD, and those that it passes on to the PEs.
#pragma once

#include <optional>

#include "base/unique_fd.h"

namespace syncline {

class Signals {
  public:
    // From now on none of these signals interrupts this process, nor does SIGPIPE.
    Signals();

    int fd() const { return descriptor_.get(); }
    // Returns a signal that has come, if there is one.
    std::optional<int> take();

  private:
    UniqueFd descriptor_;
};

}  // namespace syncline
