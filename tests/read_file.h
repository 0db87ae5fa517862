// SPDX-License-Identifier: BSD-3-Clause
// A file's contents; "" where there is none.
#pragma once

#include <filesystem>
#include <string>

#include "base/read_whole.h"

namespace syncline {

inline std::string read_file(const std::filesystem::path& path) {
    return read_whole(path.string()).value_or("");
}

}  // namespace syncline
