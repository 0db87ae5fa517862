// SPDX-License-Identifier: BSD-3-Clause
#include "daemon/configuration.h"

#include <fmt/ranges.h>
#include <toml++/toml.h>

#include <algorithm>
#include <iterator>
#include <optional>
#include <utility>
#include <vector>

#include "base/failure.h"
#include "base/read_whole.h"
#include "base/toml_depth.h"
#include "daemon/configuration_keys.h"

namespace syncline {
namespace {

class File {
  public:
    File(const std::string& path, Configuration* into, const TakeKey& take) : path_(path), into_(into), take_(take) {}

    void read(const toml::table& table, const std::string& prefix = "") const {
        for (const auto& [key, node] : table) {
            const std::string name = prefix + std::string(key.str());
            const toml::table* const section = is_section(name) ? node.as_table() : nullptr;
            if (section != nullptr) {
                read(*section, name + ".");
                continue;
            }
            const std::string mistake = is_section(name) ? fmt::format("{0} is a section: its keys follow [{0}]", name)
                                                         : read_value(name, node);
            take_(name,
                  mistake.empty() ? "" : fmt::format("{}:{}: {}", path_, uint32_t{key.source().begin.line}, mistake));
        }
    }

  private:
    static bool is_section(const std::string& name) {
        const std::vector<ConfigurationKey>& keys = configuration_keys();
        return std::any_of(keys.begin(), keys.end(),
                           [&](const ConfigurationKey& key) { return key.name.starts_with(name + "."); });
    }

    // Returns the error message, or "".
    std::string read_value(const std::string& name, const toml::node& node) const {
        const std::vector<ConfigurationKey>& keys = configuration_keys();
        const auto key =
            std::find_if(keys.begin(), keys.end(), [&](const ConfigurationKey& known) { return known.name == name; });
        if (key == keys.end()) {
            std::vector<std::string> known;
            std::transform(keys.begin(), keys.end(), std::back_inserter(known),
                           [](const ConfigurationKey& entry) { return entry.name; });
            return fmt::format("there is no key {}; there are {}", name, fmt::join(known, ", "));
        }
        try {
            key->read(node, into_);
            return "";
        } catch (const Failure& failure) {
            return fmt::format("{} {}", name, failure.what());
        }
    }

    const std::string& path_;
    Configuration* const into_;
    const TakeKey& take_;
};

std::string content_of(const std::string& path) {
    std::optional<std::string> content = read_whole(path);
    if (!content) {
        fail_errno(SYNCLINE_ERR_NOT_FOUND, "the configuration '{}' cannot be read", path);
    }
    return *std::move(content);
}

}  // namespace

void read_configuration(const std::string& path, Configuration* into, const TakeKey& take) {
    const std::string content = content_of(path);
    if (const std::optional<size_t> line = line_of_deep_key(content)) {
        fail(SYNCLINE_ERR_INVALID, "{}:{}: a key has more than {} parts", path, *line, +toml_parts_max);
    }
    try {
        File(path, into, take).read(toml::parse(content, path));
    } catch (const toml::parse_error& error) {
        std::string sentence(error.description());  // it may quote the end of a line
        std::replace_if(
            sentence.begin(), sentence.end(), [](char c) { return static_cast<unsigned char>(c) < ' '; }, ' ');
        fail(SYNCLINE_ERR_INVALID, "{}:{}: {}", path, error.source().begin.line, sentence);
    }
}

Configuration read_configuration(const std::string& path) {
    Configuration configuration;
    read_configuration(path, &configuration, [](const std::string&, const std::string& mistake) {
        if (!mistake.empty()) {
            fail(SYNCLINE_ERR_INVALID, "{}", mistake);
        }
    });
    return configuration;
}

}  // namespace syncline
