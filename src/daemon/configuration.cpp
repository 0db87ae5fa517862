// SPDX-License-Identifier: BSD-3-Clause
#include "daemon/configuration.h"

#include <fmt/ranges.h>
#include <toml++/toml.h>

#include <algorithm>
#include <functional>
#include <map>
#include <optional>
#include <utility>

#include "base/failure.h"
#include "base/read_whole.h"
#include "base/toml_depth.h"
#include "daemon/configuration_values.h"

namespace syncline {
namespace {

// The reader of a key's value, which throws Failure.
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
                fail(SYNCLINE_ERR_INVALID, "{}:{}: {} is a section: its keys follow [{}]", path_,
                     key.source().begin.line, name, name);
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
            fail(SYNCLINE_ERR_INVALID, "{}:{}: there is no key {}; there are {}", path_, line, name,
                 fmt::join(known, ", "));
        }
        try {
            reader->second(node);
        } catch (const Failure& failure) {
            fail(SYNCLINE_ERR_INVALID, "{}:{}: {} {}", path_, line, name, failure.what());
        }
    }

    const std::string& path_;
    const std::map<std::string, Reader> readers_;
};

std::string content_of(const std::string& path) {
    std::optional<std::string> content = read_whole(path);
    if (!content) {
        fail_errno(SYNCLINE_ERR_NOT_FOUND, "the configuration '{}' cannot be read", path);
    }
    return *std::move(content);
}

}  // namespace

Configuration read_configuration(const std::string& path) {
    Configuration configuration;
    const std::string content = content_of(path);
    if (const std::optional<size_t> line = line_of_deep_key(content)) {
        fail(SYNCLINE_ERR_INVALID, "{}:{}: a key has more than {} parts", path, *line, +toml_parts_max);
    }
    try {
        File(path, &configuration).read(toml::parse(content, path));
    } catch (const toml::parse_error& error) {
        std::string sentence(error.description());  // it may quote the end of a line
        std::replace_if(
            sentence.begin(), sentence.end(), [](char c) { return static_cast<unsigned char>(c) < ' '; }, ' ');
        fail(SYNCLINE_ERR_INVALID, "{}:{}: {}", path, error.source().begin.line, sentence);
    }
    return configuration;
}

}  // namespace syncline
