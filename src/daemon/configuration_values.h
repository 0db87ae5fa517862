// SPDX-License-Identifier: BSD-3-Clause
// The values of the configuration's keys. Each reader throws Failure with the rest of a message that begins with the
// key: "needs true or false".
#pragma once

#include <toml++/toml.h>

#include <cstdint>
#include <string>
#include <vector>

#include "daemon/settings.h"

namespace syncline {

bool flag_of(const toml::node& node);
int64_t number_of(const toml::node& node, int64_t least, int64_t most);
uint64_t size_of_text(const std::string& text);  // not 0
uint64_t bytes_of(const toml::node& node);       // not 0
double share_of(const toml::node& node);
std::vector<std::string> interfaces_of(const toml::node& node);
UdpPorts udp_ports_of(const toml::node& node);
std::vector<Group> groups_of(const toml::node& node);
std::string socket_of(const toml::node& node);
int32_t cpu_of(const toml::node& node);

}  // namespace syncline
