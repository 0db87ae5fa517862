// SPDX-License-Identifier: BSD-3-Clause
// One line on a terminal's stderr that says how far a long measurement is and about how long the rest takes; nothing if
// stderr is no terminal.
#pragma once

#include <cstdint>
#include <string>

namespace syncline::bench {

class Progress {
  public:
    explicit Progress(uint64_t steps);
    ~Progress();  // wipes the line
    Progress(const Progress&) = delete;
    Progress& operator=(const Progress&) = delete;

    void step(const std::string& what);

  private:
    const uint64_t steps_;
    const bool shown_;
    const uint64_t start_ns_;
    uint64_t done_ = 0;
    uint64_t last_ns_ = 0;
};

}  // namespace syncline::bench
