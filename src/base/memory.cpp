// SPDX-License-Identifier: BSD-3-Clause
#include "base/memory.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <fstream>
#include <optional>
#include <sstream>
#include <vector>

namespace syncline {
namespace {

struct Hierarchy {
    std::string root;   // the group that is mounted
    std::string mount;  // where it is mounted
    bool unified = false;
};

struct Names {
    const char* limit;
    const char* used;
    const char* cache;  // in memory.stat: pages of files, which the kernel takes back before it kills
};
constexpr Names unified_names = {"memory.max", "memory.current", "inactive_file"};
constexpr Names legacy_names = {"memory.limit_in_bytes", "memory.usage_in_bytes", "total_inactive_file"};

// Returns nothing if there is no such file, or no number in it ("max").
std::optional<uint64_t> number_in(const std::string& path) {
    std::ifstream file(path);
    uint64_t value = 0;
    return file >> value ? std::optional(value) : std::nullopt;
}

// Returns the number behind a word at the start of a line, or 0.
uint64_t number_behind(const std::string& path, const std::string& word) {
    std::ifstream file(path);
    for (std::string line; std::getline(file, line);) {
        std::istringstream text(line);
        std::string first;
        uint64_t value = 0;
        if (text >> first >> value && first == word) {
            return value;
        }
    }
    return 0;
}

bool has_word(const std::string& list, const std::string& word) {
    return ("," + list + ",").find("," + word + ",") != std::string::npos;
}

// Reads lines of mountinfo: number parent device ROOT MOUNT options ... - TYPE source OPTIONS.
std::vector<Hierarchy> hierarchies(const std::string& proc) {
    std::vector<Hierarchy> found;
    std::ifstream file(proc + "/self/mountinfo");
    for (std::string line; std::getline(file, line);) {
        const size_t dash = line.find(" - ");
        if (dash == std::string::npos) {
            continue;
        }
        std::string skipped, type, options;
        Hierarchy one;
        std::istringstream(line) >> skipped >> skipped >> skipped >> one.root >> one.mount;
        std::istringstream(line.substr(dash + 3)) >> type >> skipped >> options;
        one.unified = type == "cgroup2";
        if (one.unified || (type == "cgroup" && has_word(options, "memory"))) {
            found.push_back(std::move(one));
        }
    }
    return found;
}

// Returns this process's group in a hierarchy, from lines "number:controllers:path"; the unified one has no
// controllers.
std::optional<std::string> own_group(const std::string& proc, bool unified) {
    std::ifstream file(proc + "/self/cgroup");
    for (std::string line; std::getline(file, line);) {
        const size_t first = line.find(':');
        const size_t second = first == std::string::npos ? first : line.find(':', first + 1);
        if (second == std::string::npos) {
            continue;
        }
        const std::string controllers = line.substr(first + 1, second - first - 1);
        if (unified ? controllers.empty() : has_word(controllers, "memory")) {
            return line.substr(second + 1);
        }
    }
    return std::nullopt;
}

void narrow(MemoryLeft* left, const std::string& group, const Names& names) {
    const std::optional<uint64_t> limit = number_in(group + "/" + names.limit);
    if (!limit) {
        return;
    }
    const uint64_t used = number_in(group + "/" + names.used).value_or(0);
    const uint64_t taken = used - std::min(used, number_behind(group + "/memory.stat", names.cache));
    const uint64_t bytes = *limit - std::min(*limit, taken);
    if (bytes < left->bytes) {
        *left = {bytes, "the control group " + group};
    }
}

// Goes from the process's own group up to the group that is mounted, because each may have a limit.
void narrow_all(MemoryLeft* left, const Hierarchy& hierarchy, std::string group) {
    if (hierarchy.root != "/" && group.starts_with(hierarchy.root)) {
        group.erase(0, hierarchy.root.size());
    }
    for (;;) {
        while (group.ends_with('/')) {
            group.pop_back();
        }
        narrow(left, hierarchy.mount + group, hierarchy.unified ? unified_names : legacy_names);
        if (group.empty()) {
            return;
        }
        group.erase(group.rfind('/') == std::string::npos ? 0 : group.rfind('/'));
    }
}

}  // namespace

MemoryLeft memory_left(const std::string& proc) {
    MemoryLeft left = {number_behind(proc + "/meminfo", "MemAvailable:") * 1024, "this machine"};
    if (left.bytes == 0) {  // /proc is not mounted
        left.bytes = static_cast<uint64_t>(::sysconf(_SC_PHYS_PAGES)) * static_cast<uint64_t>(::sysconf(_SC_PAGESIZE));
    }
    for (const Hierarchy& hierarchy : hierarchies(proc)) {
        if (const std::optional<std::string> group = own_group(proc, hierarchy.unified)) {
            narrow_all(&left, hierarchy, *group);
        }
    }
    return left;
}

std::string format_bytes(uint64_t bytes) {
    constexpr const char* units[] = {"bytes", "KiB", "MiB", "GiB", "TiB", "PiB", "EiB"};
    size_t unit = 0;
    auto value = static_cast<double>(bytes);
    for (; value >= 1024 && unit < 6; unit++) {
        value /= 1024;
    }
    return unit == 0 ? fmt::format("{} bytes", bytes) : fmt::format("{:.1f} {}", value, units[unit]);
}

}  // namespace syncline
