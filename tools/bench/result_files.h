// SPDX-License-Identifier: BSD-3-Clause
// The options --json and --plot of every `syncline bench`, and the files that they name.
#pragma once

#include <string>

namespace CLI {
class App;
}

namespace syncline::bench {

// Writes it, unless the name is empty. Throws Failure.
void write_file(const std::string& name, const std::string& text);

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
