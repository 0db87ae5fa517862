// SPDX-License-Identifier: BSD-3-Clause
#include "daemon/configuration.h"

#include <fmt/ranges.h>
#include <sched.h>
#include <sys/un.h>
#include <toml++/toml.h>

#include <algorithm>
#include <fstream>
#include <functional>
#include <iterator>
#include <map>
#include <sstream>

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

uint64_t bytes_of(const toml::node& node) {
    const std::optional<uint64_t> bytes = node.is_string() ? parse_size(text_of(node)) : std::nullopt;
    if (!bytes || *bytes == 0) {
        refuse("needs a size such as \"64GiB\"");
    }
    return *bytes;
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

// Each key, and the reader of its value, which throws Failure.
using Reader = std::function<void(const toml::node& node)>;
std::map<std::string, Reader> readers(Configuration* into) {
    Settings* const to = &into->settings;
    return {
        {"socket", [=](const auto& node) { into->socket = socket_of(node); }},
        {"verbose", [=](const auto& node) { into->verbose = flag_of(node); }},
        {"network.interfaces", [=](const auto& node) { to->interfaces = interfaces_of(node); }},
        {"network.udp_ports", [=](const auto& node) { to->udp_ports = udp_ports_of(node); }},
        {"users.all", [=](const auto& node) { to->serves_users = flag_of(node); }},
        {"users.groups", [=](const auto& node) { to->groups = groups_of(node); }},
        {"users.jobs", [=](const auto& node) { to->jobs_of_user = uint32_t(number_of(node, 1, UINT16_MAX)); }},
        {"users.memory", [=](const auto& node) { to->memory_of_user = bytes_of(node); }},
        {"memory.limit", [=](const auto& node) { to->memory_limit = bytes_of(node); }},
        {"memory.job_share", [=](const auto& node) { to->memory_of_job = share_of(node); }},
        {"agent.cpu", [=](const auto& node) { to->agent_cpu = cpu_of(node); }},
    };
}

class File {
  public:
    File(const std::string& path, Configuration* into) : path_(path), readers_(readers(into)) {}

    void read(const toml::table& table, const std::string& prefix = "") const {
        for (const auto& [key, node] : table) {
            const std::string name = prefix + std::string(key.str());
            if (is_section(name)) {
                if (const toml::table* const section = node.as_table(); section != nullptr) {
                    read(*section, name + ".");
                    continue;
                }
                refuse("{}:{}: {} is a section: its keys follow [{}]", path_, key.source().begin.line, name, name);
            }
            read_value(name, key.source().begin.line, node);
        }
    }

  private:
    bool is_section(const std::string& name) const {
        return std::any_of(readers_.begin(), readers_.end(),
                           [&](const auto& entry) { return entry.first.starts_with(name + "."); });
    }

    void read_value(const std::string& name, uint32_t line, const toml::node& node) const {
        const auto reader = readers_.find(name);
        if (reader == readers_.end()) {
            std::vector<std::string> known;
            std::transform(readers_.begin(), readers_.end(), std::back_inserter(known),
                           [](const auto& entry) { return entry.first; });
            refuse("{}:{}: there is no key {}; there are {}", path_, line, name, fmt::join(known, ", "));
        }
        try {
            reader->second(node);
        } catch (const Failure& failure) {
            refuse("{}:{}: {} {}", path_, line, name, failure.what());
        }
    }

    const std::string& path_;
    const std::map<std::string, Reader> readers_;
};

std::string content_of(const std::string& path) {
    std::ifstream file(path);
    const bool is_empty = file.peek() == std::ifstream::traits_type::eof();
    if (!file.is_open() || file.bad()) {
        fail_errno(SYNCLINE_ERR_NOT_FOUND, "the configuration '{}' cannot be read", path);
    }
    std::ostringstream content;
    if (!is_empty) {
        content << file.rdbuf();
    }
    return content.str();
}

}  // namespace

Configuration read_configuration(const std::string& path) {
    Configuration configuration;
    try {
        File(path, &configuration).read(toml::parse(content_of(path), path));
    } catch (const toml::parse_error& error) {
        std::string sentence(error.description());  // it may quote the end of a line
        std::replace_if(
            sentence.begin(), sentence.end(), [](char c) { return static_cast<unsigned char>(c) < ' '; }, ' ');
        refuse("{}:{}: {}", path, error.source().begin.line, sentence);
    }
    return configuration;
}

}  // namespace syncline
