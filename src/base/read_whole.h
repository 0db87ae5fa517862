// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <optional>
#include <string>

namespace syncline {

// Returns a file's contents; none, with errno, if it cannot be opened or read. A file of /proc may be opened and then
// not be read, because its process has ended in between; a stream's iterator would throw then.
std::optional<std::string> read_whole(const std::string& path);

}  // namespace syncline
