// SPDX-License-Identifier: BSD-3-Clause
// The words of --help, wrapped at the width of the terminal that they are written to.
#pragma once

#include <CLI/CLI.hpp>
#include <string>

namespace syncline::tools {

// The columns of the terminal that is the standard output; 0 if it is none, whose lines are then not wrapped.
unsigned terminal_columns();

// `text` with no line longer than `columns`, as far as its words allow. A description that starts in column
// `description` goes on there; another line goes on below its first word. 0 columns: `text` itself.
std::string wrapped_help(const std::string& text, unsigned columns, unsigned description);

class HelpFormatter : public CLI::Formatter {
  public:
    explicit HelpFormatter(unsigned columns) : columns_(columns) {}

    std::string make_help(const CLI::App* app, std::string name, CLI::AppFormatMode mode) const override;

  private:
    const unsigned columns_;
};

}  // namespace syncline::tools
