// SPDX-License-Identifier: BSD-3-Clause
// The options --json and --plot of every `syncline bench`, and the files that they name.
#pragma once

#include <string>

namespace CLI {
class App;
}

namespace syncline::bench {

// Writes the text, unless the name is empty. A regular file then holds all of it, or after a Failure its old text.
void write_file(const std::string& name, const std::string& text);
// Throws Failure if write_file() could not; leaves no file behind.
void check_file(const std::string& name);

class ResultFiles {
  public:
    void add_options(CLI::App* command);
    // Throws Failure before anything is measured, if a file cannot be written to.
    void check() const;
    void write(const std::string& json, const std::string& plot) const;

  private:
    std::string json_, plot_;  // "": none
};

}  // namespace syncline::bench
