// SPDX-License-Identifier: BSD-3-Clause
#include "bench/report/result_files.h"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <fstream>

#include "base/failure.h"
#include "bench/report/gnuplot.h"

namespace syncline::bench {

namespace {

namespace fs = std::filesystem;

// A regular file is written beside and then takes its name; devices, pipes and links are written to.
bool is_replaced(const std::string& name) {
    std::error_code error;
    const fs::file_type type = fs::symlink_status(name, error).type();
    return type == fs::file_type::regular || type == fs::file_type::not_found;
}

std::string written_first(const std::string& name) {
    return is_replaced(name) ? name + ".partial" : name;
}

bool is_standard_output(const std::string& name) {
    return name == "-";
}

[[noreturn]] void fail_to_write(const std::string& name) {
    const int error = errno;
    if (is_replaced(name)) {
        std::remove(written_first(name).c_str());
    }
    errno = error;
    fail_errno(SYNCLINE_ERR_SYSTEM, "cannot write {}", name);
}

}  // namespace

std::FILE* stream_beside(std::initializer_list<std::string> files) {
    return std::any_of(files.begin(), files.end(), is_standard_output) ? stderr : stdout;
}

void write_file(const std::string& name, const std::string& text) {
    if (name.empty()) {
        return;
    }
    if (is_standard_output(name)) {
        fmt::print("{}", text);
        return;  // the command says so if that cannot be written
    }
    const std::string first = written_first(name);
    std::ofstream file(first);
    if (!file || !(file << text).flush()) {
        fail_to_write(name);
    }
    file.close();
    if (!file) {
        fail_to_write(name);
    }
    if (first != name && std::rename(first.c_str(), name.c_str()) != 0) {
        fail_to_write(name);
    }
}

void check_file(const std::string& name) {
    if (name.empty() || is_standard_output(name)) {
        return;
    }
    const std::string first = written_first(name);
    if (!std::ofstream(first, std::ios::app)) {
        fail_to_write(name);
    }
    if (first != name) {
        std::remove(first.c_str());
    }
}

void check_picture(const std::string& name) {
    check_file(name);
    if (!name.empty()) {
        check_gnuplot(name);
    }
}

void write_picture(const std::string& name, const Figure& picture) {
    if (!name.empty()) {
        write_file(name, drawn(picture, name));
    }
}

void ResultFiles::add_options(CLI::App* command) {
    command->add_option("--json", json_,
                        "write everything measured, and the machine, to this file; - is the standard output");
    command->add_option("--plot", plot_, plot_help);
}

void ResultFiles::check() const {
    check_file(json_);
    check_picture(plot_);
}

void ResultFiles::write(const std::string& json, const Figure& picture) const {
    write_file(json_, json);
    write_picture(plot_, picture);
}

}  // namespace syncline::bench
