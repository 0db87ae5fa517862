// SPDX-License-Identifier: BSD-3-Clause
// A file's contents; "" where there is none.
#pragma once

#include <filesystem>
#include <fstream>
#include <sstream>
#include <string>

namespace syncline {

inline std::string read_file(const std::filesystem::path& path) {
    std::ifstream file(path, std::ios::binary);
    std::ostringstream text;
    text << file.rdbuf();
    return text.str();
}

}  // namespace syncline
