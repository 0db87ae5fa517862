// SPDX-License-Identifier: BSD-3-Clause
// A configuration as `syncline info --settings` shows it, with all its mistakes.
#pragma once

#include <string>
#include <vector>

namespace syncline {

struct ShownKey {
    std::string name;
    std::string value;
    std::string preset;  // the value without the file
    std::string meaning;
    bool is_in_file = false;
    std::string mistake = {};  // the daemon's error message for the value; "": it does
};

struct ShownConfiguration {
    std::vector<ShownKey> keys;         // all that there are
    std::vector<std::string> mistakes;  // that are of no key: the file is no TOML, or has a key that there is not
};

// The configuration in this file; "": without a file.
ShownConfiguration show_configuration(const std::string& path);

}  // namespace syncline
