// SPDX-License-Identifier: BSD-3-Clause
// What a sweep has finished, in a file, a line of JSON for each point: a sweep that was interrupted goes on from there.
// A last line without its end was cut off by the interruption: it does not count, and is removed. Any other line that
// is no point's makes the file none of a journal; then it is left as it is.
#pragma once

#include <fstream>
#include <map>
#include <string>
#include <vector>

#include "sim/experiments/sweep.h"

namespace syncline::tools {

class Journal {
  public:
    // "": none. Throws Failure if the file cannot be read or written, or is none of a journal.
    explicit Journal(const std::string& name);

    // Gives points the results that the file had of them. How many that were.
    size_t restore(std::vector<sim::Point>* points) const;
    void add(const sim::Point& point);

  private:
    void read();
    void read_line(const std::string& line, size_t number);

    const std::string name_;
    std::map<std::string, sim::Point> known_;  // by key
    std::ofstream file_;
};

}  // namespace syncline::tools
