// SPDX-License-Identifier: BSD-3-Clause
// synclined.toml: the settings of a node's administrator. packaging/synclined.toml shows every key.
#pragma once

#include <functional>
#include <optional>
#include <string>

#include "daemon/settings.h"

namespace syncline {

// The daemon reads it at start, if it exists and --config names no other file.
inline constexpr const char* configuration_path = "/etc/syncline/synclined.toml";

struct Configuration {
    Settings settings;
    std::optional<std::string> socket;
    bool verbose = false;
};

// Throws Failure with one error message that begins with FILE:LINE, for a file that cannot be read, is not TOML, has an
// unknown key, a value of a wrong type or range, or names a group or CPU that this machine does not have.
Configuration read_configuration(const std::string& path);

// Takes each key of the file, with its section, and the error message for it; "": there is none.
using TakeKey = std::function<void(const std::string& name, const std::string& mistake)>;
// Goes on behind a key that has a mistake, and leaves its value as it was. Throws Failure for a file that cannot be
// read or is no TOML.
void read_configuration(const std::string& path, Configuration* into, const TakeKey& take);

}  // namespace syncline
