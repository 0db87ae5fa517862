// SPDX-License-Identifier: BSD-3-Clause
// synclined's options. They override the configuration, also when that is read again.
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

    // The file that is read: the one of --config, or else configuration_path if it exists. A private daemon reads none
    // that is not named.
    std::optional<std::string> file() const;
    // The file's decisions and the options'. Throws Failure.
    Configuration read() const;
};

}  // namespace syncline
