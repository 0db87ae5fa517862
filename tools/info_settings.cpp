// SPDX-License-Identifier: BSD-3-Clause
#include "tools/info_settings.h"

#include <fmt/format.h>
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <vector>

#include "base/variables.h"
#include "daemon/configuration.h"
#include "daemon/shown_configuration.h"

namespace syncline::tools {
namespace {

struct Setting {
    std::string name;
    std::string value;
    std::string source = {};  // "environment", "file", or "" where the default holds
    std::string preset = {};
    std::string meaning = {};
    std::string note = {};     // behind the default
    std::string mistake = {};  // an error message
};

void print(const Setting& setting) {
    const std::string origin =
        setting.source.empty() ? "default" : fmt::format("{}; default: {}", setting.source, setting.preset);
    fmt::print("  {} = {}  [{}{}]\n      {}\n", setting.name, setting.value, origin,
               setting.note.empty() ? "" : "; " + setting.note, setting.meaning);
    if (!setting.mistake.empty()) {
        fmt::print("      mistake: {}\n", setting.mistake);
    }
}

std::string choices_of(std::string words) {
    std::replace(words.begin(), words.end(), ' ', ',');
    return words;
}

Setting setting_of(const Variable& variable) {
    const std::optional<SetVariable> set = find_set(variable);
    Setting setting = {.name = set ? set->name : variable.name,
                       .value = set ? set->value : variable.preset,
                       .source = set ? "environment" : "",
                       .preset = variable.preset,
                       .meaning = variable.meaning,
                       .note = *variable.option != '\0' ? fmt::format("option: {}", variable.option) : "",
                       .mistake = set ? mistake_in(variable, *set) : ""};
    if (*variable.words != '\0') {
        setting.meaning += fmt::format(" {{{}}}", choices_of(variable.words));
    }
    return setting;
}

void show_variables(VariableGroup group, const char* title) {
    fmt::print("{}\n", title);
    for (const Variable& variable : variables()) {
        if (variable.group == group) {
            print(setting_of(variable));
        }
    }
}

bool has_variable(const CLI::Option& option) {
    const std::span<const Variable> all = variables();
    return std::any_of(all.begin(), all.end(), [&](const Variable& variable) {
        return *variable.option != '\0' && option.check_name(variable.option);
    });
}

// Options have no value here. One that a variable stands for is shown with that.
void show_options(const CLI::App& run) {
    fmt::print("Options of `syncline run` and oshrun that no variable stands for\n");
    for (const CLI::Option* const option : run.get_options()) {
        if (option->get_positional() || has_variable(*option) || option->check_name("--help")) {
            continue;
        }
        const bool is_flag = option->get_items_expected_max() == 0;
        const std::string preset = option->get_default_str();
        print({.name = option->get_name(false, true),
               .value = is_flag          ? "no"
                        : preset.empty() ? "(none)"
                                         : preset,
               .meaning = option->get_description()});
    }
}

void show_daemon(const std::string& path, bool is_there) {
    fmt::print("Configuration of synclined: {}{}\n", path, is_there ? "" : ", which is not there or not for this user");
    const ShownConfiguration shown = show_configuration(is_there ? path : "");
    for (const ShownKey& key : shown.keys) {
        print({.name = key.name,
               .value = key.value,
               .source = key.is_in_file ? "file" : "",
               .preset = key.preset,
               .meaning = key.meaning,
               .mistake = key.mistake});
    }
    for (const std::string& mistake : shown.mistakes) {
        fmt::print("  mistake: {}\n", mistake);
    }
}

}  // namespace

int show_settings(const CLI::App& run, const std::string& configuration) {
    show_variables(VariableGroup::kJob, "Environment of jobs");
    show_variables(VariableGroup::kShmem, "Environment of OpenSHMEM programs");
    show_variables(VariableGroup::kDsm, "Environment of programs with shared memory between nodes");
    for (const std::string& warning : unread_variables(environ)) {
        fmt::print("  {}\n", warning);
    }
    show_options(run);
    const std::string path = configuration.empty() ? configuration_path : configuration;
    show_daemon(path, !configuration.empty() || ::access(path.c_str(), R_OK) == 0);
    return 0;
}

}  // namespace syncline::tools
