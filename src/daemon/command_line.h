// SPDX-License-Identifier: BSD-3-Clause
// synclined's options. They override the configuration, also when the daemon reads it again.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "daemon/configuration.h"

namespace CLI {
class App;
}

namespace syncline {

struct CommandLine {
    std::optional<std::string> configuration;
    bool check_configuration = false;
    std::optional<std::string> socket;
    bool private_daemon = false;
    int ready_fd = -1;
    std::vector<std::string> interfaces;
    std::vector<std::string> groups;
    bool serves_users = false;
    std::optional<std::string> memory_limit;
    std::optional<int64_t> agent_cpu;
    bool verbose = false;

    void add_to(CLI::App* app);

    // Returns the file to read: the file of --config, or else configuration_path if it exists. A private daemon reads
    // only a file that is named.
    std::optional<std::string> file() const;
    // Returns the settings of the file, overridden by the options. Throws Failure.
    Configuration read() const;
};

}  // namespace syncline
