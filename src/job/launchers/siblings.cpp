// SPDX-License-Identifier: BSD-3-Clause
#include "job/launchers/siblings.h"

#include <dirent.h>
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <charconv>
#include <memory>
#include <optional>

#include "base/leading_number.h"
#include "base/process_state.h"
#include "base/read_whole.h"

namespace syncline {
namespace {

constexpr int generations_max = 64;  // from a process up to the one that started the launch

std::string contents(int pid, const char* name) {
    return read_whole(fmt::format("/proc/{}/{}", pid, name)).value_or("");
}

std::vector<int> processes() {
    std::vector<int> found;
    const std::unique_ptr<DIR, int (*)(DIR*)> folder(::opendir("/proc"), ::closedir);
    while (const dirent* const entry = folder ? ::readdir(folder.get()) : nullptr) {
        if (const int pid = static_cast<int>(leading_number(entry->d_name)); pid > 0) {
            found.push_back(pid);
        }
    }
    return found;
}

bool descends_from(int pid, int ancestor) {
    for (int generation = 0; pid > 1 && generation < generations_max; generation++) {
        pid = process_state(pid).parent;
        if (pid == ancestor) {
            return true;
        }
    }
    return false;
}

}  // namespace

Siblings::Kind Siblings::look_at(int pid, uint32_t* rank) const {
    const std::string all = contents(pid, "environ");
    bool of_launch = false;
    std::optional<uint32_t> found;
    for (size_t at = 0; at < all.size();) {
        const std::string entry(all.c_str() + at);
        at += entry.size() + 1;
        if (entry.find('=') == std::string::npos) {
            return Kind::kHidden;  // the process has overwritten it
        }
        of_launch |= entry == marks_.launch;
        if (entry.starts_with(marks_.rank)) {
            uint32_t number = 0;
            const char* const end = entry.data() + entry.size();
            if (std::from_chars(entry.data() + marks_.rank.size(), end, number).ptr == end) {
                found = number;
            }
        }
    }
    if (all.empty()) {
        const char state = process_state(pid).letter;  // a zombie has no environment
        return state == 0 || state == 'Z' || state == 'X' ? Kind::kGone : Kind::kHidden;
    }
    *rank = found.value_or(0);
    return of_launch && found ? Kind::kRank : Kind::kOther;
}

// Returns 0 if this process cannot see it.
int Siblings::starter() const {
    int pid = ::getpid();
    uint32_t rank = 0;
    for (int generation = 0; pid > 0 && generation < generations_max; generation++) {
        if (look_at(pid, &rank) != Kind::kRank) {
            return pid != ::getpid() ? pid : 0;
        }
        pid = process_state(pid).parent;
    }
    return 0;
}

std::vector<uint32_t> Siblings::absent() const {
    const int above = proc_is_ours() ? starter() : 0;
    if (above == 0) {
        return {};
    }
    std::vector<uint32_t> missing = ranks_;
    for (const int pid : processes()) {
        uint32_t rank = 0;
        const Kind kind = look_at(pid, &rank);
        if (kind == Kind::kRank) {
            std::erase(missing, rank);
        } else if (kind == Kind::kHidden && pid != above && descends_from(pid, above)) {
            return {};
        }
    }
    return missing;
}

}  // namespace syncline
