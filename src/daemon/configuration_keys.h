// SPDX-License-Identifier: BSD-3-Clause
// The one table of synclined.toml's keys: how each is read, and how `syncline info --settings` shows it.
#pragma once

#include <toml++/toml.h>

#include <functional>
#include <string>
#include <vector>

#include "daemon/configuration.h"

namespace syncline {

struct ConfigurationKey {
    std::string name;  // with its section: "users.jobs"
    const char* meaning;
    std::function<void(const toml::node&, Configuration*)> read;  // throws Failure with the rest of a sentence
    std::function<std::string(const Configuration&)> value;       // as a user reads it
};

// By name.
const std::vector<ConfigurationKey>& configuration_keys();

}  // namespace syncline
