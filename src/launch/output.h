// SPDX-License-Identifier: BSD-3-Clause
// The PEs' output when it is to be prefixed: whole lines, each with its rank in front.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "base/unique_fd.h"

namespace syncline {

class Output {
  public:
    // A new pipe for one stream of a rank; returns the end for the child. `to` is 1 or 2. Throws Failure.
    UniqueFd add(uint32_t rank, int to);
    std::vector<int> fds() const;
    // Copies what has come from this descriptor.
    void read(int fd);
    // Copies all that is left.
    void finish();
    // The launcher's own output cannot be written, and why.
    bool failed() const { return !failure_.empty(); }
    const std::string& failure() const { return failure_; }

  private:
    struct Stream {
        UniqueFd pipe;
        std::string prefix;
        int to;
        std::string partial;
    };

    void write_lines(Stream* stream, bool last);

    std::map<int, Stream> streams_;
    std::string failure_;
};

}  // namespace syncline
