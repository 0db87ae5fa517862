// SPDX-License-Identifier: BSD-3-Clause
// A file with the finished points of a sweep, a line of JSON for each, from which an interrupted sweep continues. If
// the last line has no end, the interruption cut it off: the journal ignores and removes it. A file with any other line
// that is not a point is not a journal, and stays as it is.
#pragma once

#include <fstream>
#include <map>
#include <string>
#include <vector>

#include "sim/experiments/sweep.h"

namespace syncline::tools {

class Journal {
  public:
    // With "" there is no journal. Throws Failure if the file cannot be read or written, or is not a journal.
    explicit Journal(const std::string& name);

    // Gives the points the results that the file has for them. Returns the number of these points.
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
