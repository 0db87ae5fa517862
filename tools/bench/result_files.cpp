// SPDX-License-Identifier: BSD-3-Clause
#include "tools/bench/result_files.h"

#include <CLI/CLI.hpp>
#include <fstream>

#include "base/failure.h"

namespace syncline::bench {

void write_file(const std::string& name, const std::string& text) {
    if (name.empty()) {
        return;
    }
    std::ofstream file(name);
    if (!file || !(file << text).flush()) {
        fail_errno(SYNCLINE_ERR_SYSTEM, "cannot write {}", name);
    }
}

void ResultFiles::add_options(CLI::App* command) {
    command->add_option("--json", json_, "write everything measured, and the machine, to this file");
    command->add_option("--plot", plot_, "draw the figures to this file, as SVG");
}

void ResultFiles::check() const {
    write(std::string(), std::string());
}

void ResultFiles::write(const std::string& json, const std::string& plot) const {
    write_file(json_, json);
    write_file(plot_, plot);
}

}  // namespace syncline::bench
