// SPDX-License-Identifier: BSD-3-Clause
// What a sweep has finished, in a file, a line of JSON for each point: a sweep that was interrupted goes on from there.
#pragma once

#include <fstream>
#include <string>
#include <vector>

#include "sim/sweep.h"

namespace syncline::tools {

class Journal {
  public:
    // "": none. Throws Failure if the file cannot be read or written, or is none of a journal.
    explicit Journal(const std::string& name);

    // Gives points the results that the file has of them. How many that were.
    size_t restore(std::vector<sim::Point>* points) const;
    void add(const sim::Point& point);

  private:
    const std::string name_;
    std::ofstream file_;
};

}  // namespace syncline::tools
