// SPDX-License-Identifier: BSD-3-Clause
// Returns a file's contents; "" if there is no such file.
#pragma once

#include <filesystem>
#include <string>

#include "base/read_whole.h"

namespace syncline {

inline std::string read_file(const std::filesystem::path& path) {
    return read_whole(path.string()).value_or("");
}

}  // namespace syncline
