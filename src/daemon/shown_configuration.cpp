// SPDX-License-Identifier: BSD-3-Clause
#include "daemon/shown_configuration.h"

#include <algorithm>
#include <utility>

#include "base/failure.h"
#include "daemon/configuration_keys.h"

namespace syncline {

ShownConfiguration show_configuration(const std::string& path) {
    ShownConfiguration shown;
    Configuration configuration;
    for (const ConfigurationKey& key : configuration_keys()) {
        const std::string preset = key.value(configuration);
        shown.keys.push_back({key.name, preset, preset, key.meaning});
    }
    if (path.empty()) {
        return shown;
    }
    const auto take = [&](const std::string& name, const std::string& mistake) {
        const auto key = std::find_if(shown.keys.begin(), shown.keys.end(),
                                      [&](const ShownKey& known) { return known.name == name; });
        if (key == shown.keys.end()) {
            shown.mistakes.push_back(mistake);
            return;
        }
        key->is_in_file = true;
        key->mistake = mistake;
    };
    try {
        read_configuration(path, &configuration, take);
    } catch (const Failure& failure) {
        shown.mistakes.emplace_back(failure.what());
    }
    for (size_t i = 0; i < shown.keys.size(); i++) {
        shown.keys[i].value = configuration_keys()[i].value(configuration);
    }
    return shown;
}

}  // namespace syncline
