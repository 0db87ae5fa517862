// SPDX-License-Identifier: BSD-3-Clause
#include "daemon/configuration_values.h"

#include <sched.h>
#include <sys/un.h>
#include <toml++/toml.h>

#include <algorithm>
#include <optional>

#include "base/failure.h"
#include "base/sizes.h"

namespace syncline {
namespace {

template <typename... Args>
[[noreturn]] void refuse(fmt::format_string<Args...> format, Args&&... args) {
    fail(SYNCLINE_ERR_INVALID, format, std::forward<Args>(args)...);
}

std::string text_of(const toml::node& node) {
    if (const auto* const text = node.as_string()) {
        return text->get();
    }
    refuse("needs a text in quotation marks");
}

std::vector<std::string> texts_of(const toml::node& node) {
    const toml::array* const list = node.as_array();
    std::vector<std::string> texts;
    if (list == nullptr ||
        !std::all_of(list->begin(), list->end(), [](const auto& item) { return item.is_string(); })) {
        refuse("needs a list of texts, as in [\"one\", \"two\"]");
    }
    for (const toml::node& item : *list) {
        texts.push_back(text_of(item));
    }
    return texts;
}

}  // namespace

bool flag_of(const toml::node& node) {
    if (const auto* const flag = node.as_boolean()) {
        return flag->get();
    }
    refuse("needs true or false");
}

int64_t number_of(const toml::node& node, int64_t least, int64_t most) {
    const auto* const number = node.as_integer();
    if (number == nullptr || number->get() < least || number->get() > most) {
        refuse("needs a whole number from {} to {}", least, most);
    }
    return number->get();
}

uint64_t size_of_text(const std::string& text) {
    const std::optional<uint64_t> bytes = parse_size(text);
    if (!bytes || *bytes == 0) {
        refuse("needs a size such as \"64GiB\"");
    }
    return *bytes;
}

uint64_t bytes_of(const toml::node& node) {
    return size_of_text(node.is_string() ? text_of(node) : "");
}

std::vector<std::string> interfaces_of(const toml::node& node) {
    std::vector<std::string> names = texts_of(node);
    if (names.empty()) {
        refuse("needs at least one interface, or \"{}\"", default_route);
    }
    std::for_each(names.begin(), names.end(), check_interface);
    return names;
}

UdpPorts udp_ports_of(const toml::node& node) {
    const toml::array* const list = node.as_array();
    if (list == nullptr || list->size() != 2 || !list->at(0).is_integer() || !list->at(1).is_integer()) {
        refuse("needs the first and the last port, as in [{}, {}]", service_port_first,
               service_port_first + service_ports - 1);
    }
    const int64_t first = number_of(list->at(0), 1024, UINT16_MAX);
    const int64_t last = number_of(list->at(1), 1024, UINT16_MAX);
    if (first > last) {
        refuse("goes from {} down to {}: the first port is the lower one", first, last);
    }
    if (last - first >= int64_t{service_ports}) {
        refuse("has {} ports, and a daemon offers {} at most", last - first + 1, service_ports);
    }
    return {static_cast<uint16_t>(first), static_cast<uint16_t>(last)};
}

std::vector<Group> groups_of(const toml::node& node) {
    std::vector<Group> groups;
    for (const std::string& name : texts_of(node)) {
        groups.push_back(find_group(name));
    }
    return groups;
}

double share_of(const toml::node& node) {
    const auto* const share = node.as_floating_point();
    if (share == nullptr || !(share->get() > 0 && share->get() <= 0.75)) {
        refuse("needs a share above 0, and 0.75 at most: the rest is for page tables, packets and programs");
    }
    return share->get();
}

std::string socket_of(const toml::node& node) {
    const std::string name = text_of(node);
    if ((name[0] != '/' && name[0] != '@') || name.size() < 2 || name.size() >= sizeof(sockaddr_un::sun_path)) {
        refuse("needs a whole path, or @name, of less than {} bytes", sizeof(sockaddr_un::sun_path));
    }
    return name;
}

int32_t cpu_of(const toml::node& node) {
    const int64_t cpu = number_of(node, 0, CPU_SETSIZE - 1);
    check_cpu(cpu);
    return static_cast<int32_t>(cpu);
}

}  // namespace syncline
