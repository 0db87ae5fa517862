// SPDX-License-Identifier: BSD-3-Clause
// The options --json and --plot of every `syncline bench`, and the files that they name.
#pragma once

#include <string>

namespace CLI {
class App;
}

namespace syncline::bench {

// Writes it, unless the name is empty: a regular file holds all of it or what it held before. Throws Failure.
void write_file(const std::string& name, const std::string& text);
// Throws Failure if write_file() could not; leaves no file behind.
void check_file(const std::string& name);

class ResultFiles {
  public:
    void add_options(CLI::App* command);
    // Before anything is measured: a name that cannot be written to is to be known now. Throws Failure.
    void check() const;
    void write(const std::string& json, const std::string& plot) const;

  private:
    std::string json_, plot_;  // "": none
};

}  // namespace syncline::bench
