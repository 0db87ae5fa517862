// SPDX-License-Identifier: BSD-3-Clause
#include "testbed/named.h"

#include <sys/stat.h>

#include <algorithm>
#include <cerrno>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <optional>
#include <set>

#include "base/failure.h"
#include "base/read_whole.h"
#include "testbed/netns.h"

namespace syncline::testbed {
namespace {

namespace fs = std::filesystem;
using Json = nlohmann::json;

constexpr int state_version = 2;
constexpr const char* state_root = "/run/syncline/testbed";
constexpr const char* netns_prefix = "syncline-";

fs::path folder_of(const std::string& name) {
    return fs::path(state_root) / name;
}

fs::path state_of(const std::string& name) {
    return folder_of(name) / "state.json";
}

// "syncline-<name>-<digits>" and "syncline-<name>-switch" belong to <name>; any other name to no test bed. The name
// may hold '-' itself: the last one decides.
std::string owner_of(const std::string& netns) {
    const std::string prefix = netns_prefix;
    const size_t dash = netns.rfind('-');
    if (!netns.starts_with(prefix) || dash == std::string::npos || dash <= prefix.size()) {
        return "";
    }
    const std::string tail = netns.substr(dash + 1);
    const bool digits = !tail.empty() && tail.find_first_not_of("0123456789") == std::string::npos;
    return digits || tail == "switch" ? netns.substr(prefix.size(), dash - prefix.size()) : "";
}

std::vector<std::string> entries_of(const fs::path& folder) {
    std::vector<std::string> names;
    std::error_code error;
    for (fs::directory_iterator entry(folder, error), end; !error && entry != end; entry.increment(error)) {
        names.push_back(entry->path().filename().string());
    }
    if (error && error != std::errc::no_such_file_or_directory) {
        fail(SYNCLINE_ERR_SYSTEM, "reading the folder {} failed: {}", folder.string(), error.message());
    }
    return names;
}

std::vector<std::string> namespaces_of(const std::string& name) {
    std::vector<std::string> owned = entries_of(netns_directory);
    std::erase_if(owned, [&](const std::string& netns) { return owner_of(netns) != name; });
    return owned;
}

[[noreturn]] void fail_taken(const std::string& name) {
    fail(SYNCLINE_ERR_BUSY,
         "a test bed named '{}', or a part of one, exists: remove it with `syncline testbed down --name {}` or "
         "choose another name",
         name, name);
}

}  // namespace

std::string node_netns_name(const std::string& name, int node) {
    return fmt::format("{}{}-{}", netns_prefix, name, node);
}

std::string switch_netns_name(const std::string& name) {
    return fmt::format("{}{}-switch", netns_prefix, name);
}

void claim_name(const std::string& name) {
    std::error_code error;
    fs::create_directories(state_root, error);
    if (error) {
        fail(SYNCLINE_ERR_SYSTEM, "making the folder {} failed: {}", state_root, error.message());
    }
    const fs::path folder = folder_of(name);
    if (::mkdir(folder.c_str(), 0755) != 0) {
        if (errno == EEXIST) {
            fail_taken(name);
        }
        fail_errno(SYNCLINE_ERR_SYSTEM, "making the folder {} failed", folder.string());
    }
    if (!namespaces_of(name).empty()) {
        fs::remove(folder, error);
        fail_taken(name);
    }
}

void write_state(const Options& options) {
    const Json state = {{"version", state_version},
                        {"name", options.name},
                        {"nodes", options.nodes},
                        {"switch", switch_kind_name(options.kind)},
                        {"mtus", options.mtus}};
    const fs::path path = state_of(options.name);
    const fs::path draft = path.string() + ".new";
    std::ofstream file(draft);
    file << state.dump(2) << '\n';
    file.close();
    std::error_code error;
    fs::rename(draft, path, error);
    if (!file || error) {
        fail(SYNCLINE_ERR_SYSTEM, "writing {} failed: {}", path.string(),
             error ? error.message() : "is the file system full?");
    }
}

Options read_state(const std::string& name) {
    const fs::path path = state_of(name);
    const std::optional<std::string> text = read_whole(path.string());
    if (!text) {
        fail(SYNCLINE_ERR_NOT_FOUND,
             "there is no whole test bed named '{}' ({} cannot be read): make one with `syncline testbed up`, "
             "after `syncline testbed down --name {}` if a part of it is left",
             name, path.string(), name);
    }
    try {
        const Json state = Json::parse(*text);
        Options options;
        options.name = name;
        options.nodes = state.at("nodes").get<int>();
        options.mtus = state.at("mtus").get<std::vector<int>>();
        const std::string kind = state.at("switch").get<std::string>();
        options.kind = kind == "bridge" ? SwitchKind::kBridge : SwitchKind::kXdp;
        if (state.at("version").get<int>() == state_version && kind == switch_kind_name(options.kind)) {
            return options;
        }
    } catch (const Json::exception&) {
    }
    fail(SYNCLINE_ERR_INVALID,
         "{} is not a state file of this version: remove the test bed with `syncline testbed down --name {}` "
         "and make it again",
         path.string(), name);
}

void check_namespaces(const Options& options) {
    std::vector<std::string> needed = {switch_netns_name(options.name)};
    for (int node = 0; node < options.nodes; node++) {
        needed.push_back(node_netns_name(options.name, node));
    }
    const std::vector<std::string> there = namespaces_of(options.name);
    for (const std::string& netns : needed) {
        if (std::find(there.begin(), there.end(), netns) == there.end()) {
            fail(SYNCLINE_ERR_NOT_FOUND, "the network namespace {} is gone", netns);
        }
    }
}

bool remove_named(const std::string& name) {
    const std::vector<std::string> namespaces = namespaces_of(name);
    for (const std::string& netns : namespaces) {
        remove_named_netns(netns);
    }
    std::error_code error;
    const auto removed = fs::remove_all(folder_of(name), error);
    if (error) {
        fail(SYNCLINE_ERR_SYSTEM, "removing {} failed: {}", folder_of(name).string(), error.message());
    }
    return removed > 0 || !namespaces.empty();
}

std::vector<std::string> list_named() {
    std::set<std::string> names;
    for (std::string& entry : entries_of(state_root)) {
        names.insert(std::move(entry));
    }
    for (const std::string& netns : entries_of(netns_directory)) {
        names.insert(owner_of(netns));
    }
    names.erase("");
    return {names.begin(), names.end()};
}

}  // namespace syncline::testbed
