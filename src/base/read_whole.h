// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <optional>
#include <string>

namespace syncline {

// A file's contents; none, and errno, where it cannot be opened or read. A file of /proc may be opened and then not be
// read, because its process has ended in between; a stream's iterator throws there.
std::optional<std::string> read_whole(const std::string& path);

}  // namespace syncline
